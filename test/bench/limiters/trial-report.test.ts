import { describe, expect, it } from 'vitest';
import type { Run } from './trial.ts';
import { cell, judge, type Trial } from './trial-report.ts';

const FIRST: Run = { cards: 100, shown: 100, tookMs: 567_000, optimumMs: 540_000, episodes: 1 };
const LATER: Run = { cards: 25, shown: 25, tookMs: 132_400, optimumMs: 120_000, episodes: 0 };

/** The rules that these runs break, by the beginnings of their claims. */
function broken(trial: Partial<Trial>): string[] {
  const verdicts = judge('here', [{ limiter: 'fixed window', runs: [FIRST, LATER, LATER], ...trial }]);
  return verdicts.filter(({ reached }) => !reached).map(({ claim }) => claim);
}

const TOO_OFTEN =
  '429s at most once, and none later (three times where a window fades, and once more for another limiter)';
const TOO_SLOW = 'last card within 1.05 × the optimum (1.25 × where a window fades)';
const thrice = { ...FIRST, tookMs: 1.25 * FIRST.optimumMs, episodes: 3 };

describe('the rules', () => {
  it.each<[string, Partial<Trial>, string | undefined]>([
    ['hold at their limits', {}, undefined],
    ['name a trial with a missing card', { runs: [FIRST, { ...LATER, shown: 24 }] }, 'every card shown'],
    ['allow 429s only once', { runs: [{ ...FIRST, episodes: 2 }, LATER] }, TOO_OFTEN],
    ['allow no 429 later', { runs: [FIRST, { ...LATER, episodes: 1 }] }, TOO_OFTEN],
    ['allow one more for another limiter', { runs: [FIRST, { ...LATER, episodes: 1 }], isChanged: true }, undefined],
    ['allow three and 1.25 × where a window fades', { runs: [thrice, LATER], limiter: 'fading window' }, undefined],
    ['allow the last card 1.05 × the optimum', { runs: [{ ...FIRST, tookMs: 570_000 }, LATER] }, TOO_SLOW],
    ['allow 12 s', { runs: [FIRST, LATER, { ...LATER, tookMs: 133_000 }] }, 'later within 1.05 × or 12 s'],
  ])('%s', (_, trial, expected) => {
    expect(broken(trial)).toEqual(expected === undefined ? [] : [`here: ${expected} (not: fixed window)`]);
  });
});

it.each<[string, Run[]]>([
  ['1.05 ×, 1; +12 s, 0', [FIRST, LATER, { ...LATER, tookMs: 120_000 }]],
  ['1.05 ×, 1; −2 s, 3', [FIRST, { ...LATER, tookMs: 118_000, episodes: 3 }]],
  ['97 of 100, 1; 20 of 25, 0', [{ ...FIRST, shown: 97 }, LATER, { ...LATER, shown: 20 }]],
])('shows %s', (expected, runs) => {
  expect(cell(runs)).toBe(expected);
});
