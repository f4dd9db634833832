import { simulatedMs } from './fake-time.ts';

export interface Limits {
  requestsPerMinute: number;
  burst: number;
  requestsPerDay: number;
}

/** A request as it left the app. */
export interface Departure {
  leftAtMs: number;
  process: number;
  /** What the app heard of it: a status, or that the connection broke. */
  heard?: { atMs: number; status: number };
}

class Bucket {
  readonly #limits: Limits;
  #level = 0;
  #atMs = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns how many requests are missing for this one to be allowed */
  count(): number {
    const { requestsPerMinute, burst } = this.#limits;
    this.#level = Math.max(0, this.#level - ((simulatedMs() - this.#atMs) * requestsPerMinute) / 60_000);
    this.#atMs = simulatedMs();
    const missing = this.#level + 1 - burst;
    if (missing <= 1e-6) this.#level++;
    return Math.max(0, missing);
  }
}

/** A card service with a token bucket, as its plan says, in simulated time. */
export class SimulatedService {
  readonly departures: Departure[] = [];
  /** Requests that no limiter allows, by when they left: those on the way may arrive at once. */
  readonly beyond: number[] = [];
  readonly #limits: Limits;
  readonly #arriving: Bucket;
  readonly #leaving: Bucket;
  #used = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#arriving = new Bucket(limits);
    this.#leaving = new Bucket(limits);
  }

  leave(process: number): Departure {
    if (this.#leaving.count() > 1e-3) this.beyond.push(simulatedMs());
    const departure = { leftAtMs: simulatedMs(), process };
    this.departures.push(departure);
    return departure;
  }

  answer(url: URL): Response {
    const missing = this.#arriving.count();
    if (missing > 0) {
      const retryAfter = Math.ceil((missing * 60_000) / this.#limits.requestsPerMinute) / 1_000;
      const body = { _tag: 'RateLimitExceeded', message: `Retry after ${retryAfter} seconds.`, retryAfter };
      return this.#json(429, body, { 'retry-after': String(Math.ceil(retryAfter)) });
    }
    this.#used++;
    if (url.pathname.endsWith('usage')) {
      const { requestsPerDay: limit } = this.#limits;
      const period = { start: '2026-06-01T00:00:00.000Z', end: '2026-06-02T00:00:00.000Z' };
      return this.#json(200, {
        plan: 'free',
        period,
        requests: { used: this.#used, limit, remaining: limit - this.#used },
      });
    }
    const id = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
    if (id.startsWith('no')) return this.#json(404, { _tag: 'CardNotFound', message: `No card ${id}.` });
    const prices = { market: 1 + (simulatedMs() % 50) };
    return this.#json(200, { id, name: `Card ${id}`, tcg: 'Lanternfolk', set: { id: 's', name: 'Set' }, prices });
  }

  odd(which: number): Response {
    if (which < 0.25) return this.#json(503, { _tag: 'ServiceUnavailable', message: 'Down.' });
    if (which < 0.5) return new Response('<html>bad gateway</html>', { status: 502 });
    if (which < 0.75) return new Response('{"id": 7', { status: 200, headers: this.#headers() });
    return this.#json(429, { _tag: 'RateLimitExceeded', message: 'Retry after 1 seconds.', retryAfter: 1 });
  }

  #headers(): Record<string, string> {
    const { requestsPerDay } = this.#limits;
    return {
      'content-type': 'application/json',
      'x-ratelimit-limit': String(requestsPerDay),
      'x-ratelimit-remaining': String(requestsPerDay - this.#used),
      'x-ratelimit-reset': String(Date.UTC(2026, 5, 2) / 1_000),
    };
  }

  #json(status: number, body: object, more: Record<string, string> = {}): Response {
    return new Response(JSON.stringify(body), { status, headers: { ...this.#headers(), ...more } });
  }
}
