import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import fastify from 'fastify';
import PQueue from 'p-queue';
import { type IRateLimiterOptions, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import {
  EVENLY_DELAYING,
  FIXED_WINDOW,
  type Limiter,
  PER_MINUTE,
  type Ruling,
  SLIDING_LOG,
  WINDOW_BEGUN_ANEW,
  WINDOW_WITH_PENALTY,
} from './service-limiters.ts';

/** One request to a real package. */
interface Asked {
  ruling: Promise<Ruling>;
  /** Resolves when nothing that happens later changes the ruling. */
  decided: Promise<unknown>;
}
type Ask = () => Asked;

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 5);
const ARRIVALS = burstsAndGaps();

// Without `nextTick` and `setImmediate`, because fastify's `inject` needs them
beforeEach(() => {
  vi.useFakeTimers({ now: START_MS, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each<[string, Limiter, () => Ask | Promise<Ask>]>([
  ['@fastify/rate-limit', FIXED_WINDOW, () => fastifyRateLimit({})],
  ['rate-limiter-flexible', FIXED_WINDOW, () => rateLimiterFlexible({})],
  ['continueExceeding of @fastify/rate-limit', WINDOW_BEGUN_ANEW, () => fastifyRateLimit({ continueExceeding: true })],
  ['blockDuration of rate-limiter-flexible', WINDOW_WITH_PENALTY, () => rateLimiterFlexible({ blockDuration: 120 })],
  ['execEvenly of rate-limiter-flexible', EVENLY_DELAYING, () => rateLimiterFlexible({ execEvenly: true })],
])('decides as %s', async (_, limiter, start) => {
  const real = (await rulings(await start())).map(inSeconds);
  expect(real).toEqual(ARRIVALS.map(limiter.begin()).map(inSeconds));
  expect(real.filter((ruling) => ruling.startsWith('429')).length).toBeGreaterThan(50);
});

it('our sliding log lets a client that waits as told through when strict p-queue sends', async () => {
  const queue = new PQueue({ intervalCap: PER_MINUTE, interval: MINUTE_MS, strict: true });
  const sentAtMs: number[] = [];
  for (const atMs of ARRIVALS) {
    await vi.advanceTimersByTimeAsync(atMs - Date.now());
    void queue.add(() => sentAtMs.push(Date.now()));
  }
  await vi.advanceTimersByTimeAsync(ARRIVALS.length * MINUTE_MS);
  expect(sentAtMs).toEqual(waitingAsTold(SLIDING_LOG));
});

/** Several requests within some seconds, then up to three minutes without any; ascending. */
function burstsAndGaps(): number[] {
  const random = seededRandom('bursts and gaps');
  const arrivals: number[] = [];
  let atMs = START_MS;
  for (let burst = 0; burst < 30; burst++) {
    atMs += Math.floor(random() * 3 * MINUTE_MS);
    const spacingMs = random() * 4_000;
    for (let left = Math.floor(random() * 25); left > 0; left--) {
      arrivals.push(atMs);
      atMs += Math.floor(random() * spacingMs);
    }
  }
  return arrivals;
}

async function rulings(ask: Ask): Promise<Ruling[]> {
  const found: Promise<Ruling>[] = [];
  for (const atMs of ARRIVALS) {
    await vi.advanceTimersByTimeAsync(atMs - Date.now());
    const { ruling, decided } = ask();
    found.push(ruling);
    await decided;
  }
  await vi.advanceTimersByTimeAsync(MINUTE_MS); // for those that are delayed
  return Promise.all(found);
}

/** A delay (`+3`) or a stated wait (`429 17`). */
function inSeconds(ruling: Ruling): string {
  return 'delayMs' in ruling
    ? `+${Math.ceil(ruling.delayMs / 1_000)}`
    : `429 ${Math.ceil(ruling.retryAfterMs / 1_000)}`;
}

/** As its documentation registers it. */
async function fastifyRateLimit(options: RateLimitPluginOptions): Promise<Ask> {
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(rateLimit, { max: PER_MINUTE, timeWindow: '1 minute', ...options });
  app.get('/', () => 'a card');
  return () => {
    const ruling = app
      .inject('/')
      .then(({ statusCode, headers }) =>
        statusCode === 429 ? { retryAfterMs: Number(headers['retry-after']) * 1_000 } : { delayMs: 0 },
      );
    return { ruling, decided: ruling };
  };
}

/** As its documentation uses it. */
function rateLimiterFlexible(options: Partial<IRateLimiterOptions>): Ask {
  const limiter = new RateLimiterMemory({ points: PER_MINUTE, duration: 60, ...options });
  return () => {
    const atMs = Date.now();
    const ruling = limiter.consume('key').then(
      () => ({ delayMs: Date.now() - atMs }),
      ({ msBeforeNext }: RateLimiterRes) => ({ retryAfterMs: msBeforeNext }),
    );
    return { ruling, decided: Promise.resolve() }; // the delay is set when it is asked
  };
}

/** When each arrival is let through, one after another. */
function waitingAsTold(limiter: Limiter): number[] {
  const rule = limiter.begin();
  let nowMs = START_MS;
  return ARRIVALS.map((atMs) => {
    nowMs = Math.max(nowMs, atMs);
    for (let ruling = rule(nowMs); 'retryAfterMs' in ruling; ruling = rule(nowMs)) nowMs += ruling.retryAfterMs;
    return nowMs;
  });
}
