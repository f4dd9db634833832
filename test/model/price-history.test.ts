import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawableDays,
  extremes,
  lastDays,
  type PricePoint,
  priceCurve,
  weekChange,
  withPoint,
} from '../../src/model/price-history.ts';
import { DAY_MS } from '../../src/time/utc-day.ts';
import { table } from '../table.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

/** The history of a card that was priced at these times. */
function seenAt(timesMs: readonly number[]): PricePoint[] {
  return timesMs.reduce<PricePoint[]>((history, atMs, index) => withPoint(history, [atMs, index]), []);
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

  it('of a card priced every hour for months has hours for two days, quarters of a day for a week, days for a quarter, weeks for a year', () => {
    const history = seenAt(Array.from({ length: 120 * 24 }, (_, hour) => NOW_MS + hour * HOUR_MS));
    const lastMs = history.at(-1)?.[0] ?? 0;
    const within = (fromDays: number, toDays: number) =>
      history.filter(([atMs]) => lastMs - atMs > fromDays * DAY_MS && lastMs - atMs <= toDays * DAY_MS).length;
    expect(history.length).toBeLessThanOrEqual(200);
    expect([within(-1, 2), within(2, 7), within(7, 91), within(91, 365)]).toEqual([49, 21, 85, 5]);
  });

  it('forgets a price after a year', () => {
    const aYearAgoMs = NOW_MS - 365 * DAY_MS;
    expect(seenAt([aYearAgoMs, NOW_MS])).toHaveLength(2);
    expect(seenAt([aYearAgoMs - 1, NOW_MS])).toHaveLength(1);
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
          history = withPoint(history, [atMs, market]);
        }
        expect(history.length).toBeLessThanOrEqual(200);
        expect(history.at(-1)).toEqual([atMs, given.at(-1)?.[1]]);
        expect(history).toEqual(history.toSorted(([a], [b]) => a - b));
        expect(withPoint(history, history.at(-1) ?? [0, 0])).toEqual(history);
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
  ])('%s', (_, history, change) => {
    expect(weekChange(history)).toEqual(change);
  });
});

describe('a price curve', () => {
  it.each([
    ['needs five points', [0, 1, 2, 3], []],
    ['has columns of equal time, the last of which ends with the present price', [0, 1, 2, 3, 10], [2, 3, 3, 3, 4]],
  ])('%s', (_, hours, curve) => {
    expect(priceCurve(seenAt(hours.map((hour) => NOW_MS + hour * HOUR_MS)))).toEqual(curve);
  });
});

it('of several lowest and highest prices, the last counts', () => {
  const history: PricePoint[] = [2, 5, 1, 5, 1, 3].map((price, day) => [day, price]);
  expect(extremes(history)).toEqual({ first: [0, 2], last: [5, 3], lowest: [4, 1], highest: [3, 5] });
});

describe('the days that can be drawn', () => {
  it.each(table`
    are none without three points | 2 0 |
    are none within a day | 0.9 0.5 0 |
    are seven from three points over a day on | 1 0.5 0 | 7
    are no more than show more | 8 3 2 0 | 30 7
    are all of a long history, the longest first | 60 20 3 2 1 | 90 30 7
    are none of long ago | 120 110 100 |
    are only those with three points in them | 60 50 5 0 | 90
  `)('%s: of points %s days ago %s', (_, daysAgo = '', drawable) => {
    const history = daysAgo.split(' ').map((day): PricePoint => [NOW_MS - Number(day) * DAY_MS, 1]);
    const days = drawableDays(history, NOW_MS);
    expect(days.join(' ')).toBe(drawable);
    for (const each of days) expect(lastDays(history, each, NOW_MS).length).toBeGreaterThanOrEqual(3);
  });
});
