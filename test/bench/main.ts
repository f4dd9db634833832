import { readFileSync, writeFileSync } from 'node:fs';
import { scoped } from '../support/on-finished.ts';
import { machine } from './machine.ts';
import { type BenchTable, failed, judged, PAGE, replaceSection, toMarkdown, withMissed } from './table.ts';

interface Figure {
  load(): Promise<{ run(): Promise<BenchTable | BenchTable[]> }>;
  /** It takes long, or needs more than `npm ci`: it runs only when named. */
  isNamed?: true;
  /** Default: docs/benchmarks.md. */
  page?: string;
}

/** In the order in which they run. */
const FIGURES: Readonly<Record<string, Figure>> = {
  'quota-day': { load: () => import('./quota/quota-day.ts') },
  'thirty-days': { load: () => import('./quota/thirty-days.ts') },
  limiters: { load: () => import('./limiters/limiters.ts') },
  'command-latency': { load: () => import('./command-latency.ts') },
  growth: { load: () => import('./growth.ts') },
  start: { load: () => import('./start.ts') },
  pictures: { load: () => import('./pictures.ts') },
  processes: { load: () => import('./processes/processes.ts'), isNamed: true, page: 'docs/more-processes.md' },
  watches: { load: () => import('./watches/watches.ts'), isNamed: true },
  typed: { load: () => import('./search/typed-texts.ts'), isNamed: true },
};

/** Prints the tables of each figure, and writes them into its section of its page. */
async function main(wanted: string | undefined): Promise<void> {
  if (wanted !== undefined && !Object.hasOwn(FIGURES, wanted)) {
    process.stderr.write(`There is no figure ${wanted}. Choose one of: ${Object.keys(FIGURES).join(', ')}.\n`);
    process.exitCode = 1;
    return;
  }
  for (const [name, { load, isNamed, page = PAGE }] of Object.entries(FIGURES)) {
    if (wanted === undefined ? isNamed : wanted !== name) continue;
    const { run } = await load();
    const tables = [await scoped(run)].flat();
    const section = [...tables.map(toMarkdown), `Measured on ${machine()}.`].join('\n\n');
    process.stdout.write(`${section}\n\n${judged(tables)}\n\n`);
    write(page, (text) => replaceSection(text, name, section));
    write(PAGE, (text) => withMissed(text, name, tables));
    if (tables.some(failed)) process.exitCode = 1;
  }
}

function write(page: string, change: (text: string) => string): void {
  writeFileSync(page, change(readFileSync(page, 'utf8')));
}

await main(process.argv[2]);
