import { setTimeout as sleep } from 'node:timers/promises';

import { ApiError } from './api-error.ts';
import type { RestAnswer } from './route.ts';

export interface OpeningLimit {
  /** More that arrive meanwhile are refused. */
  atOnce: number;
  /** How long one takes. */
  tookMs: number;
  /** The wait that a 429 states; without it, the refusal is a 403 with 40003, which states none. */
  retryAfterSeconds?: number;
}

/** How many channels of direct messages a bot may open at a time. Discord publishes no figure; by default there is no limit. */
export class ChannelOpenings {
  /** What happened so far. */
  readonly counts = { opened: 0, refused: 0, mostAtOnce: 0 };
  #limit: OpeningLimit | undefined;
  #underWay = 0;

  limit(limit: OpeningLimit | undefined): void {
    this.#limit = limit;
  }

  async answer(open: () => RestAnswer): Promise<RestAnswer> {
    const { atOnce, tookMs, retryAfterSeconds } = this.#limit ?? { atOnce: Number.POSITIVE_INFINITY, tookMs: 0 };
    if (this.#underWay >= atOnce) {
      this.counts.refused++;
      if (retryAfterSeconds === undefined) throw new ApiError('openingTooFast');
      return tooMany(retryAfterSeconds);
    }
    this.#underWay++;
    this.counts.mostAtOnce = Math.max(this.counts.mostAtOnce, this.#underWay);
    if (tookMs > 0) await sleep(tookMs, undefined, { ref: false });
    this.#underWay--;
    this.counts.opened++;
    return open();
  }
}

/** topics/rate-limits, "Exceeding A Rate Limit" */
function tooMany(seconds: number): RestAnswer {
  return {
    status: 429,
    headers: { 'Retry-After': String(Math.ceil(seconds)), 'X-RateLimit-Scope': 'user' },
    body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
  };
}
