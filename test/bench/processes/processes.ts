import { scoped } from '../../support/on-finished.ts';
import type { BenchTable } from '../table.ts';
import { startBenchRedis } from './bench-redis.ts';
import { cpuPerCommand } from './cpu-per-command.ts';
import { distantRedis } from './distant-redis.ts';
import { columns, type FigurePart, type MeasurePart } from './figure-part.ts';
import { popularCards } from './popular-cards.ts';
import { redisLatency } from './redis-latency.ts';
import { rollingRestart } from './rolling-restart.ts';
import { simultaneousLookups, startedAtOnce } from './simultaneous-lookups.ts';

const PARTS: readonly MeasurePart[] = [
  simultaneousLookups,
  startedAtOnce,
  distantRedis,
  rollingRestart,
  popularCards,
  redisLatency,
  cpuPerCommand,
];

/** Several processes with one quota, in Redis mode. */
export async function run(): Promise<BenchTable> {
  const redis = await startBenchRedis();
  const parts: FigurePart[] = [];
  for (const measure of PARTS) parts.push(await scoped(() => measure(redis)));
  return {
    title: 'Several processes with one quota, in Redis mode',
    columns: columns(),
    rows: parts.flatMap(({ rows }) => rows),
    verdicts: parts.flatMap(({ verdicts }) => verdicts),
    notes: [redis.note, ...parts.flatMap(({ notes }) => notes)],
  };
}
