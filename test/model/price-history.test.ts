import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_POINTS, type PricePoint, priceCurve, weekChange, withPrice } from '../../src/model/price-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

/** The history of a card that was priced at these times. */
function seenAt(timesMs: readonly number[]): PricePoint[] {
  return timesMs.reduce<PricePoint[]>((history, atMs, index) => withPrice(history, [atMs, index]), []);
}

describe('a price history', () => {
  it('has one point an hour, the last of that hour', () => {
    expect(seenAt([NOW_MS, NOW_MS + 1, NOW_MS + HOUR_MS])).toEqual([
      [NOW_MS + 1, 1],
      [NOW_MS + HOUR_MS, 2],
    ]);
  });

  it('forgets points from the future: the clock was set back', () => {
    expect(seenAt([NOW_MS + WEEK_MS, NOW_MS])).toEqual([[NOW_MS, 1]]);
  });

  it('of a card priced every hour for months has hours for a week, days for a quarter, weeks before that, and 200 points at most', () => {
    const history = seenAt(Array.from({ length: 150 * 24 }, (_, hour) => NOW_MS + hour * HOUR_MS));
    const lastMs = history.at(-1)?.[0] ?? 0;
    const within = (fromMs: number, toMs: number) =>
      history.filter(([atMs]) => lastMs - atMs >= fromMs && lastMs - atMs < toMs).length;
    expect(history).toHaveLength(MOST_POINTS);
    expect(within(0, WEEK_MS)).toBe(7 * 24);
    expect(within(WEEK_MS, 13 * WEEK_MS)).toBe(MOST_POINTS - 7 * 24);
  });

  it('of a card priced once a day for years has days for a quarter, and weeks before that', () => {
    const history = seenAt(Array.from({ length: 2 * 365 }, (_, day) => NOW_MS + day * DAY_MS));
    expect(history.length).toBeLessThanOrEqual(MOST_POINTS);
    const ages = history.map(([atMs]) => ((history.at(-1)?.[0] ?? 0) - atMs) / DAY_MS);
    expect(ages.filter((days) => days <= 91)).toHaveLength(92);
    expect(ages.filter((days) => days > 91).length).toBeCloseTo((2 * 365 - 92) / 7, -1);
  });

  it('is ordered and bounded, keeps the newest price, and is the same when thinned again', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 * DAY_MS }), fc.double({ noNaN: true })), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (given) => {
        let atMs = NOW_MS;
        let history: PricePoint[] = [];
        for (const [stepMs, market] of given) {
          atMs += stepMs;
          history = withPrice(history, [atMs, market]);
        }
        expect(history.length).toBeLessThanOrEqual(MOST_POINTS);
        expect(history.at(-1)).toEqual([atMs, given.at(-1)?.[1]]);
        expect(history.map(([pointMs]) => pointMs)).toEqual(
          history.map(([pointMs]) => pointMs).toSorted((a, b) => a - b),
        );
        expect(withPrice(history, history.at(-1) ?? [0, 0])).toEqual(history);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the change of a price', () => {
  const at = (ms: number, market: number): PricePoint => [NOW_MS + ms, market];

  it.each<[string, PricePoint[], ReturnType<typeof weekChange>]>([
    ['is unknown without a price', [], undefined],
    ['is unknown within a week', [at(-WEEK_MS + 1, 10), at(0, 11)], undefined],
    ['is that of a week', [at(-WEEK_MS, 10), at(0, 11)], { share: expect.closeTo(0.1), days: 7 }],
    [
      'starts at the last point that is a week old',
      [at(-9 * DAY_MS, 1), at(-8 * DAY_MS, 20), at(-DAY_MS, 5), at(0, 10)],
      { share: -0.5, days: 8 },
    ],
    ['says nothing of more than a month', [at(-31 * DAY_MS, 10), at(0, 11)], undefined],
    ['is none from nothing', [at(-WEEK_MS, 0), at(0, 11)], undefined],
  ])('%s', (_, history, change) => {
    expect(weekChange(history)).toEqual(change);
  });
});

describe('a price curve', () => {
  it('needs five points', () => {
    expect(priceCurve(seenAt([0, 1, 2, 3].map((hour) => NOW_MS + hour * HOUR_MS)))).toBeUndefined();
  });

  it('has columns of equal time, the last of which ends with the present price', () => {
    const hours = [0, 1, 2, 3, 10];
    const history = seenAt(hours.map((hour) => NOW_MS + hour * HOUR_MS));
    expect(priceCurve(history)).toEqual({ sinceMs: NOW_MS, lowest: 0, highest: 4, prices: [2, 3, 3, 3, 4] });
  });
});
