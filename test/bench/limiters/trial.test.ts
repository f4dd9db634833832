import { beforeAll, expect, it } from 'vitest';
import { CONDITIONS } from './limiters.ts';
import {
  type Arrival,
  type BenchLimiter,
  INTERVAL_MS,
  limiterNamed,
  MINUTE_MS,
  nginx,
  PLAN_RATE,
  type Run,
  trial,
} from './trial.ts';

const like = (begin: BenchLimiter['begin']): BenchLimiter => ({ name: 'any', optimumMs: () => 1, begin });
const FADING = limiterNamed('fading window');
const ANY = Number.POSITIVE_INFINITY;

/** express-slow-down: in each minute, which begins with its first request, each but so many waits for one interval more. */
function slowDown(delayAfter: number): Arrival {
  let [count, beganMs] = [0, Number.NEGATIVE_INFINITY];
  return () => {
    if (Date.now() - beganMs >= MINUTE_MS) [count, beganMs] = [0, Date.now()];
    count += 1;
    return { delayMs: Math.max(0, count - delayAfter) * INTERVAL_MS };
  };
}

/** `limiter` of npm: what exceeds the rate waits until the minute is over, and then for a token each. */
function untilNextMinute(): Arrival {
  const { requestsPerMinute } = PLAN_RATE;
  let [count, beganMs, fullAtMs] = [0, Number.NEGATIVE_INFINITY, 0];
  return () => {
    const nowMs = Date.now();
    if (nowMs - beganMs >= MINUTE_MS) [count, beganMs] = [0, nowMs];
    count += 1;
    const wokenMs = count > requestsPerMinute ? beganMs + MINUTE_MS : nowMs;
    const passesMs = Math.max(wokenMs, fullAtMs - (requestsPerMinute - 1) * INTERVAL_MS);
    fullAtMs = Math.max(fullAtMs, passesMs) + INTERVAL_MS;
    return { delayMs: passesMs - nowMs };
  };
}

it.each<[string, BenchLimiter, cards: number, episodes: number, ofOptimum: number, state?: (headers: Headers) => void]>(
  [
    ['that answers the first and delays the rest', limiterNamed('delaying after 9'), 50, ANY, ANY],
    [
      'that answers as many as leave in the first round trips',
      like(() => nginx(PLAN_RATE, { burst: 20, delay: 13 })),
      50,
      ANY,
      ANY,
    ],
    ['as express-slow-down', like(() => slowDown(10)), 50, ANY, ANY],
    ['as `limiter` of npm', like(untilNextMinute), 50, ANY, ANY],
    ['that counts to the millisecond', limiterNamed('no burst'), 50, 4, ANY],
    // Two refusals show that it fades, and a jitter of up to a fifth is added to what they state.
    ['that fades', FADING, 60, 3, 1.3],
    ['that fades and states a minute', FADING, 60, 3, 1.3, (headers) => headers.set('retry-after', '60')],
    ['that fades and states no wait', FADING, 60, 3, 1.3, (headers) => headers.delete('retry-after')],
  ],
)('cards at once are all shown behind a limiter %s', async (_, limiter, firstCards, episodes, ofOptimum, state) => {
  const answered = ({ status, headers }: Response) => void (status === 429 && state?.(headers));
  const [run] = await trial(limiter, { firstCards, runs: 1, answered });
  expect(run?.shown).toBe(firstCards);
  expect(run?.episodes).toBeLessThanOrEqual(episodes);
  expect((run?.tookMs ?? ANY) / (run?.optimumMs ?? 1)).toBeLessThanOrEqual(ofOptimum);
});

const ALLOWED_MS = 10_000;
const BUCKET = limiterNamed('token bucket');
let plain: Run[];
beforeAll(async () => {
  plain = await trial(BUCKET);
});

it.each(['one single answer takes 6 s', 'one in 50 takes 6 s', 'one in 20 takes 7 s'])(
  'slow answers among prompt ones cost no burst of a token bucket, nor much time: %s',
  async (name) => {
    const slow = await trial(BUCKET, CONDITIONS[name]);
    expect(slow).toHaveLength(plain.length);
    for (const [index, { tookMs }] of plain.entries())
      expect(slow[index]?.tookMs).toBeLessThanOrEqual(tookMs + ALLOWED_MS);
  },
);
