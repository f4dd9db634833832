import { availableParallelism, cpus } from 'node:os';

/** Where tables are shown. */
export const PAGE = 'docs/benchmarks.md';

/** A target as a sentence with the measured value, "0 answers 429", and whether it was reached. Real time is in notes alone. */
export type Verdict = readonly [claim: string, isReached: boolean];

/** The result of one benchmark. */
export interface BenchTable {
  title: string;
  /** Each by its columns, which are the same in all. */
  rows: Record<string, string>[];
  /** How the figures were measured; one sentence each. */
  notes?: string[];
  verdicts?: Verdict[];
}

/** Title, table and notes, and what was missed. */
export function toMarkdown({ title, rows, notes = [], verdicts = [] }: BenchTable): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => Object.values(row))];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const missed = verdicts.flatMap(([claim, isReached]) => (isReached ? [] : [`Missed: ${claim}.`]));
  return [`**${title}**`, table, ...notes, ...missed].join('\n\n');
}

/** The page with what is between the two marks of a section replaced. @throws Error without the marks */
export function replaceSection(page: string, name: string, section: string): string {
  const marked = new RegExp(`(<!-- ${name}: .*? -->).*(<!-- /${name} -->)`, 's');
  if (!marked.test(page)) throw new Error(`the page has no section ${name}`);
  return page.replace(marked, (_, begin, end) => `${begin}\n\n${section}\n\n${end}`);
}

/** Processor model and cores; nothing that identifies the host. */
export function machine(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'an unknown processor';
  return `${model}, ${availableParallelism()} cores`;
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  if (share === 0 || share === 100) return `${share} %`;
  return `${Math.min(Math.max(share, 0.1), 99.9).toFixed(1)} %`; // 0 % and 100 % mean exactly none and all
}

/** Of unsorted values, of which there are some; the median unless `share` says otherwise. */
export function quantile(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
