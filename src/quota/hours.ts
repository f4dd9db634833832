import type { Bookings } from '../model/quota.ts';
import { utcHour } from '../time/utc-day.ts';

export type HourCounts = Pick<Bookings, 'requests' | 'saved'>;

/**
 * What was counted in each hour of the day up to the present one. A ledger counts by day; before its first booking in an
 * hour it notes the day's sums so far, which costs one write an hour.
 *
 * @param starts those sums, by hour; an hour without a booking has none
 * @param now the day's sums at present
 */
export function hourCounts(starts: ReadonlyMap<number, HourCounts>, now: HourCounts, nowMs: number): HourCounts[] {
  const none: HourCounts = { requests: 0, saved: 0 };
  const counts = Array.from({ length: utcHour(nowMs) + 1 }, () => none);
  const noted = [...starts].sort(([a], [b]) => a - b);
  for (const [index, [hour, start]] of noted.entries()) {
    const end = noted[index + 1]?.[1] ?? now;
    if (hour >= counts.length) continue; // noted before the clock was set back
    // A refusal can take back what was booked in the hour before.
    counts[hour] = {
      requests: Math.max(0, end.requests - start.requests),
      saved: Math.max(0, end.saved - start.saved),
    };
  }
  return counts;
}
