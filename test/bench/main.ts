import { readFileSync, writeFileSync } from 'node:fs';
import { scoped } from '../support/on-finished.ts';
import { type BenchTable, machine, PAGE, replaceSection, toMarkdown } from './table.ts';

interface Figure {
  load(): Promise<{ run(): Promise<BenchTable> }>;
  /** It takes long, or needs more than `npm ci`: it runs only when named. */
  isNamed?: true;
  /** It is printed alone: it compares, and its figures are of the day. */
  isPrinted?: true;
}

/** In the order in which they run. */
const FIGURES: Readonly<Record<string, Figure>> = {
  'quota-day': { load: () => import('./quota/quota-day.ts') },
  'thirty-days': { load: () => import('./quota/thirty-days.ts') },
  limiters: { load: () => import('./quota/limiters.ts') },
  watches: { load: () => import('./quota/watches.ts'), isNamed: true },
  typed: { load: () => import('./search/typed-texts.ts'), isNamed: true },
  growth: { load: () => import('./growth.ts'), isNamed: true, isPrinted: true },
};

/** Prints the table of each figure, and writes it into its section of the page. */
async function main(wanted: string | undefined) {
  if (wanted !== undefined && !Object.hasOwn(FIGURES, wanted))
    throw new Error(`There is no figure ${wanted}. Choose one of: ${Object.keys(FIGURES).join(', ')}.`);
  for (const [name, { load, isNamed, isPrinted }] of Object.entries(FIGURES)) {
    if (wanted === undefined ? isNamed : wanted !== name) continue;
    const { run } = await load();
    const table = await scoped(run);
    const section = `${toMarkdown(table)}\n\nMeasured on ${machine()}.`;
    process.stdout.write(`${section}\n\n`);
    if (!isPrinted) writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), name, section));
    if (table.verdicts?.some(([, isReached, timing]) => !isReached && !timing)) process.exitCode = 1;
  }
}

await main(process.argv[2]);
