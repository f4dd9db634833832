import type { CountedHour } from './ledger.ts';

/**
 * What members asked for between two times; an hour that is only partly between them counts in proportion.
 *
 * @param hours oldest first, as `Ledger.lastHours` has them
 * @returns `undefined` when nothing is known of that time, or it began before anything was counted
 */
export function requestsBetween(hours: readonly CountedHour[], fromMs: number, untilMs: number): number | undefined {
  const firstMs = hours.find(({ requests }) => requests > 0)?.fromMs ?? Number.POSITIVE_INFINITY;
  const between = hours.filter((hour) => hour.fromMs < untilMs && hour.untilMs > fromMs);
  if (fromMs < firstMs || between.length === 0) return undefined;
  return between.reduce((sum, hour) => {
    const sharedMs = Math.min(untilMs, hour.untilMs) - Math.max(fromMs, hour.fromMs);
    return sum + ((hour.requests - hour.watches) * sharedMs) / (hour.untilMs - hour.fromMs);
  }, 0);
}
