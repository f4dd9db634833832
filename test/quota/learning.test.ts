import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import {
  type Learned,
  mostOfRefill,
  NOTHING_LEARNED,
  refusedWeighMs,
  sharedOut,
  WINDOW_MS,
  windowSlotsMs,
} from '../../src/quota/learned.ts';
import { learnFrom } from '../../src/quota/learning.ts';
import { INITIAL_LIMITER_STATE, shifted } from '../../src/quota/limiter-state.ts';
import { learnedPace } from '../../src/quota/pace.ts';
import { shownBy } from '../../src/quota/refusals.ts';

const EVEN_TEN = { window: 10, refill: 'evenly' } as const;
/** Free's: ten a minute, a burst of twenty less one. */
const FREE = { intervalMs: 6_000, capacity: 19 };
const PRO = { intervalMs: 600, capacity: 199 };
const ANSWERED: RequestOutcome = { kind: 'answered' };
const REFUSED: RequestOutcome = { kind: 'rateLimited', statedMs: 60_000 };
const DOWN: RequestOutcome = { kind: 'serviceDown' };
const START_MS = 1_000_000;
const QUIET_MS = 15 * 60_000;
const REFUSAL = { ...NOTHING_LEARNED, knownAtMs: 0, served: 0, isSteady: false, isOfBurst: true };

/** A request: when it left and when it ended, in seconds from the start, and how. */
type Step = [
  leftS: number,
  endedS: number,
  outcome?: RequestOutcome,
  more?: { underWay?: number; isOfPace?: boolean; isProbe?: boolean },
];

function learnedFrom(steps: readonly Step[], known: Learned = NOTHING_LEARNED, planned = FREE): Learned {
  return steps.reduce(
    (learned, [leftS, endedS, outcome = ANSWERED, { underWay = 0, isOfPace = true, isProbe = false } = {}]) =>
      learnFrom(learned, {
        leftAtMs: START_MS + leftS * 1_000,
        nowMs: START_MS + endedS * 1_000,
        outcome,
        underWay,
        planned,
        isOfPace,
        isProbe,
      }),
    known,
  );
}

/** Left with the first, and came when nothing else was under way. */
const LATE: Step = [0, 6.2];
const LATE_AGAIN: Step = [6.3, 13];

/** Answered at once, beside so many others. */
function prompt(underWay: number): Step {
  return [0, 0.2, ANSWERED, { underWay }];
}

function refused(underWay: number, leftS = 0.2): Step {
  return [leftS, leftS + 0.2, REFUSED, { underWay }];
}

/** A refusal that states so long a wait, beside so many others. */
function penalty(statedMs: number, underWay: number, leftS = 0.2): Step {
  return [leftS, leftS + 0.2, { kind: 'rateLimited', statedMs }, { underWay }];
}

function times(count: number, step: (n: number) => Step): Step[] {
  return Array.from({ length: count }, (_, n) => step(n));
}

function answers(count: number, leftS = 0, endedS = leftS + 0.2): Step[] {
  return times(count, () => [leftS, endedS]);
}

describe('requests under way', () => {
  it.each<[string, Step[], number]>([
    ['begin at two', [], 2],
    ['are one more after each prompt answer while so many are in use', [prompt(1), prompt(2)], 4],
    ['are no more when fewer were in use', [prompt(1), [1, 1.2], [2, 2.2]], 3],
    ['are never more than the burst', times(40, () => prompt(30)), 20],
    ['are as many after late answers to requests alone: no limiter delays those', [prompt(1), [20, 26], [40, 46]], 3],
    [
      'are as many after answers to what left before the clock was set back',
      [prompt(1), [3_600, 1, ANSWERED, { underWay: 2 }], [2, 2.3, ANSWERED, { underWay: 3 }]],
      5,
    ],
    ['are as many as before after an answer within the time that latency wanders', [prompt(1), [0, 3.2]], 3],
    ['are known to be as many after one late answer', [prompt(1), LATE], 3],
    ['are as many after others that were late together', [...times(9, () => prompt(9)), LATE, LATE, LATE], 11],
    ['are one fewer after the second late answer in a row', [...times(9, () => prompt(9)), LATE, LATE_AGAIN], 10],
    [
      'are one fewer still after a prompt one to what had left before the first was known',
      [...times(9, () => prompt(9)), LATE, [6.1, 6.3], LATE_AGAIN],
      10,
    ],
    ['are as many when a prompt one was between', [...times(9, () => prompt(9)), LATE, [7, 7.2], [8, 15]], 11],
    ['are as many after a timeout with no answer meanwhile: that is an outage', [prompt(1), [1, 11, DOWN]], 3],
    ['are half after a timeout while others were answered', [...times(6, () => prompt(9)), [0, 10, DOWN]], 4],
    ['are as many after an answer that came late with nothing to compare', [[0, 8, ANSWERED, { underWay: 1 }]], 3],
  ])('%s', (_, steps, inFlight) => {
    expect(Math.floor(learnedFrom(steps).inFlight)).toBe(inFlight);
  });

  it.each<[string, typeof FREE, number, boolean]>([
    ['by ¾ of the time in which a token comes', FREE, 4.5, false],
    ['by more than that', FREE, 4.51, true],
    ['by 4 s, where tokens come faster', PRO, 4, false],
    ['by more than 4 s', PRO, 4.01, true],
  ])('see an answer that is slower than the fastest %s', (_, planned, delayS, isLate) => {
    const { late } = learnedFrom(
      [
        [0, 0.2],
        [1, 1.2 + delayS, ANSWERED, { underWay: 1 }],
      ],
      NOTHING_LEARNED,
      planned,
    );
    expect(late !== undefined).toBe(isLate);
  });

  it.each([
    ['for ten minutes', 600, true],
    ['and for no longer', 600.1, false],
  ])('have the fastest answer for their measure %s', (_, afterS, isLate) => {
    const endedS = 0.2 + afterS;
    expect(
      learnedFrom([
        [0, 0.2],
        [endedS - 6, endedS, ANSWERED, { underWay: 1 }],
      ]).late !== undefined,
    ).toBe(isLate);
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

  it.each<[string, Step[], number, Step?]>([
    ['no more than were when it came', [], 1],
    ['as many still when a prompt one comes to what had left before', [[6, 6.3]], 1],
    ['as many as before after a prompt one to what left later', [[6.3, 6.5]], 11],
    ['no more after another late one', [LATE_AGAIN], 1],
    ['no more than were beside it', [], 4, [0, 6.2, ANSWERED, { underWay: 4 }]],
  ])('are after a late answer %s', (_, steps, most, late = LATE) => {
    const learned = learnedFrom([...times(9, () => prompt(9)), late, ...steps]);
    expect(Math.floor(sharedOut(learned, 1).inFlight)).toBe(most);
  });

  it.each([
    [10, 3, 3],
    [7, 2, 3],
    [2, 3, 1],
  ])('are shared out while isolated: of a window of %i, each of %i processes has %i', (window, processes, most) => {
    expect(sharedOut({ ...NOTHING_LEARNED, window }, processes).window).toBe(most);
  });

  it('leave no larger burst after the second late answer in a row, and grow by one in a round from then on', () => {
    expect(learnedFrom([...times(9, () => prompt(9)), LATE, LATE_AGAIN])).toMatchObject({
      capacity: 10,
      isStarting: false,
    });
  });

  it('leave no burst to a limiter that delays, and grow by one in a round from then on', () => {
    const delayed = learnedFrom([prompt(1), [0, 10, DOWN]]);
    expect(delayed).toMatchObject({ capacity: 1, inFlight: 1, isStarting: false });
    expect(learnedFrom([[11, 11.2]], delayed).inFlight).toBe(2);
    expect(
      learnedFrom(
        [
          [11, 11.2],
          [12, 12.2, ANSWERED, { underWay: 1 }],
        ],
        delayed,
      ).inFlight,
    ).toBe(2.5);
  });

  it('are in use without the one that they are on the way to', () => {
    const between = { ...learnedFrom([prompt(1), [0, 10, DOWN]]), inFlight: 2.5 };
    expect(learnedFrom([[11, 11.2, ANSWERED, { underWay: 1 }]], between).inFlight).toBe(2.9);
  });
});

describe('requests that were given up', () => {
  it.each<[string, Step[], number]>([
    ['hold the next back for as long as they weigh', times(3, () => [0, 10, DOWN]), 28],
    ['weigh nothing in an outage: no answer came meanwhile, nor just before', times(3, () => [0.6, 10.6, DOWN]), 0],
    ['weigh when an answer let them leave', [[0.44, 10.44, DOWN]], 16.44],
    ['weigh nothing when they left a quarter of a second after it', [[0.45, 10.45, DOWN]], 0],
    [
      'weigh although no answer came meanwhile, if they left before the silence is over',
      [
        [0, 10, DOWN],
        [6, 16, DOWN],
      ],
      22,
    ],
    ['weigh nothing when they were refused at once', [[0, 0.4, DOWN]], 0],
  ])('%s', (_, steps, untilS) => {
    const { heldUntilMs } = learnedFrom([prompt(1), ...steps]);
    expect(heldUntilMs).toBe(untilS && START_MS + untilS * 1_000);
  });
});

describe('a 429', () => {
  const A_WINDOW = { window: 10, capacity: undefined };
  const A_BURST = { window: undefined, capacity: 9 };
  const NOTHING = { window: undefined, capacity: undefined };

  it.each<[string, Step[], Partial<Learned>]>([
    ['after as many answers as the plan allows is of a window', [...answers(10), refused(8)], A_WINDOW],
    ['after one fewer as well: one answer may have failed', [...answers(9), refused(8)], { window: 9 }],
    ["after one more as well, of the plan's rate", [...answers(11), refused(8)], A_WINDOW],
    ['in a burst after fewer means a smaller burst', [...answers(8), refused(8)], A_BURST],
    ['in a burst after more, too', [...answers(12), refused(4)], A_BURST],
    ['that overtakes answers is understood with these', [...answers(6), refused(8), ...answers(4, 0.2, 0.6)], A_WINDOW],
    ['is not changed by what left after it was known', [...answers(6), refused(8), ...answers(4, 0.5, 0.7)], A_BURST],
    ['together with others is one', [...answers(4), ...times(5, () => refused(8))], { capacity: 9 }],
    ['again is another', [...answers(4), refused(8), ...answers(4, 10), refused(8, 10.2)], { capacity: 4 }],
    [
      'at a steady pace says nothing of the burst',
      [...times(10, (n) => [6 * n, 6 * n + 0.2]), [60, 60.2, REFUSED]],
      NOTHING,
    ],
    [
      'at no steady pace is one to a burst: three came in the time of two tokens',
      [...[50, 53, 57].map((atS): Step => [atS, atS + 0.2]), [60, 60.2, REFUSED]],
      A_BURST,
    ],
    ['of a spent day says nothing', [...answers(10), [0.2, 0.4, REFUSED, { isOfPace: false }]], NOTHING],
    [
      'of a probe says nothing while no window is known',
      [...answers(10), [0.2, 0.4, REFUSED, { isProbe: true }]],
      NOTHING,
    ],
    ['that states over a minute says nothing of it', [...answers(5), penalty(61_000, 8)], { capacity: undefined }],
    ['with a penalty shows the window all the same', [...answers(10), penalty(120_000, 8)], { window: 10 }],
  ])('%s', (_, steps, learned) => {
    expect(learnedFrom(steps)).toMatchObject(learned);
  });
});

describe('the interval', () => {
  const STEADY = (atS: number, statedMs?: number): Step => [atS, atS + 0.2, { kind: 'rateLimited', statedMs }];
  const NONE_IN_AN_HOUR: Step = [3_620, 3_620.2];

  it.each<[string, Step[], number]>([
    ["is the plan's after one 429 at a steady pace", [STEADY(6)], 6_000],
    ['is 2 % longer after the second in a row', [STEADY(6), [7, 7.2], STEADY(13)], 6_120],
    ['is longer by 2 % for each further one', [STEADY(6), STEADY(13), STEADY(20)], 6_242.4],
    ['is longer where a wait of a second is stated', [STEADY(6, 1_000), STEADY(13, 1_000)], 6_120],
    ['is no longer where a wait is stated that is more than too early', [STEADY(6, 1_001), STEADY(13, 1_001)], 6_000],
    ['is longer when a minute was between', [STEADY(6), STEADY(66)], 6_120],
    ['is no longer when more than a minute was between', [STEADY(6), STEADY(66.1)], 6_000],
    ['is no longer after a 429 to a burst and one at a steady pace', [...answers(4), refused(8), STEADY(20)], 6_000],
    ['is no longer after 429s to bursts', [...answers(4), refused(8), ...answers(4, 10), refused(8, 10.2)], 6_000],
    ['is no longer than twice as long', times(60, (n) => STEADY(6 * n)), 12_000],
    [
      'is as long within an hour of the last of these 429s, were it one alone',
      [STEADY(6), STEADY(13), STEADY(3_000), [3_700, 3_700.2]],
      6_120,
    ],
    ['is as long within the hour', [STEADY(6), STEADY(13), [3_600, 3_600.2]], 6_120],
    ['is shorter by a step when an hour brought none', [STEADY(6), STEADY(13), STEADY(20), NONE_IN_AN_HOUR], 6_120],
    [
      'is shorter by that step alone until another hour has brought none',
      [STEADY(6), STEADY(13), STEADY(20), NONE_IN_AN_HOUR, [7_200, 7_200.2]],
      6_120,
    ],
    ["is the plan's again in the end", [STEADY(6), STEADY(13), NONE_IN_AN_HOUR], 6_000],
  ])('%s', (_, steps, intervalMs) => {
    const { intervalMs: found } = learnedPace(learnedFrom(steps), FREE);
    expect(Math.abs(found - intervalMs) / intervalMs).toBeLessThan(0.001);
  });
});

it('requests that come too early by a little leave no burst', () => {
  const tooEarly = [6, 13].map((atS): Step => [atS, atS + 0.2, { kind: 'rateLimited' }]);
  expect(learnedFrom(tooEarly)).toMatchObject({ capacity: 1 });
});

it('a 429 at a steady pace shows a window that holds more than the burst', () => {
  const steps = [...times(10, (n): Step => [6 * n, 6 * n + 0.2]), [60, 60.2, REFUSED] as Step];
  expect(learnedFrom(steps, NOTHING_LEARNED, { ...FREE, capacity: 9 }).window).toBe(10);
});

it.each([
  ['window', { capacity: 4 }, { intervalMs: 60_000, capacity: 9 }, { window: undefined, capacity: 2 }],
  ['burst', { capacity: 1 }, FREE, { capacity: 1 }],
])('a 429 is never taken for a %s below one', (_, known, planned, shown) => {
  expect(shownBy({ ...REFUSAL, ...known }, planned)).toMatchObject(shown);
});

describe('a window', () => {
  const [UNTRIED, EVENLY] = [{ window: 10, refill: 'untried' } as const, EVEN_TEN];
  const FULL = learnedFrom([...answers(10), refused(8)]);
  const PROBE_REFUSED: Step = [61, 61.2, REFUSED, { isProbe: true }];
  /** Evenly spaced, as long as it takes from the probe on. */
  const EVEN = learnedFrom([PROBE_REFUSED], FULL);
  const EVEN_FIVE = { ...EVEN, window: 5 };
  /** So many were served within the minute before the next 429. */
  const servedOf = (count: number) => [...answers(count, 100), refused(1, 100.2)];

  it.each<[string, Step[], Learned, Partial<Learned>]>([
    ['is not known at first', [], FULL, UNTRIED],
    ['is evenly when its first request is refused', [PROBE_REFUSED], FULL, EVENLY],
    ['is evenly when a later one of its first refill is refused', [...answers(3, 61), refused(3, 61.2)], FULL, EVENLY],
    ['is evenly when one of its last three is refused', [...answers(8, 61), refused(2, 61.2)], FULL, EVENLY],
    [
      "is evenly at the plan's rate, if one fewer was learned",
      [...answers(9), refused(8), PROBE_REFUSED],
      NOTHING_LEARNED,
      EVENLY,
    ],
    [
      'is not known when a probe that had left before was refused',
      [[4, 5.1, REFUSED, { isProbe: true }]],
      FULL,
      UNTRIED,
    ],
    ['is not known after a penalty of over a minute', [...answers(3, 61), penalty(61_000, 3, 61.2)], FULL, UNTRIED],
    ['is not known after a refill that followed a longer silence', answers(10, 80), FULL, { refill: 'untried' }],
    [
      'is at once when nearly all of a refill was served a minute after the last',
      answers(9, 61),
      FULL,
      { refill: 'atOnce' },
    ],
    ['is not known after less of a refill', answers(8, 61), FULL, UNTRIED],
    ['is at once after a refill within 75 s', answers(10, 74.7), FULL, { refill: 'atOnce' }],
    ['is not known after one that came later', answers(10, 75.2), FULL, UNTRIED],
    [
      'is at once still when somebody else uses a part: the window is smaller',
      [...answers(10, 61), ...answers(7, 122), refused(2, 122.2)],
      FULL,
      { window: 7, refill: 'atOnce' },
    ],
    [
      'is at once still when half is served',
      [...answers(10, 61), ...answers(5, 122), refused(2, 122.2)],
      FULL,
      { window: 5, refill: 'atOnce' },
    ],
    [
      'is not known any more when less than half is served',
      [...answers(10, 61), ...answers(4, 122), refused(2, 122.2)],
      FULL,
      UNTRIED,
    ],
    [
      'is at once still, and of as many, when one more is refused',
      [...answers(10, 61), ...answers(11, 122), refused(2, 122.2)],
      FULL,
      { window: 10, refill: 'atOnce' },
    ],
    [
      'says nothing when a probe is refused once it is known',
      [[100, 100.2, REFUSED, { isProbe: true }]],
      EVEN,
      EVEN_TEN,
    ],
    ['is evenly at less when that is refused, too', [[100, 100.2, REFUSED]], EVEN, { window: 9, refill: 'evenly' }],
    ["is evenly at half the plan's rate at least", [[100, 100.2, REFUSED]], EVEN_FIVE, { window: 5, refill: 'evenly' }],
    ['is evenly at less after less than half', servedOf(4), EVEN, { window: 9, refill: 'evenly' }],
    ['was at once, with somebody else, after half', servedOf(5), EVEN, { window: 5, refill: 'atOnce' }],
    ['was at once, with somebody else, after two fewer', servedOf(8), EVEN, { window: 8, refill: 'atOnce' }],
    ['is evenly at less after one fewer', servedOf(9), EVEN, { window: 9, refill: 'evenly' }],
    [
      'was at once, with somebody else, when evenly spaced requests are refused after a part of a minute',
      [...times(6, (n) => [100 + 6 * n, 100.2 + 6 * n]), [136, 136.2, REFUSED]],
      EVEN,
      { window: 6, refill: 'atOnce' },
    ],
    [
      'is evenly still when many were served shortly before it was known to be',
      times(2, (n) => [66 + 6 * n, 66.2 + 6 * n]),
      learnedFrom([...answers(8, 60.5), refused(2, 60.7)], FULL),
      EVENLY,
    ],
    ['is tried at once again after a quiet quarter of an hour', [[1_000, 1_000.2]], EVEN, UNTRIED],
    [
      'is not tried again while one request waits for another',
      Array.from({ length: 80 }, (_, n): Step[] => [
        [60 * n + 100, 60 * n + 100.2],
        [60 * n + 106, 60 * n + 106.2],
      ]).flat(),
      EVEN,
      EVEN_TEN,
    ],
  ])('refills: %s', (_, steps, known, expected) => {
    const { window, refill } = learnedFrom(steps, known);
    expect({ window, refill }).toMatchObject(expected);
  });

  it('begins its first refill with one request, and three more for each that is answered', () => {
    const mostAt = (steps: Step[], atS: number) => mostOfRefill(learnedFrom(steps, FULL), START_MS + atS * 1_000);
    expect([mostAt([], 61), mostAt([[61, 61.2]], 61.2), mostAt(answers(2, 61), 61.2)]).toEqual([1, 4, 7]);
    expect([mostAt([[61, 61.2]], 72), mostAt(answers(10, 61), 72)]).toEqual([1, Number.POSITIVE_INFINITY]);
  });

  it.each<[string, Step[], Learned, number]>([
    ['says nothing of a silence while it is not known to fade', [], FULL, 0],
    ['that fades is filled by its refused requests: 2 of 12, and the next one', [PROBE_REFUSED], FULL, 16],
    ['is filled only by those since the last answer', [...answers(1, 100), [106, 106.2, REFUSED]], EVEN, 13.3],
  ])('%s', (_, steps, known, seconds) => {
    const lastS = steps.at(-1)?.[1] ?? 0;
    expect(refusedWeighMs(learnedFrom(steps, known), START_MS + lastS * 1_000) / 1_000).toBeCloseTo(seconds, 1);
  });

  it('that fades is one fewer a minute after each 429, without a longer interval besides', () => {
    const again = [100, 107].map((atS): Step => [atS, atS + 0.2, { kind: 'rateLimited' }]);
    expect(learnedFrom(again, EVEN)).toMatchObject({ window: 8, slower: undefined });
  });

  it('that fades has no places: it is a slow bucket', () => {
    expect(windowSlotsMs(EVEN, 0, START_MS + 61_200)).toEqual([]);
    expect(learnedPace(EVEN, FREE)).toEqual({ intervalMs: 6_000, capacity: 1 });
    expect(learnedPace({ ...EVEN, window: 5 }, FREE)).toEqual({ intervalMs: 12_000, capacity: 1 });
  });

  it('lets the next one through a minute after the end of an earlier one, refused ones included', () => {
    const nowMs = START_MS + 400;
    const slots = windowSlotsMs(FULL, 0, nowMs);
    expect(slots).toHaveLength(10);
    expect(Math.min(...slots)).toBeGreaterThanOrEqual(START_MS + 200 + WINDOW_MS);
    expect(Math.max(...slots)).toBeLessThanOrEqual(START_MS + 400 + WINDOW_MS + 250);
    const { ended } = learnedFrom([refused(0)]);
    expect(windowSlotsMs({ window: 2, refill: 'atOnce', ended }, 0, nowMs)).toEqual([nowMs, expect.any(Number)]);
    expect(windowSlotsMs({ window: 1, refill: 'atOnce', ended }, 0, nowMs)[0]).toBeGreaterThan(nowMs);
  });

  it('lets the next one through a minute and two seconds after an earlier one left whose answer took longer', () => {
    const { ended } = learnedFrom([[0, 30]]);
    const [slotMs = 0] = windowSlotsMs({ window: 1, refill: 'atOnce', ended }, 0, START_MS + 30_000);
    expect(slotMs).toBeGreaterThanOrEqual(START_MS + 2_000 + WINDOW_MS);
    expect(slotMs).toBeLessThanOrEqual(START_MS + 2_000 + WINDOW_MS + 250);
  });

  it('is free again after that, less what is under way', () => {
    const nowMs = START_MS + 61_000;
    expect(windowSlotsMs(FULL, 3, nowMs).filter((atMs) => atMs <= nowMs)).toHaveLength(7);
  });

  it('has no place that is taken for longer than a minute from now, by a clock that is ahead neither', () => {
    for (const aheadMs of [0, 30_000]) {
      const ended: Learned['ended'] = [[(START_MS + aheadMs) / 250, 1, 0]];
      expect(windowSlotsMs({ window: 1, refill: 'atOnce', ended }, 0, START_MS)).toEqual([START_MS + WINDOW_MS]);
    }
  });

  it('has no places while none is known', () => {
    expect(windowSlotsMs(NOTHING_LEARNED, 5, START_MS)).toEqual([]);
  });
});

describe('what was learned', () => {
  const WINDOW = learnedFrom([...answers(10), refused(8)]);
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

  it('is a window that is tried again after a quiet quarter of an hour, and not before', () => {
    expect([quietly(WINDOW, 900).window, quietly(WINDOW, 901).window]).toEqual([10, undefined]);
  });

  it('is a burst that is tried again after two quiet minutes, then after twice as long each time', () => {
    let known: Learned = { ...quietly(NOTHING_LEARNED, 0), capacity: 1, quietSinceMs: START_MS };
    const found: [atS: number, capacity: number | undefined][] = [];
    for (let atS = 0; atS < 3_600; atS += 60) {
      const { capacity } = known;
      known = quietly(known, atS);
      if (known.capacity !== capacity) found.push([atS, known.capacity]);
    }
    expect(found).toEqual([
      [120, 2],
      [360, 4],
      [840, 8],
      [1_740, 16],
      [2_640, undefined],
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
    for (let minute = 1; minute <= 100; minute++) {
      known = learnedFrom([...answers(capacity, 60 * minute), ...answers(1, 60 * minute + 6)], known);
    }
    expect(known.capacity).toBe(capacity);
  });

  it.each([2, 4, 9])('is tried again where no more come than a burst of %i holds', (capacity) => {
    let known: Learned = { ...quietly(NOTHING_LEARNED, 0), capacity };
    for (let minute = 1; minute <= 5; minute++) known = learnedFrom(answers(capacity, 61 * minute), known);
    expect(known.capacity).not.toBe(capacity);
  });

  it('is not tried again while it holds requests back', () => {
    let known = WINDOW;
    for (let minute = 1; minute <= 40; minute++) known = learnedFrom(answers(10, 61 * minute), known);
    expect(known.window).toBe(10);
  });

  it.each<[string, Step[]]>([
    ['a 429', [[60, 60.2, { kind: 'rateLimited', statedMs: 61_000 }]]],
    [
      'two late answers in a row',
      [
        [60, 66.3, ANSWERED, { underWay: 1 }],
        [66.4, 73, ANSWERED, { underWay: 1 }],
      ],
    ],
  ])('is tried again two quiet minutes after %s, and not before', (_, steps) => {
    const known = { ...quietly(NOTHING_LEARNED, 0), capacity: 1, quietSinceMs: START_MS };
    const after = learnedFrom(steps, known);
    expect([quietly(after, 150).capacity, quietly(after, 195).capacity]).toEqual([1, 2]);
  });

  it('is forgotten with the plan, the rate or the burst that it was learned under', () => {
    for (const other of [PRO, { ...FREE, intervalMs: 5_000 }, { ...FREE, capacity: 9 }])
      expect(learnedFrom([[100, 100.2]], { ...WINDOW, isStarting: false }, other)).toMatchObject({
        window: undefined,
        capacity: undefined,
        isStarting: true,
      });
  });

  it('keeps the last 75 s of what ended, in few entries', () => {
    const business = { intervalMs: 120, capacity: 999 };
    const steps = times(1_000, (n) => [n * 0.12, n * 0.12 + 0.1]);
    expect(learnedFrom(steps, NOTHING_LEARNED, business).ended.length).toBeLessThanOrEqual(301);
  });

  it('means the same by another clock', () => {
    const byMs = 3_600_000;
    const slots = (known: Learned, nowMs: number) => windowSlotsMs(known, 2, nowMs).map((atMs) => atMs - nowMs);
    expect(slots(shifted({ ...INITIAL_LIMITER_STATE, learned: WINDOW }, byMs).learned, START_MS + 500 + byMs)).toEqual(
      slots(WINDOW, START_MS + 500),
    );
  });
});
