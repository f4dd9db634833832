import { beforeAll, expect, it } from 'vitest';
import { ourBot } from '../quota/our-bot.ts';
import { type BenchLimiter, limiterNamed, nginx, PLAN_RATE, slowDown, untilNextMinute } from './bench-limiters.ts';
import { CONDITIONS } from './limiters.ts';
import { type Run, trial } from './trial.ts';

const like = (begin: BenchLimiter['begin']): BenchLimiter => ({ name: 'any', optimumMs: () => 1, begin });
const FADING = limiterNamed('fading window');
const ANY = Number.POSITIVE_INFINITY;

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
  const answered = (response: Response) => {
    if (response.status === 429) state?.(response.headers);
    return response;
  };
  const [run] = await trial(ourBot, limiter, { firstCards, runs: 1, answered });
  if (run === undefined) throw new Error('there is a first run');
  expect(run.shown).toBe(firstCards);
  expect(run.episodes).toBeLessThanOrEqual(episodes);
  expect(run.tookMs / run.optimumMs).toBeLessThanOrEqual(ofOptimum);
});

const ALLOWED_MS = 10_000;
const BUCKET = limiterNamed('token bucket');
let plain: Run[];
beforeAll(async () => {
  plain = await trial(ourBot, BUCKET);
});

it.each(['one single answer takes 6 s', 'one in 50 takes 6 s', 'one in 20 takes 7 s'])(
  'slow answers among prompt ones cost no burst of a token bucket, nor much time: %s',
  async (name) => {
    const slow = await trial(ourBot, BUCKET, CONDITIONS[name]);
    expect(slow).toHaveLength(plain.length);
    for (const [index, { tookMs }] of plain.entries())
      expect(slow[index]?.tookMs).toBeLessThanOrEqual(tookMs + ALLOWED_MS);
  },
);
