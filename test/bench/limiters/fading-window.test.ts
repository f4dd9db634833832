import { describe, expect, it } from 'vitest';
import { ourBot } from '../quota/our-bot.ts';
import { FADING_WINDOW, FADING_WITH_REFUSALS, type Limiter, type Ruling } from './service-limiters.ts';
import { trial } from './trial.ts';

const CARDS = 60;

/** What a 429 says of the time to wait; 0: nothing. */
const STATED: readonly [string, (exactMs: number) => number][] = [
  ['the exact wait', (exactMs) => exactMs],
  ['a minute', () => 60_000],
  ['no wait', () => 0],
];

describe.each([FADING_WINDOW, FADING_WITH_REFUSALS])('60 cards at once by a $name', (limiter) => {
  it.each(STATED)('all come, nearly as fast as evenly spaced ones, when a 429 states %s', async (_, stated) => {
    const [run] = await trial((service) => ourBot(service), stating(limiter, stated), { firstCards: CARDS });
    if (run === undefined) throw new Error('there is a first run');
    expect(run.shown).toBe(CARDS);
    expect(run.episodes).toBeLessThanOrEqual(3);
    expect(run.tookMs / run.optimumMs).toBeLessThanOrEqual(1.25);
  });
});

function stating(limiter: Limiter, stated: (exactMs: number) => number): Limiter {
  const begin = () => {
    const rule = limiter.begin();
    return (nowMs: number): Ruling => {
      const ruling = rule(nowMs);
      return 'delayMs' in ruling ? ruling : { retryAfterMs: stated(ruling.retryAfterMs) };
    };
  };
  return { ...limiter, begin };
}
