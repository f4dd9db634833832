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
  #countedAtMs = 0;

  /** @throws TooManyCommands when the member has sent more than 240 in a minute */
  count(memberId: string, nowMs = Date.now()): void {
    // Buckets would stay empty until a clock that was set back has caught up.
    if (nowMs < this.#countedAtMs) this.#fullAtMs.clear();
    this.#countedAtMs = nowMs;
    const fullAtMs = this.#fullAtMs.get(memberId) ?? 0;
    const untilMs = tokenAtMs(fullAtMs, nowMs, PACE);
    if (untilMs > nowMs) throw new TooManyCommands({ untilMs });
    this.#fullAtMs.set(memberId, afterToken(fullAtMs, nowMs, PACE));
  }
}
