import { BEGIN_MS, simulatedMs } from './fake-time.ts';

export interface Limits {
  requestsPerMinute: number;
  burst: number;
  /** How many requests a window takes, how many of them others have sent, and when it first ends. */
  window: { per: 'hour' | 'day' | 'month'; requests: number; used: number; endsAtMs: number };
}

/** A request as it left the app. */
export interface Departure {
  leftAtMs: number;
  process: number;
  card: string | undefined;
  /** What the app heard of it: a status, or 0 where the connection broke or the answer is cut off; how long it is to wait, and what is left. */
  heard?: { atMs: number; status: number; waitMs: number; left?: number; windowEndsMs?: number };
}

const WINDOW_MS = { hour: 3_600_000, day: 86_400_000, month: 30 * 86_400_000 };

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

/** A card service with a token bucket and a window, as its plan says, in simulated time. */
export class SimulatedService {
  readonly departures: Departure[] = [];
  /** Requests that no limiter allows, by when they left: those on the way may arrive at once. */
  readonly beyond: number[] = [];
  /** Since when a 429 that the app has not caused may have taught it of another limiter: of a request that came twice, too. */
  misledMs = Number.POSITIVE_INFINITY;
  readonly limits: Limits;
  readonly #arriving: Bucket;
  readonly #leaving: Bucket;
  /** What a card costs now. */
  priceOf: (id: string) => number = () => 1;
  #used: number;
  /** The present window. */
  endsAtMs: number;

  constructor(limits: Limits) {
    this.limits = limits;
    this.#arriving = new Bucket(limits);
    this.#leaving = new Bucket(limits);
    this.#used = limits.window.used;
    this.endsAtMs = limits.window.endsAtMs;
  }

  leave(process: number, url: URL): Departure {
    if (this.#leaving.count() > 1e-3) this.beyond.push(simulatedMs());
    const departure = { leftAtMs: simulatedMs(), process, card: cardIn(url) };
    this.departures.push(departure);
    return departure;
  }

  answer(url: URL): Response {
    const { requestsPerMinute } = this.limits;
    const missing = this.#arriving.count();
    if (missing > 0) return this.#misleading((missing * 60_000) / requestsPerMinute);
    if (this.left === 0) return this.#limited(this.endsAtMs - simulatedMs());
    this.#used++;
    const id = cardIn(url);
    if (id === undefined) return this.#json(200, this.#usage());
    if (id.startsWith('no')) return this.#json(404, { _tag: 'CardNotFound', message: `No card ${id}.` });
    const prices = { market: this.priceOf(id) };
    return this.#json(200, { id, name: `Card ${id}`, tcg: 'Lanternfolk', set: { id: 's', name: 'Set' }, prices });
  }

  odd(which: number): Response {
    if (which < 0.2) return this.#json(503, { _tag: 'ServiceUnavailable', message: 'Down.' });
    if (which < 0.4) return new Response('<html>bad gateway</html>', { status: 502 });
    if (which < 0.6) return new Response('{"id": 7', { status: 200, headers: this.#headers() });
    if (which < 0.8) return this.#json(401, { _tag: 'Unauthorized', message: 'No such key.' });
    return this.#misleading(1_000);
  }

  get left(): number {
    const { per, requests } = this.limits.window;
    while (simulatedMs() >= this.endsAtMs) {
      this.endsAtMs += WINDOW_MS[per];
      this.#used = 0;
    }
    return requests - this.#used;
  }

  #misleading(waitMs: number): Response {
    this.misledMs = Math.min(this.misledMs, simulatedMs());
    return this.#limited(waitMs);
  }

  #limited(waitMs: number): Response {
    const retryAfter = Math.ceil(waitMs) / 1_000;
    const body = { _tag: 'RateLimitExceeded', message: `Retry after ${retryAfter} seconds.`, retryAfter };
    return this.#json(429, body, { 'retry-after': String(Math.ceil(retryAfter)) });
  }

  #usage() {
    const { per, requests: limit } = this.limits.window;
    const period = { start: '2026-06-01T00:00:00.000Z', end: '2026-06-02T00:00:00.000Z' };
    const ofDay = { used: this.#used, limit, remaining: this.left };
    return { plan: 'free', period, requests: per === 'day' ? ofDay : { used: 1_000, limit: 5_000, remaining: 4_000 } };
  }

  #headers(): Record<string, string> {
    const { per, requests } = this.limits.window;
    const { left } = this;
    const reset = Math.ceil((BEGIN_MS + this.endsAtMs) / 1_000);
    const headers = { limit: `${requests}`, remaining: `${left}`, reset: `${reset}` };
    const stated = Object.entries(headers).map(([figure, text]) => [quotaHeader(per, figure), text]);
    return { 'content-type': 'application/json', ...Object.fromEntries(stated) };
  }

  #json(status: number, body: object, more: Record<string, string> = {}): Response {
    return new Response(JSON.stringify(body), { status, headers: { ...this.#headers(), ...more } });
  }
}

/** What the description of the service names as the source of a figure. */
export function quotaHeader(per: string, figure: string): string {
  return `x-${per}-${figure}`;
}

/** `undefined`: it asks for what is used. */
function cardIn(url: URL): string | undefined {
  return url.pathname.endsWith('usage') ? undefined : decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
}
