import type { Logger } from '../log.ts';
import type { RedisHealth } from './redis-link.ts';

/** A Redis that comes and goes would else fill the log. */
const AGAIN_AFTER_MS = 60_000;

/** Says once that Redis is away, and once that it is back; of several outages in a minute, only the first. */
export class HealthLog {
  readonly #log: Logger;
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #saidAway = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** To be told of every change, and again from time to time: an outage that lasts is said after all. */
  say(health: RedisHealth, reason: string): void {
    const away = health !== 'usable';
    if (away === this.#saidAway) return;
    if (away && Date.now() - this.#saidAtMs < AGAIN_AFTER_MS) return;
    this.#saidAway = away;
    if (!away) {
      this.#log.info('redis is back');
      return;
    }
    this.#saidAtMs = Date.now();
    this.#log.warn({ reason }, 'redis is away: this process goes on alone, with its share of the plan');
  }
}
