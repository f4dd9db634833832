import type { Verdict } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';

/** The numbers of processes that are compared. */
export const PROCESSES = [1, 2, 4] as const;

/** One of the figures that make up a table. */
export interface FigurePart {
  rows: string[][];
  verdicts: Verdict[];
  notes: string[];
}

export type MeasurePart = (redis: BenchRedis) => Promise<FigurePart>;
