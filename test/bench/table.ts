/** Where tables are shown, and what was missed. */
export const PAGE = 'docs/benchmarks.md';

/** A target of the benchmark and whether it was reached. */
export interface Verdict {
  /** As a sentence, with the measured value: "0 answers 429 (0)". */
  claim: string;
  reached: boolean;
  /** A wall-clock time: printed like the others, but a slow machine does not make the run fail. */
  timing?: boolean;
}

/** A target that fails the run when it is missed. */
export function wanted(claim: string, reached: boolean): Verdict {
  return { claim, reached };
}

/** The result of one benchmark. */
export interface BenchTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** How the figures were measured; one sentence each. */
  notes?: string[];
  verdicts?: Verdict[];
}

/** Title, table and notes. */
export function toMarkdown({ title, columns, rows, notes = [] }: BenchTable): string {
  const line = (cells: string[]) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [columns, columns.map(() => '---'), ...rows].map(line).join('\n');
  return [`**${title}**`, table, ...notes].join('\n\n');
}

/** The targets that were reached and those that were missed, in two lines at most. */
export function judged(tables: readonly BenchTable[]): string {
  const verdicts = tables.flatMap((table) => table.verdicts ?? []);
  const line = (word: string, wanted: boolean) => {
    const claims = verdicts.filter(({ reached }) => reached === wanted).map(({ claim }) => claim);
    return claims.length > 0 ? [`${word}: ${claims.join('; ')}.`] : [];
  };
  return [...line('Reached', true), ...line('**Missed**', false)].join('\n\n');
}

/** The page with what is between the two marks of a section replaced. @throws Error without the marks */
export function replaceSection(page: string, name: string, section: string): string {
  const marked = new RegExp(`(<!-- ${name}: .*? -->).*(<!-- /${name} -->)`, 's');
  if (!marked.test(page)) throw new Error(`the page has no section ${name}`);
  return page.replace(marked, (_, begin, end) => `${begin}\n\n${section}\n\n${end}`);
}

/** The page with the missed targets of this figure in the table at its end, in place of those of an earlier run. */
export function withMissed(page: string, figure: string, tables: readonly BenchTable[]): string {
  const before = [...page.matchAll(/^\| `([\w-]+)` +\| (.*?) +\|$/gm)].map(([, name, claim = '']) => [
    `\`${name}\``,
    claim,
  ]);
  const now = tables.flatMap(({ verdicts = [] }) => verdicts).filter(({ reached }) => !reached);
  const rows = [
    ...before.filter(([name]) => name !== `\`${figure}\``),
    ...now.map(({ claim }) => [`\`${figure}\``, claim]),
  ];
  const table = { title: 'Targets of `npm run bench`', columns: ['figure', 'target, and what was measured'], rows };
  return replaceSection(page, 'missed', rows.length === 0 ? 'All targets were reached.' : toMarkdown(table));
}

/** Whether the run fails: a target other than a time was missed. */
export function failed({ verdicts = [] }: BenchTable): boolean {
  return verdicts.some(({ reached, timing = false }) => !reached && !timing);
}
