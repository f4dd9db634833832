import { jsonAnswer, type ServiceAnswer } from './service-answers.ts';

const WINDOW_MS = 60_000;

/** What a limiter says of one request, before the service hears of it. */
export interface WindowVerdict {
  headers: Record<string, string>;
  /** Instead of an answer. */
  refused: ServiceAnswer | undefined;
}

/** A limiter in front of the service, as @fastify/rate-limit is by default: a fixed window from the first request on. */
export class WindowLimiter {
  #endsAtMs = 0;
  #used = 0;

  /** Counts every request, also those that it refuses. */
  count(limit: number, nowMs: number): WindowVerdict {
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + WINDOW_MS;
      this.#used = 0;
    }
    this.#used++;
    const seconds = String(Math.ceil((this.#endsAtMs - nowMs) / 1000));
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - this.#used)),
      'x-ratelimit-reset': seconds,
    };
    return { headers, refused: this.#used > limit ? tooMany(seconds, headers) : undefined };
  }
}

function tooMany(seconds: string, headers: Record<string, string>): ServiceAnswer {
  const message = 'Rate limit exceeded, retry in 1 minute';
  return jsonAnswer(
    429,
    { statusCode: 429, error: 'Too Many Requests', message },
    { ...headers, 'retry-after': seconds },
  );
}
