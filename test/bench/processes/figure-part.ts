import type { Verdict } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';

/** The numbers of processes that are compared. */
export const PROCESSES = [1, 2, 4] as const;
/** The number that is started at once. */
export const MANY = 8;
const COLUMNS: readonly number[] = [...PROCESSES, MANY];

/** One of the figures that make up a table. */
export interface FigurePart {
  rows: string[][];
  verdicts: Verdict[];
  notes: string[];
}

export type MeasurePart = (redis: BenchRedis) => Promise<FigurePart>;

/** The heads of the columns. */
export function columns(): string[] {
  return ['', ...COLUMNS.map((count) => `${count} ${count === 1 ? 'process' : 'processes'}`)];
}

/** A row whose only figure is of this number of processes. */
export function rowFor(processes: number, what: string, figure: string): string[] {
  return [what, ...COLUMNS.map((count) => (count === processes ? figure : ''))];
}
