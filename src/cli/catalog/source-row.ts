/** A card as a file has it. */
export interface SourceRow {
  /** Where it stands, for messages: `line 12`. */
  place: string;
  value: object;
  /** The objects that the card stands in, innermost first; none for files without nesting. */
  around: readonly object[];
  /** The name of the member that it is, in an object of cards. */
  key?: string | undefined;
  /** The names of a CSV file's columns, by the same in lower case. */
  columns?: ReadonlyMap<string, string>;
}

/** Part of a file that holds no card that can be read. */
export interface RefusedRow {
  place: string;
  /** Reads on after the place: `is not JSON`. */
  refused: string;
}

export type ReadRow = SourceRow | RefusedRow;

/** No line and no value of a card needs more; what does is not read into memory. */
export const LONGEST_BYTES = 1024 * 1024;
export const TOO_LONG = 'is longer than 1 MB';

/** A file, or the rest of one, cannot be read. The message reads on after its name: `is empty`. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
