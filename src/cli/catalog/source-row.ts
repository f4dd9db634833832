/** A card as a file has it. */
export interface SourceRow {
  /** Where it stands, for messages: `line 12`. */
  place: string;
  value: object;
  /** Why there is no card in it, which reads on after the place: `is not JSON`. */
  refused?: string;
  /** The objects that the card stands in, innermost first; absent for files without nesting. */
  around?: readonly object[];
  /** The name of the member that it is, in an object of cards that was read as a whole. */
  key?: string | undefined;
  /** The names of a CSV file's columns, by the same in lower case. */
  columns?: ReadonlyMap<string, string>;
}

/** Names by the same in lower case. */
export function columnsOf(names: readonly string[]): Map<string, string> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

/** No line and no value of a card needs more. */
export const LONGEST = 1024 * 1024;

/** A row, a file, or the rest of one, cannot be used. The message reads on after its place or name: `is empty`. */
export class Unusable extends Error {
  override name = 'Unusable';
}

/** A row without a card. @param why reads on after the place */
export function refused(place: string, why: string): SourceRow {
  return { place, refused: why, value: {} };
}
