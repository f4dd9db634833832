import type { Rule } from './service-limiters.ts';

export interface ServiceOptions {
  /** From a request until its answer, without the limiter's delay. */
  latencyMs?: (random: () => number) => number;
  /** One of so many answers is 503. */
  failsOneIn?: number;
  /** Requests a minute that somebody else sends with the same key. */
  othersPerMinute?: number;
}

export interface ServiceCounts {
  /** Of 429s to the strategy; those that come shortly after one another are one. */
  episodes: number;
  /** Requests of the strategy that were answered with 503. */
  failures: number;
  /** Requests of somebody else that were let through. */
  ofOthers: number;
}

export interface TrialService {
  fetch: typeof fetch;
  counts: Readonly<ServiceCounts>;
  limitBy(rule: Rule): void;
  close(): void;
}

const LATENCY_MS = 200;
/** A refusal costs the service nothing, so it overtakes the answers of earlier requests. */
const REFUSAL_MS = 100;
/** Further 429s within this time are for requests that had left before the first was known. */
const EPISODE_MS = 5_000;
const DAILY_LIMIT = 1_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A service with every card behind a limiter, without sockets. */
export function startService(
  firstRule: Rule,
  random: () => number,
  { latencyMs = () => LATENCY_MS, failsOneIn = Number.POSITIVE_INFINITY, othersPerMinute = 0 }: ServiceOptions,
): TrialService {
  let rule = firstRule;
  let closed = false;
  let [allowed, lastRefusalMs] = [0, Number.NEGATIVE_INFINITY];
  const counts: ServiceCounts = { episodes: 0, failures: 0, ofOthers: 0 };
  const resetsAtMs = Date.now() + DAY_MS;

  const respond = (status: number, body: object, headers: Record<string, string> = {}) =>
    Response.json(body, {
      status,
      headers: {
        date: new Date().toUTCString(),
        'x-ratelimit-limit': String(DAILY_LIMIT),
        'x-ratelimit-remaining': String(DAILY_LIMIT - allowed),
        'x-ratelimit-reset': String(Math.ceil(resetsAtMs / 1_000)),
        ...headers,
      },
    });

  const refuse = async (tripMs: number, retryAfterMs: number) => {
    if (Date.now() - lastRefusalMs > EPISODE_MS) counts.episodes++;
    lastRefusalMs = Date.now();
    await wait(Math.min(tripMs, REFUSAL_MS));
    return respond(429, {}, retryAfterMs > 0 ? { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } : {});
  };

  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const tripMs = latencyMs(random) / 2;
    await wait(tripMs);
    const ruling = rule(Date.now());
    if ('retryAfterMs' in ruling) return refuse(tripMs, ruling.retryAfterMs);
    allowed++;
    const fails = allowed % failsOneIn === 0;
    if (fails) counts.failures++;
    await wait(ruling.delayMs + tripMs, request.signal);
    if (fails) return respond(503, { _tag: 'ServiceUnavailable', message: 'Try again.' });
    const id = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
    return respond(200, { id, name: id, tcg: 'Lanternfolk', set: { id: 'bench', name: 'Benchmark' } });
  };

  const sendAsOther = () => {
    if (closed) return;
    const ruling = rule(Date.now());
    if ('delayMs' in ruling) counts.ofOthers++;
    const waitMs = 'retryAfterMs' in ruling ? ruling.retryAfterMs : 0;
    setTimeout(sendAsOther, waitMs + (MINUTE_MS / othersPerMinute) * (0.5 + random()));
  };
  if (othersPerMinute > 0) sendAsOther();

  return {
    fetch: send,
    counts,
    limitBy: (next) => {
      rule = next;
    },
    close: () => {
      closed = true;
    },
  };
}

/** The global timer, because only that one is faked. @throws the reason when the signal aborts */
function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
