import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  drawableDays,
  extremes,
  lastDays,
  type PricePoint,
  priceCurve,
  weekChange,
  withPoint,
} from '../../src/model/price-history.ts';
import { DAY_MS } from '../../src/time.ts';
import { expectSaid, table } from '../table.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

/** The history of a card that was priced at these times. */
function seenAt(timesMs: readonly number[]): PricePoint[] {
  return timesMs.reduce<PricePoint[]>((history, atMs, index) => withPoint(history, [atMs, index]), []);
}

it('a price history has one point an hour, the last of that hour', () => {
  expect(seenAt([NOW_MS, NOW_MS + 1, NOW_MS + HOUR_MS])).toEqual([
    [NOW_MS + 1, 1],
    [NOW_MS + HOUR_MS, 2],
  ]);
});

it('a price history forgets points from the future: the clock was set back', () => {
  expect(seenAt([NOW_MS + WEEK_MS, NOW_MS])).toEqual([[NOW_MS, 1]]);
});

it('a long price history has hours for two days, quarters of a day for a week, days for a quarter, weeks for a year', () => {
  const history = seenAt(Array.from({ length: 120 * 24 }, (_, hour) => NOW_MS + hour * HOUR_MS));
  const lastMs = history.at(-1)?.[0] ?? 0;
  const within = (fromDays: number, toDays: number) =>
    history.filter(([atMs]) => lastMs - atMs > fromDays * DAY_MS && lastMs - atMs <= toDays * DAY_MS).length;
  expect(history.length).toBeLessThanOrEqual(200);
  expect([within(-1, 2), within(2, 7), within(7, 91), within(91, 365)]).toEqual([49, 21, 85, 5]);
});

it('a price history forgets a price after a year', () => {
  const aYearAgoMs = NOW_MS - 365 * DAY_MS;
  expect(seenAt([aYearAgoMs, NOW_MS])).toHaveLength(2);
  expect(seenAt([aYearAgoMs - 1, NOW_MS])).toHaveLength(1);
});

it('a price history is ordered and bounded, keeps the newest price, and is the same when thinned again', () => {
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

/** A history in a line, each price with how many days ago it was: `7:30 0:31.26`. */
function historyOf(line: string): PricePoint[] {
  return [...line.matchAll(/(\S+):(\S+)/g)].map(([, days, market]) => [NOW_MS - Number(days) * DAY_MS, Number(market)]);
}

it.each(table`
  is unknown without a price | |
  is unknown within a week | ${7 - 1 / DAY_MS}:10 0:11 |
  is that of a week | 7:10 0:11 | 10% in 7 days
  starts at the last point that is a week old | 9:1 8:20 1:5 0:10 | -50% in 8 days
  says nothing of more than a month | 31:10 0:11 |
`)(
  'the change of a price %s',
  expectSaid((history) => {
    const { share, days } = weekChange(historyOf(history)) ?? {};
    return share === undefined ? '' : `${Number((share * 100).toFixed(6))}% in ${days} days`;
  }),
);

it('a price curve needs five points, and has columns of equal time, the last of which ends with the present price', () => {
  const curve = (...hours: number[]) => priceCurve(seenAt(hours.map((hour) => NOW_MS + hour * HOUR_MS)));
  expect([curve(0, 1, 2, 3), curve(0, 1, 2, 3, 10)]).toEqual([[], [2, 3, 3, 3, 4]]);
});

it('of several lowest and highest prices, the last counts', () => {
  const history: PricePoint[] = [2, 5, 1, 5, 1, 3].map((price, day) => [day, price]);
  expect(extremes(history)).toEqual({ first: [0, 2], last: [5, 3], lowest: [4, 1], highest: [3, 5] });
});

it.each(table`
  are none without three points | 2 0 |
  are none within a day | 0.9 0.5 0 |
  are seven from three points over a day on | 1 0.5 0 | 7
  are no more than show more | 8 3 2 0 | 30 7
  are all of a long history, the longest first | 60 20 3 2 1 | 90 30 7
  are none of long ago | 120 110 100 |
  are only those with three points in them | 60 50 5 0 | 90
`)('the days that can be drawn %s: of points %s days ago %s', (_, daysAgo = '', drawable) => {
  const history = historyOf(daysAgo.replaceAll(/\S+/g, '$&:1'));
  const days = drawableDays(history, NOW_MS);
  expect(days.join(' ')).toBe(drawable);
  for (const each of days) expect(lastDays(history, each, NOW_MS).length).toBeGreaterThanOrEqual(3);
});
