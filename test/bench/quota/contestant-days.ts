import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { BenchTable } from '../table.ts';
import { CONTESTANTS, type Contestant, OURS } from './contestants.ts';
import { dayOfLookups } from './day-of-lookups.ts';
import { type DayReport, dayReport } from './day-report.ts';
import { ourBot } from './our-bot.ts';
import { simulateDay } from './simulated-day.ts';

/** The kinds of day, by the share of the lookups that come in the first hour. */
const FIRST_HOUR_SHARE = { even: 1 / 24, rush: 0.3 } as const;
export type Kind = keyof typeof FIRST_HOUR_SHARE;

/** Who is compared. */
const FIELDS = {
  alternatives: CONTESTANTS,
  bulk: [
    { ...OURS, name: 'one card a request' },
    {
      name: 'several cards a request',
      start: (service) => ourBot(service, { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' }),
    },
  ],
} as const satisfies Record<string, readonly Contestant[]>;
type Field = keyof typeof FIELDS;

/** The result of one contestant's day; plain data that a thread can post. */
export interface ContestantDay {
  kind: Kind;
  name: string;
  report: DayReport;
  /** When its requests were sent, in ms since the day began, ascending. */
  sentAtMs: Float64Array;
}

/** The same lookups for each contestant, on an even day and on one with a rush. Fake time is global to a thread, so each kind has one. */
export async function contestantDays(field: Field): Promise<ContestantDay[]> {
  const kinds = Object.keys(FIRST_HOUR_SHARE) as Kind[];
  const days = kinds.map(async (kind): Promise<ContestantDay[]> => {
    const [found] = await once(new Worker(new URL(import.meta.url), { workerData: { kind, field } }), 'message');
    return found;
  });
  return (await Promise.all(days)).flat();
}

/** A row for each day; what its columns show, by their heads. */
export function dayRows(
  days: readonly ContestantDay[],
  shown: Readonly<Record<string, (report: DayReport) => string>>,
): Pick<BenchTable, 'columns' | 'rows'> {
  const cells = Object.values(shown);
  return {
    columns: ['day', 'way', ...Object.keys(shown)],
    rows: days.map(({ kind, name, report }) => [kind, name, ...cells.map((cell) => cell(report))]),
  };
}

async function daysInThread({ kind, field }: { kind: Kind; field: Field }): Promise<ContestantDay[]> {
  Error.stackTraceLimit = 0; // the stacks of 400,000 refused requests are not used
  const lookups = dayOfLookups(FIRST_HOUR_SHARE[kind]);
  const days: ContestantDay[] = [];
  for (const { name, start } of FIELDS[field]) {
    const day = await simulateDay(start, lookups);
    const sentAtMs = Float64Array.from(day.requests, (request) => request.sentAtMs).sort();
    days.push({ kind, name, report: dayReport(day), sentAtMs });
  }
  return days;
}

if (!isMainThread && workerData?.field) parentPort?.postMessage(await daysInThread(workerData));
