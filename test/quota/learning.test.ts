import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/quota/circuit-breaker.ts';
import { type Learned, NOTHING_LEARNED, shiftedLearned, WINDOW_MS, windowSlotsMs } from '../../src/quota/learned.ts';
import { learnFrom, meaningOf } from '../../src/quota/learning.ts';

/** Free's: ten a minute, a burst of twenty less one. */
const FREE = { intervalMs: 6_000, capacity: 19 };
const ANSWERED: RequestOutcome = { kind: 'answered' };
const REFUSED: RequestOutcome = { kind: 'rateLimited', statedMs: 60_000 };
const DOWN: RequestOutcome = { kind: 'serviceDown' };
const START_MS = 1_000_000;
const QUIET_MS = 15 * 60_000;

/** A request: when it left and when it ended, in seconds from the start, and how. */
type Step = [leftS: number, endedS: number, outcome?: RequestOutcome, more?: { underWay?: number; isOfPace?: boolean }];

function learnedFrom(steps: readonly Step[], known: Learned = NOTHING_LEARNED, planned = FREE): Learned {
  return steps.reduce(
    (learned, [leftS, endedS, outcome = ANSWERED, { underWay = 0, isOfPace = true } = {}]) =>
      learnFrom(learned, {
        leftAtMs: START_MS + leftS * 1_000,
        nowMs: START_MS + endedS * 1_000,
        outcome,
        underWay,
        planned,
        isOfPace,
      }),
    known,
  );
}

function answers(count: number, leftS = 0, endedS = leftS + 0.2): Step[] {
  return Array.from({ length: count }, () => [leftS, endedS]);
}

describe('requests under way', () => {
  it.each<[string, Step[], number]>([
    ['begin at two', [], 2],
    [
      'are one more after each prompt answer while so many are in use',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [0, 0.2, ANSWERED, { underWay: 2 }],
      ],
      4,
    ],
    [
      'are no more when fewer were in use',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [1, 1.2],
        [2, 2.2],
      ],
      3,
    ],
    ['are never more than the burst', Array.from({ length: 40 }, (): Step => [0, 0.2, ANSWERED, { underWay: 30 }]), 20],
    [
      'are as many after a late answer to one request alone: no limiter delays that',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [20, 26],
      ],
      3,
    ],
    [
      'are as many after answers to what left before the clock was set back',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [3_600, 1, ANSWERED, { underWay: 2 }],
        [2, 2.3, ANSWERED, { underWay: 3 }],
      ],
      5,
    ],
    [
      'are as many as before after an answer within the time that latency wanders',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [0, 3.2],
      ],
      3,
    ],
    [
      'are fewer after a late answer',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [0, 6.2, ANSWERED, { underWay: 1 }],
      ],
      1,
    ],
    [
      'are as many after a timeout with no answer meanwhile: that is an outage',
      [
        [0, 0.2, ANSWERED, { underWay: 1 }],
        [1, 11, DOWN],
      ],
      3,
    ],
    [
      'are half after a timeout while others were answered',
      [...Array.from({ length: 6 }, (): Step => [0, 0.2, ANSWERED, { underWay: 9 }]), [0, 10, DOWN]],
      4,
    ],
    ['are as many after an answer that came late with nothing to compare', [[0, 8, ANSWERED, { underWay: 1 }]], 3],
  ])('%s', (_, steps, inFlight) => {
    expect(Math.floor(learnedFrom(steps).inFlight)).toBe(inFlight);
  });

  it('grow again once all answers have been as slow for ten minutes', () => {
    const minutes = Array.from({ length: 14 }, (_, minute) => 60 * minute);
    const slow = minutes.flatMap((atS): Step[] => [
      [atS, atS + 6, ANSWERED, { underWay: 1 }],
      [atS, atS + 6],
    ]);
    const early = learnedFrom(slow.slice(0, 18), learnedFrom([[-1, -0.8]]));
    expect(early.inFlight).toBe(1);
    expect(learnedFrom(slow.slice(18), early).inFlight).toBeGreaterThan(2);
  });

  it('leave no burst to a limiter that delays, and grow by one in a round from then on', () => {
    const delayed = learnedFrom([
      [0, 0.2, ANSWERED, { underWay: 1 }],
      [0, 6.2, ANSWERED, { underWay: 1 }],
    ]);
    expect(delayed).toMatchObject({ capacity: 1, inFlight: 1, isStarting: false });
    expect(learnedFrom([[7, 7.2]], delayed).inFlight).toBe(2);
    expect(
      learnedFrom(
        [
          [7, 7.2],
          [8, 8.2, ANSWERED, { underWay: 1 }],
        ],
        delayed,
      ).inFlight,
    ).toBe(2.5);
  });
});

describe('a 429', () => {
  it.each<[string, Step[], Partial<Learned>]>([
    [
      'after as many answers in a minute as the plan allows is of a window',
      [...answers(10), [0.2, 0.4, REFUSED, { underWay: 8 }]],
      { window: 10, capacity: undefined },
    ],
    [
      'after one fewer as well: one answer may have failed',
      [...answers(9), [0.2, 0.4, REFUSED, { underWay: 8 }]],
      { window: 9 },
    ],
    [
      'in a burst after fewer means a smaller burst',
      [...answers(6), [0.2, 0.4, REFUSED, { underWay: 8 }]],
      { window: undefined, capacity: 9 },
    ],
    [
      'in a burst after more, too',
      [...answers(14), [0.2, 0.4, REFUSED, { underWay: 4 }]],
      { window: undefined, capacity: 9 },
    ],
    [
      'that overtakes answers is understood when these have come',
      [...answers(6), [0.2, 0.4, REFUSED, { underWay: 8 }], ...answers(4, 0.2, 0.6)],
      { window: 10, capacity: undefined },
    ],
    [
      'is not changed by what left after it was known',
      [...answers(6), [0.2, 0.4, REFUSED, { underWay: 8 }], ...answers(4, 0.5, 0.7)],
      { window: undefined, capacity: 9 },
    ],
    [
      'together with others is one',
      [...answers(4), ...Array.from({ length: 5 }, (): Step => [0.2, 0.4, REFUSED, { underWay: 8 }])],
      { capacity: 9 },
    ],
    [
      'again is another',
      [...answers(4), [0.2, 0.4, REFUSED, { underWay: 8 }], ...answers(4, 10), [10.2, 10.4, REFUSED, { underWay: 8 }]],
      { capacity: 4 },
    ],
    [
      'at a steady pace says nothing of the burst',
      [...Array.from({ length: 10 }, (_, n): Step => [6 * n, 6 * n + 0.2]), [60, 60.2, REFUSED]],
      { window: undefined, capacity: undefined },
    ],
    [
      'of a probe, or of a spent day, says nothing',
      [...answers(10), [0.2, 0.4, REFUSED, { isOfPace: false }]],
      { window: undefined, capacity: undefined },
    ],
    [
      'with a wait of more than a minute says nothing of the burst',
      [...answers(5), [0.2, 0.4, { kind: 'rateLimited', statedMs: 61_000 }, { underWay: 8 }]],
      { capacity: undefined },
    ],
    [
      'with a penalty shows the window all the same',
      [...answers(10), [0.2, 0.4, { kind: 'rateLimited', statedMs: 120_000 }, { underWay: 8 }]],
      { window: 10 },
    ],
  ])('%s', (_, steps, learned) => {
    expect(learnedFrom(steps)).toMatchObject(learned);
  });

  it('within a known window means that somebody else uses it, too', () => {
    const window = learnedFrom([...answers(10), [0.2, 0.4, REFUSED, { underWay: 8 }]]);
    const shared = learnedFrom([...answers(7, 70), [70.2, 70.4, REFUSED, { underWay: 2 }]], window);
    expect(shared.window).toBe(7);
    expect(learnedFrom([...answers(2, 140), [140.2, 140.4, REFUSED, { underWay: 2 }]], shared).window).toBe(7);
  });

  it('is never taken for a window below one', () => {
    const refusal = { knownAtMs: 0, served: 0, isSteady: false, isOfBurst: true, window: undefined, capacity: 4 };
    expect(meaningOf(refusal, { intervalMs: 60_000, capacity: 9 })).toEqual({ window: undefined, capacity: 2 });
  });

  it('is never taken for a burst below one', () => {
    const refusal = { knownAtMs: 0, served: 0, isSteady: false, isOfBurst: true, window: undefined, capacity: 1 };
    expect(meaningOf(refusal, FREE).capacity).toBe(1);
  });
});

describe('a window', () => {
  const FULL = learnedFrom([...answers(10), [0.2, 0.4, REFUSED, { underWay: 8 }]]);

  it('lets the next one through a minute after the end of an earlier one, refused ones included', () => {
    const nowMs = START_MS + 400;
    const slots = windowSlotsMs(FULL, 0, nowMs);
    expect(slots).toHaveLength(10);
    expect(Math.min(...slots)).toBeGreaterThanOrEqual(START_MS + 200 + WINDOW_MS);
    expect(Math.max(...slots)).toBeLessThanOrEqual(START_MS + 400 + WINDOW_MS + 250);
  });

  it('is free again after that, less what is under way', () => {
    const nowMs = START_MS + 61_000;
    expect(windowSlotsMs(FULL, 3, nowMs).filter((atMs) => atMs <= nowMs)).toHaveLength(7);
  });

  it('has no places while none is known', () => {
    expect(windowSlotsMs(NOTHING_LEARNED, 5, START_MS)).toEqual([]);
  });
});

describe('what was learned', () => {
  const WINDOW = learnedFrom([...answers(10), [0.2, 0.4, REFUSED, { underWay: 8 }]]);
  const quietly = (known: Learned, fromS: number): Learned => learnedFrom([[fromS, fromS + 0.2]], known);

  it('is tried again one step after each quiet quarter of an hour: a burst of the window, twice the burst, the plan', () => {
    let known = WINDOW;
    const steps = [1, 2, 3].map((quarter) => {
      known = quietly(known, 1 + (quarter * QUIET_MS) / 1_000);
      return { window: known.window, capacity: known.capacity };
    });
    expect(steps).toEqual([
      { window: undefined, capacity: 10 },
      { window: undefined, capacity: undefined },
      { window: undefined, capacity: undefined },
    ]);
  });

  it.each<Partial<Learned>>([{ capacity: 1 }, { capacity: 4 }, { window: 2 }])(
    'is tried again when one request a minute came: %o',
    (learned) => {
      let known: Learned = { ...quietly(NOTHING_LEARNED, 0), ...learned };
      for (let minute = 1; minute <= 100; minute++) known = quietly(known, 61 * minute);
      expect(known).toMatchObject({ window: undefined, capacity: undefined });
    },
  );

  it.each([1, 2, 4, 9])('is not tried again while one more comes than a burst of %i, time and again', (capacity) => {
    let known: Learned = { ...quietly(NOTHING_LEARNED, 0), capacity };
    for (let minute = 2; minute <= 100; minute += 2) {
      known = learnedFrom([...answers(capacity, 60 * minute), ...answers(1, 60 * minute + 6)], known);
    }
    expect(known.capacity).toBe(capacity);
  });

  it('is not tried again while it holds requests back', () => {
    let known = WINDOW;
    for (let minute = 1; minute <= 40; minute++) known = learnedFrom(answers(10, 61 * minute), known);
    expect(known.window).toBe(10);
  });

  it('is forgotten with the plan that it was learned under', () => {
    const pro = { intervalMs: 600, capacity: 199 };
    expect(learnedFrom([[100, 100.2]], WINDOW, pro)).toMatchObject({
      window: undefined,
      capacity: undefined,
      isStarting: true,
    });
  });

  it('keeps a minute of what ended, in few entries', () => {
    const business = { intervalMs: 120, capacity: 999 };
    const steps = Array.from({ length: 2_000 }, (_, n): Step => [n * 0.06, n * 0.06 + 0.1]);
    expect(learnedFrom(steps, NOTHING_LEARNED, business).ended.length).toBeLessThanOrEqual(241);
  });

  it('means the same by another clock', () => {
    const byMs = 3_600_000;
    const slots = (known: Learned, nowMs: number) => windowSlotsMs(known, 2, nowMs).map((atMs) => atMs - nowMs);
    expect(slots(shiftedLearned(WINDOW, byMs), START_MS + 500 + byMs)).toEqual(slots(WINDOW, START_MS + 500));
  });
});
