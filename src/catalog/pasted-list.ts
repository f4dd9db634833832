import { type ListLine, readLine } from './list-line.ts';
import { nameKey } from './words.ts';

/** A line of a list that a member pasted. */
export interface PastedLine extends ListLine {
  /** As it stands in the list; of lines that say the same, the first. */
  typed: string;
}

/** What a member pasted, or why it is no list. */
export type PastedList =
  /** `merged`: how many lines say what another says already, whose count has theirs. */
  | { lines: readonly PastedLine[]; merged: number }
  | { refusal: 'empty' | 'headingsOnly' | 'tooManyCards' }
  /** The count of this line is none that anybody owns. */
  | { refusal: 'count'; line: string };

/** How many different cards a list may have. */
export const MOST_DIFFERENT = 100;
const FEWEST = 1;
const MOST = 999;

/** The lines of a list as games and tools export them. */
export function readPastedList(text: string): PastedList {
  const typedLines = text.split(/[\r\n]+/).map((line) => line.trim());
  const typed = typedLines.filter((line) => line !== '');
  if (typed.length === 0) return { refusal: 'empty' };
  const read = typed.flatMap((each) => {
    const line = readLine(each);
    return line ? { ...line, typed: each } : [];
  });
  if (read.length === 0) return { refusal: 'headingsOnly' };
  const uncounted = read.find(({ count }) => count < FEWEST || count > MOST);
  if (uncounted) return { refusal: 'count', line: uncounted.typed };
  const lines = [...Map.groupBy(read, keyOf).values()].flatMap(([first, ...same]) =>
    first ? { ...first, count: same.reduce((sum, { count }) => sum + count, first.count) } : [],
  );
  if (lines.length > MOST_DIFFERENT) return { refusal: 'tooManyCards' };
  return { lines, merged: read.length - lines.length };
}

function keyOf({ name, set = '', number = '', isFoil }: ListLine): string {
  return JSON.stringify([nameKey(name), nameKey(set), nameKey(number), isFoil]);
}
