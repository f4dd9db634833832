import { beforeAll, describe, expect, it } from 'vitest';
import { ourBot } from '../quota/our-bot.ts';
import { type Arrival, limiterNamed, nginx, PLAN_RATE, slowDown, untilNextMinute } from './bench-limiters.ts';
import { CONDITIONS } from './limiters.ts';
import { type Run, trial } from './trial.ts';

/** In fake time. */
const fiftyCards = async (begin: () => Arrival): Promise<Run> => {
  const [run] = await trial(ourBot, { name: 'any', optimumMs: () => 0, begin }, { firstCards: 50, runs: 1 });
  if (run === undefined) throw new Error('there is a first run');
  return run;
};

it.each<[string, () => Arrival]>([
  ['nginx burst=20 delay=8', () => nginx(PLAN_RATE, { burst: 20, delay: 8 })],
  [
    'nginx burst=20 delay=13, which answers as many as leave in the first round trips',
    () => nginx(PLAN_RATE, { burst: 20, delay: 13 }),
  ],
  ['express-slow-down', () => slowDown(10)],
  ['limiter of npm', untilNextMinute],
])('50 cards at once are all shown where the first are answered and the rest delayed: %s', async (_, begin) => {
  expect((await fiftyCards(begin)).shown).toBe(50);
});

it('50 cards at once cost at most four episodes of 429s where a service counts to the millisecond', async () => {
  const { shown, episodes } = await fiftyCards(() => nginx(PLAN_RATE, { burst: 0, delay: 0 }));
  expect(shown).toBe(50);
  expect(episodes).toBeLessThanOrEqual(4);
});

describe('slow answers among prompt ones', () => {
  const ALLOWED_MS = 10_000;
  const bucket = limiterNamed('token bucket');
  let plain: Run[];
  beforeAll(async () => {
    plain = await trial(ourBot, bucket);
  });

  it.each(['one single answer takes 6 s', 'one in 50 takes 6 s', 'one in 20 takes 7 s'])(
    'cost no burst of a token bucket, nor much time: %s',
    async (name) => {
      const slow = await trial(ourBot, bucket, CONDITIONS[name]);
      expect(slow).toHaveLength(plain.length);
      for (const [index, { tookMs }] of plain.entries())
        expect(slow[index]?.tookMs).toBeLessThanOrEqual(tookMs + ALLOWED_MS);
    },
  );
});

describe('60 cards at once by a fading window', () => {
  /** Two refusals show that it fades, and a jitter of up to a fifth is added to what they state. */
  const ALLOWED = 1.3;

  it.each<[string, (headers: Headers) => void]>([
    ['the exact wait', () => {}],
    ['a minute', (headers) => headers.set('retry-after', '60')],
    ['no wait', (headers) => headers.delete('retry-after')],
  ])('come nearly as fast as by one that spaces them evenly when a 429 states %s', async (_, state) => {
    const answered = (response: Response) => {
      if (response.status === 429) state(response.headers);
      return response;
    };
    const [run] = await trial(ourBot, limiterNamed('fading window'), { firstCards: 60, runs: 1, answered });
    if (run === undefined) throw new Error('there is a first run');
    expect(run.shown).toBe(60);
    expect(run.episodes).toBeLessThanOrEqual(3);
    expect(run.tookMs / run.optimumMs).toBeLessThanOrEqual(ALLOWED);
  });
});
