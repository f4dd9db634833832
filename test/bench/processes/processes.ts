import { scoped } from '../../support/on-finished.ts';
import type { BenchTable } from '../table.ts';
import { startBenchRedis } from './bench-redis.ts';
import { cpuPerCommand } from './cpu-per-command.ts';
import { type FigurePart, PROCESSES } from './group.ts';
import { redisLatency } from './redis-latency.ts';
import { redisMemory } from './redis-memory.ts';
import { simultaneousLookups } from './simultaneous-lookups.ts';

/** Several processes with one quota, in Redis mode. */
export async function run(): Promise<BenchTable> {
  const redis = await startBenchRedis();
  const parts: FigurePart[] = [];
  for (const measure of [simultaneousLookups, redisLatency, cpuPerCommand, redisMemory]) {
    parts.push(await scoped(() => measure(redis)));
  }
  return {
    title: 'Several processes with one quota, in Redis mode',
    columns: ['', ...PROCESSES.map((count) => `${count} ${count === 1 ? 'process' : 'processes'}`)],
    rows: parts.flatMap(({ rows }) => rows),
    verdicts: parts.flatMap(({ verdicts }) => verdicts),
    notes: [redis.note, ...parts.flatMap(({ notes }) => notes)],
  };
}
