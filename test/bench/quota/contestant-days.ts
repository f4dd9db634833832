import { CONTESTANTS, type Contestant } from './contestants.ts';
import { dayOfLookups } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { simulateDay } from './simulated-day.ts';

/** The result of one contestant's day; plain data that a thread can post. */
export interface ContestantDay {
  name: string;
  report: DayReport;
  /** When its requests were sent, in ms since the day began, ascending. */
  sentAtMs: Float64Array;
}

/** The same day of lookups for every contestant. */
export async function contestantDays(
  firstHourShare: number,
  contestants: readonly Contestant[] = CONTESTANTS,
): Promise<ContestantDay[]> {
  const lookups = dayOfLookups(firstHourShare);
  const days: ContestantDay[] = [];
  for (const { name, start } of contestants) {
    const day = await simulateDay(start, lookups);
    const sentAtMs = Float64Array.from(day.requests, (request) => request.sentAtMs).sort();
    days.push({ name, report: dayReport(day), sentAtMs });
  }
  return days;
}
