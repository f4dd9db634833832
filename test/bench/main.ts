import { readFileSync, writeFileSync } from 'node:fs';
import { scoped } from '../support/on-finished.ts';
import { machine } from './machine.ts';
import { replaceSection } from './marked-section.ts';
import { type BenchTable, failed, judged, toMarkdown } from './table.ts';

type Figure = () => Promise<{ run(): Promise<BenchTable | BenchTable[]> }>;

/** In the order in which they run and are shown. */
const FIGURES: Readonly<Record<string, Figure>> = {
  'quota-day': () => import('./quota/quota-day.ts'),
  bulk: () => import('./quota/bulk-day.ts'),
  backlog: () => import('./quota/backlog.ts'),
  'shared-key': () => import('./quota/shared-key.ts'),
  limiters: () => import('./limiters/limiters.ts'),
  'command-latency': () => import('./command-latency.ts'),
  'day-picture': () => import('./day-picture.ts'),
  memory: () => import('./memory.ts'),
  start: () => import('./start.ts'),
  'unknown-ids': () => import('./unknown-ids.ts'),
};

/** Only when named: they take a minute or more. */
const LONG_FIGURES: Readonly<Record<string, Figure>> = {
  processes: () => import('./processes/processes.ts'),
  sizing: () => import('./processes/sizing.ts'),
  search: () => import('./search/search.ts'),
};

const PAGE = 'docs/benchmarks.md';
/** Figures that have a section of their own, which a run of them writes, by the page that it is in. */
const OWN_SECTIONS: Readonly<Record<string, string>> = {
  processes: 'docs/more-processes.md',
  sizing: 'docs/more-processes.md',
  search: PAGE,
};

/**
 * Prints every table. A run of all but the long ones also writes them to `docs/benchmarks.md`, and the pictures beside it;
 * a run of one with its own section writes that.
 */
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
    const figure = await load();
    const tables = [await scoped(() => figure.run())].flat();
    found.push(...tables);
    const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    for (const table of tables) process.stdout.write(`${toMarkdown(table)}\n\n${judged([table])}\n\n`);
    process.stdout.write(`(${name}: ${tookSeconds} s)\n\n`);
    const page = OWN_SECTIONS[name];
    if (page !== undefined) writeOwnSection(page, name, tables);
  }
  if (wanted === undefined) write(found);
  if (found.some(failed)) process.exitCode = 1;
}

function write(tables: readonly BenchTable[]): void {
  const section = [`Measured on ${machine()}. ${summary(tables)}`, ...tables.map(toMarkdown)].join('\n\n');
  writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), section));
  for (const { file, svg } of tables.flatMap(({ pictures = [] }) => pictures)) writeFileSync(file, svg);
}

function writeOwnSection(page: string, name: string, tables: readonly BenchTable[]): void {
  const section = [...tables.map(toMarkdown), `Measured on ${machine()}. ${summary(tables)}`].join('\n\n').trimEnd();
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), section, name, `npm run bench ${name}`));
}

function summary(tables: readonly BenchTable[]): string {
  const verdicts = tables.flatMap((table) => table.verdicts ?? []);
  const missed = verdicts.filter(({ reached }) => !reached).map(({ claim }) => claim);
  if (missed.length > 0) return `Missed: ${missed.join('; ')}.`;
  return verdicts.length > 0 ? 'All targets were reached.' : '';
}

await main(process.argv[2]);
