import type { Bookings } from '../model/quota.ts';
import { DAY_MS } from '../time/utc-day.ts';

export type HourCounts = Pick<Bookings, 'requests' | 'saved'>;

const HOUR_MS = 3_600_000;

/** The hour of the UTC day, 0 to 23. */
export function utcHour(atMs: number): number {
  return Math.floor((atMs % DAY_MS) / HOUR_MS);
}

/**
 * What was counted in each hour of the day up to the present one. A ledger counts by day; before its first booking in an
 * hour it notes the day's sums so far, which costs one write an hour.
 *
 * @param starts those sums, by hour; an hour without a booking has none
 * @param now the day's sums at present
 */
export function hourCounts(starts: ReadonlyMap<number, HourCounts>, now: HourCounts, nowMs: number): HourCounts[] {
  const counts: HourCounts[] = Array.from({ length: utcHour(nowMs) + 1 }, () => ({ requests: 0, saved: 0 }));
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
