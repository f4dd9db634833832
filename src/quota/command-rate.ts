import { LRUCache } from 'lru-cache';
import { TooManyCommands } from '../model/errors.ts';
import { afterToken, tokenAtMs } from './pace.ts';

/** Faster than anyone types. */
const COMMANDS_A_MINUTE = 240;
const PACE = { intervalMs: 60_000 / COMMANDS_A_MINUTE, capacity: COMMANDS_A_MINUTE };
const MEMBERS = 10_000;

/** Limits each member's commands, by a token bucket for each of the members seen last. */
export class CommandRate {
  readonly #fullAtMs = new LRUCache<string, number>({ max: MEMBERS });

  /**
   * @param nowMs monotonic: after a clock was set back the bucket would stay empty until the clock has caught up
   * @throws TooManyCommands when the member has sent more than 240 in a minute
   */
  count(memberId: string, nowMs = performance.now()): void {
    const fullAtMs = this.#fullAtMs.get(memberId) ?? Number.NEGATIVE_INFINITY;
    const waitMs = tokenAtMs(fullAtMs, nowMs, PACE) - nowMs;
    if (waitMs > 0) throw new TooManyCommands({ untilMs: Date.now() + waitMs });
    this.#fullAtMs.set(memberId, afterToken(fullAtMs, nowMs, PACE));
  }
}
