import { expect, it } from 'vitest';
import { Incident } from '../src/log.ts';
import { logLines } from './support/log-lines.ts';

const WORDS = { level: 'warn', begins: 'broken', ends: 'mended' } as const;

/** What is said of failures (`x`) and successes (`.`), one after so many seconds as are given. */
function said(steps: readonly [afterSeconds: number, what: 'x' | '.'][]): unknown[] {
  const { log, lines } = logLines();
  let nowMs = 5_000;
  const episode = new Incident(log, WORDS, () => nowMs);
  return steps.flatMap(([afterSeconds, what]) => {
    nowMs += afterSeconds * 1_000;
    if (what === 'x') episode.failed({ err: new Error('full') });
    else episode.succeeded();
    return lines.splice(0).map(({ msg, failures, lastedMs }) => (msg === 'broken' ? msg : [msg, failures, lastedMs]));
  });
}

it.each<[string, Parameters<typeof said>[0], unknown[]]>([
  [
    'nothing of what always works',
    [
      [0, '.'],
      [9, '.'],
    ],
    [],
  ],
  [
    'when it begins, and not each time',
    [
      [0, 'x'],
      [1, 'x'],
      [300, 'x'],
    ],
    ['broken'],
  ],
  [
    'when it ends, with how often it was met',
    [
      [0, 'x'],
      [1, 'x'],
      [2, '.'],
      [3, '.'],
    ],
    ['broken', ['mended', 2, 3_000]],
  ],
  [
    'the next one a minute later',
    [
      [0, 'x'],
      [1, '.'],
      [60, 'x'],
    ],
    ['broken', ['mended', 1, 1_000], 'broken'],
  ],
  [
    'of several in a minute the first',
    [
      [0, 'x'],
      [1, '.'],
      [1, 'x'],
      [1, '.'],
    ],
    ['broken', ['mended', 1, 1_000]],
  ],
  [
    'one that began too soon after another when it lasts, and what was not said counts in it',
    [
      [0, 'x'],
      [1, '.'],
      [1, 'x'],
      [1, '.'],
      [1, 'x'],
      [58, 'x'],
      [2, '.'],
    ],
    ['broken', ['mended', 1, 1_000], 'broken', ['mended', 3, 2_000]],
  ],
])('of a trouble that lasts it is said: %s', (_, steps, expected) => {
  expect(said(steps)).toEqual(expected);
});
