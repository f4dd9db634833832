import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ALTERNATIVES, LISTS, OURS } from './contestants.ts';
import { dayOfLookups } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { simulateDays } from './simulated-day.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 } as const;
type Kind = keyof typeof FIRST_HOUR_SHARE;

/** The result of one contestant's day; plain data that a thread can post. */
export interface ContestantDay {
  kind: Kind;
  name: string;
  report: DayReport;
}

/** The same lookups for each contestant, on an even day and on one with a rush. Fake time is global to a thread, so each kind has one. */
export async function contestantDays(): Promise<ContestantDay[]> {
  const kinds = Object.keys(FIRST_HOUR_SHARE) as Kind[];
  const days = kinds.map(async (kind): Promise<ContestantDay[]> => {
    const [found] = await once(new Worker(new URL(import.meta.url), { workerData: { kind } }), 'message');
    return found;
  });
  return (await Promise.all(days)).flat();
}

async function daysInThread(kind: Kind): Promise<ContestantDay[]> {
  Error.stackTraceLimit = 0; // the stacks of many refused requests are not used
  const lookups = dayOfLookups(FIRST_HOUR_SHARE[kind]);
  const days: ContestantDay[] = [];
  for (const { name, start } of [OURS, LISTS, ...ALTERNATIVES]) {
    days.push({ kind, name, report: dayReport(await simulateDays(start, [lookups])) });
  }
  return days;
}

if (!isMainThread && workerData?.kind) parentPort?.postMessage(await daysInThread(workerData.kind));
