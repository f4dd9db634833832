import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
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

/** The same in its own thread: fake time is global to a thread, and two days run in parallel on two cores. */
export async function daysInThread(firstHourShare: number): Promise<ContestantDay[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { firstHourShare } });
  const [days]: ContestantDay[][] = await once(worker, 'message');
  if (days === undefined) throw new Error('the thread posted no result');
  return days;
}

if (!isMainThread && parentPort && workerData?.firstHourShare) {
  Error.stackTraceLimit = 0; // the stacks of 400,000 refused requests are not used
  parentPort.postMessage(await contestantDays(workerData.firstHourShare));
}
