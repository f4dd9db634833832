import { LRUCache } from 'lru-cache';
import { TooManyCommands } from '../model/errors.ts';
import { afterToken, boundedFullAtMs, tokenAtMs } from './pace.ts';

/** Faster than anyone types. */
const COMMANDS_A_MINUTE = 240;
const PACE = { intervalMs: 60_000 / COMMANDS_A_MINUTE, capacity: COMMANDS_A_MINUTE };
const MEMBERS = 10_000;

/** Limits each member's commands, by a token bucket for each of the members seen last. */
export class CommandRate {
  readonly #fullAtMs = new LRUCache<string, number>({ max: MEMBERS });

  /** @throws TooManyCommands when the member has sent more than 240 in a minute */
  count(memberId: string, nowMs: number): void {
    const fullAtMs = this.#fullAtMs.get(memberId) ?? 0;
    const untilMs = tokenAtMs(fullAtMs, nowMs, PACE);
    // Bounded: after a clock was set back the bucket would otherwise stay empty until the clock has caught up.
    const isRefused = untilMs > nowMs;
    this.#fullAtMs.set(
      memberId,
      isRefused ? boundedFullAtMs(fullAtMs, nowMs, PACE) : afterToken(fullAtMs, nowMs, PACE),
    );
    if (isRefused) throw new TooManyCommands({ untilMs });
  }
}
