import { jsonAnswer, type ServiceAnswer } from './service-answers.ts';

const WINDOW_MS = 60_000;

/** The decision of a limiter on one request, before it reaches the service. */
export interface WindowVerdict {
  headers: Record<string, string>;
  /** Sent instead of the service's answer. */
  refused: ServiceAnswer | undefined;
}

/** A limiter in front of the service like @fastify/rate-limit by default: a fixed window from the first request on. */
export class WindowLimiter {
  #endsAtMs = 0;
  #used = 0;

  /** Counts every request, including refused ones. */
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
