import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { quantile } from '../quantile.ts';
import type { BenchTable } from '../table.ts';
import type { EngineFigures } from './engine-process.ts';
import { ENGINES } from './engines.ts';
import { KINDS, QUERIES } from './printings.ts';

const CARDS = 200_000;
const HEAP_MEGABYTES = 12_000;

/** Search by name: speed and size, beside a search library. A number as argument: of cards. */
export async function run(): Promise<BenchTable> {
  const rows: string[][] = [];
  for (const engine of Object.keys(ENGINES)) rows.push(await engineRow(engine, Number(process.argv[3] ?? CARDS)));
  return {
    title: 'Search by name, beside a search library',
    columns: ['cards', 'engine', 'disk', 'resident', 'built in', ...KINDS.map((kind) => `${kind}: p50, p99, found`)],
    rows,
    notes: [
      `${QUERIES} queries of each kind over made-up cards, each name in 4.5 printings: the beginning of a name, words of the set and the name, a name with a number, a name with one typing error. Found: the name that was meant is among the 25. Each engine runs in a process of its own; resident: what it adds. Ours in that thread alone, without the way to the worker and back; fuzzy-search keeps everything in memory and builds it at each start.`,
    ],
  };
}

async function engineRow(engine: string, size: number): Promise<string[]> {
  const script = new URL('./engine-process.ts', import.meta.url).pathname;
  const args = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--expose-gc', script, engine, String(size)];
  const cards = size.toLocaleString('en');
  const ran = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 }).catch(() => undefined);
  if (!ran) return [cards, engine, 'ended with an error'];
  const { diskBytes, residentMegabytes, buildMs, timesMs, hits }: EngineFigures = JSON.parse(ran.stdout);
  return [
    cards,
    engine,
    diskBytes === undefined ? '–' : `${(diskBytes / 1e6).toFixed(0)} MB`,
    `${residentMegabytes.toFixed(0)} MB`,
    `${(buildMs / 1000).toFixed(1)} s`,
    ...KINDS.map((kind) => {
      const times = [0.5, 0.99].map((share) => `${quantile(timesMs[kind], share).toFixed(1)} ms`);
      return [...times, `${((100 * hits[kind]) / QUERIES).toFixed(0)} %`].join(', ');
    }),
  ];
}
