import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/filters/pick.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { boundedStrings } from './bounded-strings.ts';
import { isObject, LONGEST_BYTES, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const ANY = '*';

/** Where cards stand in a JSON document: names of members, `*` for every member or element. */
export type RowsPath = readonly string[];

/** `data.*.cards` → `['data', '*', 'cards']`. An array at the end of a path stands for its elements. */
export function parseRowsPath(text: string): RowsPath {
  const steps = text.split('.');
  return steps.includes(ANY) ? steps : [...steps, ANY];
}

/**
 * The cards of a JSON document. One value at the first `*` of the path is in memory at a time.
 *
 * @throws UnreadableFile at what is not JSON: the rest cannot be told apart
 */
export async function* jsonRows(bytes: AsyncIterable<Buffer>, path: RowsPath): AsyncGenerator<ReadRow[]> {
  const [outer, inner] = [path.slice(0, path.indexOf(ANY)), path.slice(path.indexOf(ANY) + 1)];
  const isUnit = (stack: readonly unknown[]) =>
    stack.length === outer.length + 1 && outer.every((step, depth) => step === stack[depth]);
  // Not as Node streams: when these fail, they drop what they have parsed.
  const unitsOf = pipe(
    () => boundedStrings(bytes),
    pick.withParser({ filter: isUnit, streamValues: false }),
    streamValues(),
  );
  let card = 0;
  try {
    for await (const unit of unitsOf<{ value: unknown }>()) {
      yield follow(unit.value, inner, [])
        .map(({ value, around }): ReadRow => {
          const place = `card ${++card}`;
          if (!isObject(value)) return { place, refused: 'is not an object' };
          return hasTooLong(value) ? { place, refused: TOO_LONG } : { place, value, around };
        })
        .toArray();
    }
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new UnreadableFile(card === 0 ? 'is not JSON' : `is not JSON after card ${card}`, { cause: error });
  }
}

function hasTooLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > LONGEST_BYTES;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTooLong);
}

/** What a path leads to, with the objects on the way, innermost first. */
function* follow(
  value: unknown,
  [step, ...rest]: RowsPath,
  around: readonly object[],
): Generator<{ value: unknown; around: readonly object[] }, undefined> {
  if (step === undefined && !Array.isArray(value)) yield { value, around };
  else if (typeof value === 'object' && value !== null) {
    const within = isObject(value) ? [value, ...around] : around;
    const next = step === undefined || step === ANY ? Object.values(value) : [Reflect.get(value, step)];
    for (const each of next) if (each !== undefined) yield* follow(each, rest, within);
  }
}

/** stream-json has no class for its errors; the other one is for values that are nested too deep. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.message.startsWith('Parser '));
}
