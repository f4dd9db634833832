import { type BenchTable, failed, judged, toMarkdown } from '../table.ts';
import { fromCache } from './from-cache.ts';
import type { LoadRow } from './load-row.ts';
import { storm } from './storm.ts';
import { withFaults } from './with-faults.ts';

const LOADS = { 'from-cache': fromCache, storm, 'with-faults': withFaults } as const;

/**
 * Whether the bot withstands load: every command is answered, and nothing grows.
 *
 * @param scale of the times and counts; 1 takes about four minutes
 * @param only one of the loads
 */
export async function run(scale = 1, only?: string): Promise<BenchTable> {
  const rows: LoadRow[] = [];
  for (const [name, load] of Object.entries(LOADS)) {
    if (only === undefined || only === name) rows.push(await load(scale));
  }
  return {
    title: 'The bot under load',
    columns: ['load', 'commands', 'in', 'event loop delay, p99', 'at most', 'resident, from early to the end'],
    rows: rows.map((row) => [
      row.name,
      row.commands.toLocaleString('en'),
      `${row.seconds.toFixed(0)} s`,
      `${row.delayP99Ms.toFixed(1)} ms`,
      `${row.longestDelayMs.toFixed(0)} ms`,
      `${row.residentMegabytes.map((size) => size.toFixed(0)).join(', ')} MB`,
    ]),
    verdicts: rows.flatMap(({ verdicts }) => verdicts),
    notes: [
      'The bot runs in its own process; the emulated Discord, the card service and the members share another one, on the same cores.',
      ...rows.map(({ note }) => note),
    ],
  };
}

if (import.meta.main) {
  const [scale = '1', only] = process.argv.slice(2);
  const table = await run(Number(scale), only);
  process.stdout.write(`${toMarkdown(table)}\n\n${judged([table])}\n`);
  if (failed(table)) process.exitCode = 1;
}
