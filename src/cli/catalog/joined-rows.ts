import type { Joined } from './field-path.ts';
import type { Input } from './input.ts';
import { readRows } from './read-rows.ts';
import { UnreadableFile } from './source-row.ts';

/** A list of sets has some thousands. */
const MOST_ROWS = 100_000;

/**
 * Reads a file whose rows stand in for the values of a field: those with this value in the field of the same name, else
 * as their `id`.
 *
 * @throws UnreadableFile
 */
export async function readJoined(field: string, input: Input): Promise<Joined> {
  const rows = new Map<string, object>();
  for await (const row of each(readRows(input, undefined).rows)) {
    if (!('value' in row)) continue;
    const key: unknown = Reflect.get(row.value, field) ?? Reflect.get(row.value, 'id');
    if (key !== undefined) rows.set(String(key), row.value);
    if (rows.size > MOST_ROWS) throw new UnreadableFile(`has more than ${MOST_ROWS} rows`);
  }
  if (rows.size === 0) throw new UnreadableFile(`has no row with ${field} or id`);
  return { field, rows };
}

async function* each<T>(chunks: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const chunk of chunks) yield* chunk;
}
