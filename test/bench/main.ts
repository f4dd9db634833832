import { readFileSync, writeFileSync } from 'node:fs';
import { machine } from './machine.ts';
import { replaceSection } from './marked-section.ts';
import { type BenchTable, failed, judged, toMarkdown } from './table.ts';

type Figure = () => Promise<{ run(): Promise<BenchTable> }>;

/** In the order in which they run and are shown. */
const FIGURES: Readonly<Record<string, Figure>> = {
  'quota-day': () => import('./quota/quota-day.ts'),
  backlog: () => import('./quota/backlog.ts'),
  'shared-key': () => import('./quota/shared-key.ts'),
  'command-latency': () => import('./command-latency.ts'),
  memory: () => import('./memory.ts'),
  'unknown-ids': () => import('./unknown-ids.ts'),
};

/** Only when named: they take a minute or more. */
const LONG_FIGURES: Readonly<Record<string, Figure>> = {
  load: () => import('./load/load.ts'),
  processes: () => import('./processes/processes.ts'),
  sizing: () => import('./processes/sizing.ts'),
};

const PAGE = 'docs/benchmarks.md';

/** Prints every table; a run of all of them also writes them to `docs/benchmarks.md`, and the pictures beside it. */
async function main(wanted: string | undefined): Promise<void> {
  const all = { ...FIGURES, ...LONG_FIGURES };
  if (wanted !== undefined && !Object.hasOwn(all, wanted)) {
    process.stderr.write(`There is no figure ${wanted}. Choose one of: ${Object.keys(all).join(', ')}.\n`);
    process.exitCode = 1;
    return;
  }
  const found: BenchTable[] = [];
  for (const [name, load] of Object.entries(wanted === undefined ? FIGURES : all)) {
    if (wanted !== undefined && wanted !== name) continue;
    const startedMs = performance.now();
    const table = await (await load()).run();
    found.push(table);
    const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    process.stdout.write(`${toMarkdown(table)}\n\n${judged([table])}\n\n(${name}: ${tookSeconds} s)\n\n`);
  }
  if (wanted === undefined) write(found);
  if (found.some(failed)) process.exitCode = 1;
}

function write(tables: readonly BenchTable[]): void {
  const missed = tables.flatMap(({ verdicts = [] }) => verdicts.filter(({ reached }) => !reached));
  const summary =
    missed.length > 0 ? `Missed: ${missed.map(({ claim }) => claim).join('; ')}.` : 'All targets were reached.';
  const section = [`Measured on ${machine()}. ${summary}`, ...tables.map(toMarkdown)].join('\n\n');
  writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), section));
  for (const { file, svg } of tables.flatMap(({ pictures = [] }) => pictures)) writeFileSync(file, svg);
}

await main(process.argv[2]);
