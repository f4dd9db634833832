import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/filters/pick.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { isObject } from '../../model/field-source.ts';
import { withinJsonLimits } from './json-limits.ts';
import { refused, type SourceRow, Unusable } from './source-row.ts';

const ANY = '*';
const LONGEST_WHOLE_BYTES = 16 * 1024 * 1024;

/**
 * The cards of a JSON document. One value at the first `*` of the path is in memory at a time, unless cards need what
 * is around that: it may follow them, so the document is read as a whole.
 *
 * @param rowsPath names of members, and `*` for every member or element: `data.*.cards`; an array at its end stands for its elements
 * @param levels how many of the objects around a card are needed
 * @throws Unusable at what is not JSON: the rest cannot be told apart
 */
export async function* jsonRows(bytes: AsyncIterable<Buffer>, rowsPath: string, levels = 0): AsyncGenerator<SourceRow> {
  const named = rowsPath.split('.');
  const steps = named.includes(ANY) ? named : [...named, ANY];
  const firstAny = steps.indexOf(ANY);
  const isWhole = levels > steps.slice(firstAny).filter((step) => step !== ANY).length;
  const before = isWhole ? [] : steps.slice(0, firstAny + 1);
  const filter = (stack: readonly unknown[]) =>
    stack.length === before.length && before.every((step, at) => step === ANY || step === stack[at]);
  // Not as Node streams: when these fail, they drop what they have parsed.
  const values = pipe(
    () => withinJsonLimits(isWhole ? atMost(LONGEST_WHOLE_BYTES, bytes) : bytes, before.length),
    pick.withParser({ filter, streamValues: false }),
    streamValues(),
  );
  let card = 0;
  try {
    for await (const { value } of values<{ value: unknown }>())
      for (const found of follow({ value, around: [] }, steps.slice(before.length))) {
        const place = `card ${++card}`;
        const { value } = found;
        yield isObject(value) ? { ...found, value, place } : refused(place, 'is not an object');
      }
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new Unusable(card === 0 ? 'is not JSON' : `is not JSON after card ${card}`, { cause: error });
  }
}

async function* atMost(most: number, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > most) throw new Unusable('is larger than 16 MB, too large for what is around all its cards');
    yield chunk;
  }
}

/** A value that a path leads to, with the objects on the way. */
type Found = Pick<SourceRow, 'key'> & { value: unknown; around: readonly object[] };

function* follow(found: Found, [step, ...rest]: readonly string[]): Generator<Found, undefined> {
  if (step === undefined && !Array.isArray(found.value)) yield found;
  else for (const each of membersOf(found, step ?? ANY)) yield* follow(each, rest);
}

function membersOf({ value, around }: Found, step: string): Found[] {
  if (Array.isArray(value)) return step === ANY ? value.map((each) => ({ value: each, around })) : [];
  if (!isObject(value)) return [];
  const members = Object.entries(value).filter(([key]) => step === ANY || step === key);
  return members.map(([key, each]) => ({ value: each, key, around: [value, ...around] }));
}

/** stream-json has no class for its errors; the other one is for values that are nested too deep. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.message.startsWith('Parser '));
}
