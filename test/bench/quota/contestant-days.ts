import { CONTESTANTS } from './contestants.ts';
import { dayOfLookups } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { simulateDay } from './simulated-day.ts';

/** What is left of one contestant's day when it is over; plain data. */
export interface ContestantDay {
  name: string;
  report: DayReport;
  /** When its requests left, since the day began, in order. */
  sentAtMs: Float64Array;
}

/** The same day of lookups for every contestant. */
export async function contestantDays(firstHourShare: number): Promise<ContestantDay[]> {
  const lookups = dayOfLookups(firstHourShare);
  const days: ContestantDay[] = [];
  for (const { name, start } of CONTESTANTS) {
    const day = await simulateDay(start, lookups);
    const sentAtMs = Float64Array.from(day.requests, (request) => request.sentAtMs).sort();
    days.push({ name, report: dayReport(day), sentAtMs });
  }
  return days;
}
