import { LRUCache } from 'lru-cache';
import { TooManyCommands } from '../model/errors.ts';

const MINUTE_MS = 60_000;
/** Faster than anyone types. */
const COMMANDS_A_MINUTE = 240;
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
    const fullAtMs = Math.max(this.#fullAtMs.get(memberId) ?? 0, nowMs) + MINUTE_MS / COMMANDS_A_MINUTE;
    if (fullAtMs > nowMs + MINUTE_MS) throw new TooManyCommands({ untilMs: fullAtMs - MINUTE_MS });
    this.#fullAtMs.set(memberId, fullAtMs);
  }
}
