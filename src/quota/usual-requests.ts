import { DAY_MS, HOUR_MS } from '../time/utc-day.ts';
import type { HourCounts } from './ledger.ts';

/** As many days of the past show what is usual: one of each day of the week. */
export const USUAL_DAYS = 7;

/**
 * What members asked for at these hours, on each of the last seven days of which that is known. An hour that is only partly
 * within them counts in proportion.
 *
 * @param hours oldest first, as `Ledger.lastHours` has them
 */
export function usualRequests(
  hours: readonly (HourCounts & { atMs: number })[],
  fromMs: number,
  untilMs: number,
): number[] {
  const firstMs = hours.find(({ requests }) => requests > 0)?.atMs ?? Number.POSITIVE_INFINITY;
  return Array.from({ length: USUAL_DAYS }, (_, ago) => (ago + 1) * DAY_MS).flatMap((agoMs) => {
    const [startMs, endMs] = [fromMs - agoMs, untilMs - agoMs];
    const within = hours.filter(({ atMs }) => atMs < endMs && atMs + HOUR_MS > startMs);
    if (startMs < firstMs || within.length === 0) return [];
    return within.reduce((sum, { atMs, requests, watches }) => {
      const sharedMs = Math.min(endMs, atMs + HOUR_MS) - Math.max(startMs, atMs);
      return sum + ((requests - watches) * sharedMs) / HOUR_MS;
    }, 0);
  });
}
