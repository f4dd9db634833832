import { readFileSync, writeFileSync } from 'node:fs';
import { scoped } from '../support/on-finished.ts';
import { type BenchTable, machine, PAGE, replaceSection, toMarkdown } from './table.ts';

const FIGURES: Readonly<Record<string, () => Promise<{ run(): Promise<BenchTable> }>>> = {
  'quota-day': () => import('./quota/quota-day.ts'),
  'thirty-days': () => import('./quota/thirty-days.ts'),
  limiters: () => import('./quota/limiters.ts'),
  watches: () => import('./quota/watches.ts'),
  typed: () => import('./typed-texts.ts'),
  growth: () => import('./growth.ts'),
};
/** In the order in which they run. The others take long, or need more than `npm ci`: they run only when named. */
const USUAL = ['quota-day', 'thirty-days', 'limiters'];

// Prints the table of each figure and writes it into its section of the page; `growth`, of two commits, is only printed.
const [, , wanted] = process.argv;
for (const name of wanted === undefined ? USUAL : [wanted]) {
  const load = FIGURES[name];
  if (!load) throw new Error(`There is no figure ${name}. Choose one of: ${Object.keys(FIGURES).join(', ')}.`);
  const table = await scoped((await load()).run);
  const section = `${toMarkdown(table)}\n\nMeasured on ${machine()}.`;
  process.stdout.write(`${section}\n\n`);
  if (name !== 'growth') writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), name, section));
  if (table.verdicts?.some(([, isReached]) => !isReached)) process.exitCode = 1;
}
