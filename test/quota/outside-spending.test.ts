import { describe, expect, it } from 'vitest';
import {
  afterIsolation,
  afterOurRequest,
  isKeyShared,
  type OutsideSpending,
} from '../../src/quota/outside-spending.ts';

const RESET_MS = Date.UTC(2026, 10, 21);
const NOON_MS = RESET_MS - 12 * 3_600_000;

/** What remains as the answer to each of our requests says it, one a minute; or what else is known of the request. */
type Step = number | { remaining?: number | undefined; cards?: number; underWay?: number; resetsAtMs?: number };

function seenOf(steps: readonly Step[]): OutsideSpending | undefined {
  let known: OutsideSpending | undefined;
  let quota = { limit: 1_000, remaining: 1_000 as number | undefined, resetsAtMs: RESET_MS, receivedAtMs: 0 };
  for (const [minute, step] of steps.entries()) {
    const { cards, underWay = 0, ...said } = typeof step === 'number' ? { remaining: step } : step;
    const leftAtMs = NOON_MS + minute * 60_000;
    if ('remaining' in said) quota = { ...quota, ...said, receivedAtMs: leftAtMs + 200 };
    known = afterOurRequest(known, quota, { leftAtMs, cards, underWay });
  }
  return known;
}

it.each<[string, Step[], number]>([
  ['nobody else, as each of our requests takes one', [900, 899, 898, 897], 0],
  ['nothing before the next answer confirms it', [900, 899, 868], 0],
  ['others, once the next answer confirms it', [900, 869, 868], 1],
  ['others again and again', [900, 898, 896, 894, 892], 2],
  ['nobody else, when another process tells later of its request', [900, 898, { underWay: 1 }, 897], 0],
  [
    'nothing while others of ours are under way',
    [900, { remaining: 890, underWay: 2 }, { remaining: 880, underWay: 1 }],
    0,
  ],
  [
    'nobody else, when each card of a list counts',
    [900, { remaining: 880, cards: 20 }, { remaining: 860, cards: 20 }],
    0,
  ],
  ['others also when a list counts once', [900, { remaining: 899, cards: 20 }, 800, 799], 1],
  ['nobody else, when a request is not counted', [900, 900, 899], 0],
  ['nobody else, when an answer says nothing of it', [900, {}, {}, 897], 0],
  ['nothing that an answer confirms which says nothing of it', [900, 890, {}], 0],
  ['nobody else after a change to a larger plan', [900, 49_000, 48_999], 0],
])('%s', (_, steps, times) => {
  expect(seenOf(steps)?.times).toBe(times);
});

it('a day on which others were seen once has no shared key: it may be an operator who tries the key', () => {
  const seen = seenOf([900, 869, 868]);
  expect([seen?.times, isKeyShared(seen, NOON_MS)]).toEqual([1, false]);
});

it('a day on which others were seen twice has a shared key until its reset', () => {
  const seen = seenOf([900, 898, 896, 894, 892]);
  expect([isKeyShared(seen, NOON_MS), isKeyShared(seen, RESET_MS), isKeyShared(undefined, NOON_MS)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(seenOf([900, 898, 896, 894, 892, { remaining: 999, resetsAtMs: RESET_MS + 86_400_000 }])?.times).toBe(0);
});

it('a process that cannot reach the others compares nothing, and only counts its own', () => {
  const known: OutsideSpending = { untilMs: RESET_MS, expected: 100, isSuspected: false, times: 0 };
  const quota = { limit: 1_000, remaining: 50, resetsAtMs: RESET_MS, receivedAtMs: NOON_MS + 200 };
  const alone = { leftAtMs: NOON_MS, cards: 3, underWay: 0, isIsolated: true };
  expect(afterOurRequest(known, quota, alone)).toEqual({ ...known, expected: 97 });
});

describe('after a process has returned that was isolated', () => {
  const known: OutsideSpending = { untilMs: RESET_MS, expected: 100, isSuspected: true, times: 2 };

  it.each<[string, OutsideSpending | undefined, OutsideSpending | undefined, OutsideSpending | undefined]>([
    [
      'what it spent is expected, and what was noted meanwhile forgotten',
      known,
      { ...known, times: 0 },
      { ...known, expected: 93, times: 0 },
    ],
    ['what was known before stays known', known, known, { ...known, expected: 93 }],
    [
      'nothing is known of a day that began meanwhile',
      known,
      { ...known, untilMs: RESET_MS - 86_400_000 },
      { ...known, expected: 93, times: 0 },
    ],
    ['nothing is expected of a day of which nothing is known', undefined, known, undefined],
  ])('%s', (_, shared, before, after) => {
    expect(afterIsolation(shared, before, 7)).toEqual(after);
  });
});
