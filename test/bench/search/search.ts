import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { quantile } from '../quantile.ts';
import { type BenchTable, timed } from '../table.ts';
import type { EngineFigures } from './engine-process.ts';
import { ENGINES } from './engines.ts';
import { KINDS, QUERIES } from './printings.ts';
import { typingMembers } from './typing-members.ts';

const SIZES = [10_000, 200_000, 1_000_000];
/** Of the targets. */
const SIZE = 200_000;
const SUGGESTIONS_MS = 50;
const ADDED_MS = 5;
const P50 = 0.5;
const P99 = 0.99;
const HEAP_MEGABYTES = 12_000;

/** Search by name: speed and size, beside a search library. */
export async function run(): Promise<BenchTable[]> {
  const wanted = process.argv.slice(3).map(Number); // numbers of cards
  const sizes = wanted.length > 0 ? wanted : SIZES;
  const rows: string[][] = [];
  for (const size of sizes) for (const engine of Object.keys(ENGINES)) rows.push(await engineRow(engine, size));
  return [
    {
      title: 'Search by name, beside a search library',
      columns: ['cards', 'engine', 'disk', 'resident', 'built in', ...KINDS.map((kind) => `${kind}: p50, p99, found`)],
      rows,
      notes: [
        `${QUERIES} queries of each kind over made-up cards, each name in 4.5 printings: the beginning of a name, words of the set and the name, a name with a number, a name with one typing error. Found: the name that was meant is among the 25. Each engine runs in a process of its own; resident: what it adds. Ours in that thread alone, without the way to the worker and back; fuzzy-search keeps everything in memory and builds it at each start.`,
      ],
    },
    await typingTable(Math.min(SIZE, Math.max(...sizes))),
  ];
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
      const times = [P50, P99].map((share) => `${quantile(timesMs[kind], share).toFixed(1)} ms`);
      return [...times, `${((100 * hits[kind]) / QUERIES).toFixed(0)} %`].join(', ');
    }),
  ];
}

async function typingTable(size: number): Promise<BenchTable> {
  const { suggestionsMs, quietMs, typingMs } = await typingMembers(size);
  const ms = (times: number[], share: number) => `${quantile(times, share).toFixed(1)} ms`;
  const p99 = quantile(suggestionsMs, P99);
  const addedMs = quantile(typingMs, P99) - quantile(quietMs, P99);
  const verdicts = [
    timed(`suggestions within ${SUGGESTIONS_MS} ms, p99 (${p99.toFixed(1)} ms)`, p99 <= SUGGESTIONS_MS),
    timed(
      `ten members who type delay another command by at most ${ADDED_MS} ms, p99 (${addedMs.toFixed(1)} ms)`,
      addedMs <= ADDED_MS,
    ),
  ];
  return {
    title: `Suggestions and other commands with ${size.toLocaleString('en')} cards in the catalog`,
    columns: ['', 'p50', 'p99'],
    rows: [
      ['suggestions', ms(suggestionsMs, P50), ms(suggestionsMs, P99)],
      ['a command answered from the cache', ms(quietMs, P50), ms(quietMs, P99)],
      ['the same while ten members type', ms(typingMs, P50), ms(typingMs, P99)],
    ],
    verdicts,
    notes: [
      'From INTERACTION_CREATE written to the gateway until the head of the callback arrives. A member types five letters a second, each of which is a search.',
    ],
  };
}
