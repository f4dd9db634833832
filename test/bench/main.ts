import { readFileSync, writeFileSync } from 'node:fs';
import { scoped } from '../support/on-finished.ts';
import { machine } from './machine.ts';
import { replaceSection } from './marked-section.ts';
import { type BenchTable, failed, judged, missed, toMarkdown } from './table.ts';

interface Figure {
  load(): Promise<{ run(): Promise<BenchTable | BenchTable[]> }>;
  /** The page with a section of its own, which a run of this one writes. Such a figure takes minutes and runs only when named. */
  page?: string;
}

const PAGE = 'docs/benchmarks.md';
const PROCESSES_PAGE = 'docs/more-processes.md';

/** In the order in which they run and are shown. */
const FIGURES: Readonly<Record<string, Figure>> = {
  'quota-day': { load: () => import('./quota/quota-day.ts') },
  bulk: { load: () => import('./quota/bulk-day.ts') },
  backlog: { load: () => import('./quota/backlog.ts') },
  'shared-key': { load: () => import('./quota/shared-key.ts') },
  limiters: { load: () => import('./limiters/limiters.ts') },
  'command-latency': { load: () => import('./command-latency.ts') },
  memory: { load: () => import('./memory.ts') },
  start: { load: () => import('./start.ts') },
  'unknown-ids': { load: () => import('./unknown-ids.ts') },
  processes: { load: () => import('./processes/processes.ts'), page: PROCESSES_PAGE },
  sizing: { load: () => import('./processes/sizing.ts'), page: PROCESSES_PAGE },
  watches: { load: () => import('./watches/watches.ts'), page: PAGE },
  search: { load: () => import('./search/search.ts'), page: PAGE },
  pictures: { load: () => import('./pictures.ts'), page: PAGE },
  typed: { load: () => import('./search/typed-texts.ts'), page: PAGE },
};

/** Prints every table. A run without a name also writes them to `docs/benchmarks.md`, and the pictures beside it. */
async function main(wanted: string | undefined): Promise<void> {
  if (wanted !== undefined && !Object.hasOwn(FIGURES, wanted)) {
    process.stderr.write(`There is no figure ${wanted}. Choose one of: ${Object.keys(FIGURES).join(', ')}.\n`);
    process.exitCode = 1;
    return;
  }
  const found: Record<string, BenchTable[]> = {};
  for (const [name, { load, page }] of Object.entries(FIGURES)) {
    if (wanted === undefined ? page !== undefined : wanted !== name) continue;
    const startedMs = performance.now();
    const { run } = await load();
    const tables = [await scoped(run)].flat();
    found[name] = tables;
    const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    for (const table of tables) process.stdout.write(`${toMarkdown(table)}\n\n${judged([table])}\n\n`);
    process.stdout.write(`(${name}: ${tookSeconds} s)\n\n`);
    if (page !== undefined) writeOwnSection(page, name, tables);
  }
  if (wanted === undefined) write(found);
  if (Object.values(found).flat().some(failed)) process.exitCode = 1;
}

function write(found: Readonly<Record<string, readonly BenchTable[]>>): void {
  const tables = Object.values(found).flat();
  const section = [`Measured on ${machine()}.`, ...tables.map(toMarkdown)].join('\n\n');
  const page = replaceSection(readFileSync(PAGE, 'utf8'), section);
  writeFileSync(PAGE, replaceSection(page, missed(found), 'missed'));
  for (const { file, svg } of tables.flatMap(({ pictures = [] }) => pictures)) writeFileSync(file, svg);
}

function writeOwnSection(page: string, name: string, tables: readonly BenchTable[]): void {
  const section = [...tables.map(toMarkdown), `Measured on ${machine()}.`, judged(tables)].join('\n\n').trimEnd();
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), section, name, `npm run bench ${name}`));
}

await main(process.argv[2]);
