import { expect, it } from 'vitest';
import { type HourCounts, hourCounts } from '../../src/quota/hours.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 20);
const HOUR_MS = 3_600_000;

function sums(requests: number, saved: number): HourCounts {
  return { requests, saved };
}

/** What was counted when that hour began. */
function at(hour: number, counts: HourCounts): [number, HourCounts] {
  return [hour, counts];
}

it.each<[string, [number, HourCounts][], HourCounts, number, HourCounts[]]>([
  ['is zero before the first booking', [], sums(0, 0), 1, [sums(0, 0), sums(0, 0)]],
  ['is the sum since the hour began', [at(1, sums(5, 7))], sums(8, 20), 1, [sums(0, 0), sums(3, 13)]],
  [
    'ends with the next hour that had a booking',
    [at(3, sums(9, 9)), at(0, sums(0, 0))],
    sums(10, 9),
    3,
    [sums(9, 9), sums(0, 0), sums(0, 0), sums(1, 0)],
  ],
  ['is never less than nothing', [at(0, sums(0, 0)), at(1, sums(2, 0))], sums(1, 0), 1, [sums(2, 0), sums(0, 0)]],
  ['leaves out what a clock that was ahead noted', [at(1, sums(0, 0))], sums(1, 1), 0, [sums(0, 0)]],
])('the count of an hour %s', (_, starts, now, hour, counts) => {
  expect(hourCounts(new Map(starts), now, MIDNIGHT_MS + hour * HOUR_MS + 1)).toEqual(counts);
});
