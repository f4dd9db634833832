import { expect, it } from 'vitest';
import { ourBot } from '../quota/our-bot.ts';
import { limiterNamed } from './bench-limiters.ts';
import { trial } from './trial.ts';

const CARDS = 60;
/** Two refusals show that it fades, and a jitter of up to a fifth is added to what they state. */
const ALLOWED = 1.3;

it.each<[string, (headers: Headers) => void]>([
  ['the exact wait', () => {}],
  ['a minute', (headers) => headers.set('retry-after', '60')],
  ['no wait', (headers) => headers.delete('retry-after')],
])(
  '60 cards at once by a fading window come nearly as fast as evenly spaced ones when a 429 states %s',
  async (_, state) => {
    const answered = (response: Response) => {
      if (response.status === 429) state(response.headers);
      return response;
    };
    const [run] = await trial(ourBot, limiterNamed('fading window'), { firstCards: CARDS, runs: 1, answered });
    if (run === undefined) throw new Error('there is a first run');
    expect(run.shown).toBe(CARDS);
    expect(run.episodes).toBeLessThanOrEqual(3);
    expect(run.tookMs / run.optimumMs).toBeLessThanOrEqual(ALLOWED);
  },
);
