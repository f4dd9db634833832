import type { Line } from './lines.ts';
import { isObject, type ReadRow, TOO_LONG } from './source-row.ts';

/** The cards of a JSON Lines file: an object in each line. */
export async function* jsonLinesRows(chunks: AsyncIterable<Line[]>): AsyncGenerator<ReadRow[]> {
  for await (const lines of chunks) yield lines.filter(({ text }) => text?.trim() !== '').map(rowOf);
}

function rowOf({ number, text }: Line): ReadRow {
  const place = `line ${number}`;
  if (text === undefined) return { place, refused: TOO_LONG };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { place, value, around: [] } : { place, refused: 'is not an object' };
  } catch {
    return { place, refused: 'is not JSON' };
  }
}
