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

/** A target of wall-clock time. */
export function timed(claim: string, reached: boolean): Verdict {
  return { claim, reached, timing: true };
}

/** The result of one benchmark. */
export interface BenchTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** How the figures were measured; one sentence each. */
  notes?: string[];
  verdicts?: Verdict[];
  /** Drawn from the same data; `file` is relative to the project. */
  pictures?: { file: string; svg: string }[];
}

/** Title, table and notes. */
export function toMarkdown({ title, columns, rows, notes = [] }: BenchTable): string {
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...rows.map((row) => cell(row, index))].map(wide)),
  );
  const line = (cells: string[]) => `| ${cells.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const table = [
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(columns.map((_, index) => cell(row, index)))),
  ].join('\n');
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

/** Every target that was missed, with its figure. */
export function missed(byFigure: Readonly<Record<string, readonly BenchTable[]>>): string {
  const rows = Object.entries(byFigure).flatMap(([figure, tables]) =>
    tables
      .flatMap(({ verdicts = [] }) => verdicts)
      .flatMap(({ claim, reached }) => (reached ? [] : [[`\`${figure}\``, claim]])),
  );
  if (rows.length === 0) return 'All targets were reached.';
  return toMarkdown({
    title: 'Targets of `npm run bench`',
    columns: ['figure', 'target, and what was measured'],
    rows,
  });
}

/** Whether the run fails: a target other than a time was missed. */
export function failed({ verdicts = [] }: BenchTable): boolean {
  return verdicts.some(({ reached, timing = false }) => !reached && !timing);
}

function cell(row: string[], index: number): string {
  return (row[index] ?? '').replaceAll('|', '\\|');
}

function wide(text: string): number {
  return Math.max(3, text.length);
}
