import { none } from 'stream-chain/core';
import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/filters/pick.js';
import type { Token } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import type { Line } from './input.ts';
import { isObject, LONGEST_BYTES, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const ANY = '*';

/** Where cards stand in a JSON document: names of members, `*` for every member or element. */
type RowsPath = readonly string[];

/** The cards of a JSON Lines file: an object in each line. */
export async function* jsonLinesRows(lines: AsyncIterable<Line>): AsyncGenerator<ReadRow> {
  for await (const { number, text } of lines) {
    const place = `line ${number}`;
    if (text === undefined) yield { place, refused: TOO_LONG };
    else if (text.trim() !== '') yield { place, ...parsed(text) };
  }
}

function parsed(text: string): { value: object; around: [] } | { refused: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value, around: [] } : { refused: 'is not an object' };
  } catch {
    return { refused: 'is not JSON' };
  }
}

/**
 * The cards of a JSON document. One value at the first `*` of the path is in memory at a time.
 *
 * @param rowsPath such as `data.*.cards`; an array at its end stands for its elements
 * @throws UnreadableFile at what is not JSON: the rest cannot be told apart
 */
export async function* jsonRows(bytes: AsyncIterable<Buffer>, rowsPath: string): AsyncGenerator<ReadRow> {
  const steps = rowsPath.split('.');
  const path = steps.includes(ANY) ? steps : [...steps, ANY];
  const firstAny = path.indexOf(ANY);
  let card = 0;
  try {
    for await (const unit of valuesAt(bytes, path.slice(0, firstAny))) {
      for (const { value, around } of follow(unit.value, path.slice(firstAny + 1), []))
        yield rowOf(`card ${++card}`, value, around);
    }
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new UnreadableFile(card === 0 ? 'is not JSON' : `is not JSON after card ${card}`, { cause: error });
  }
}

/** The members or elements of what stands at the end of a path. */
function valuesAt(bytes: AsyncIterable<Buffer>, path: RowsPath): AsyncGenerator<{ value: unknown }> {
  const filter = (stack: readonly unknown[]) =>
    stack.length === path.length + 1 && path.every((step, depth) => step === stack[depth]);
  // Not as Node streams: when these fail, they drop what they have parsed.
  const run = pipe(
    () => bytes,
    pick.withParser({ filter, streamValues: false, packStrings: false }),
    boundedStrings(),
    streamValues(),
  );
  return run<{ value: unknown }>();
}

function rowOf(place: string, value: unknown, around: readonly object[]): ReadRow {
  if (!isObject(value)) return { place, refused: 'is not an object' };
  return hasTooLong(value) ? { place, refused: TOO_LONG } : { place, value, around };
}

/** Puts strings together as far as they are not much longer than 1 MB, so that the rest of one takes no memory. */
function boundedStrings() {
  let text = '';
  return (token: Token) => {
    switch (token.name) {
      case 'startString':
        text = '';
        return none;
      case 'stringChunk':
        if (text.length <= LONGEST_BYTES) text += token.value;
        return none;
      case 'endString':
        return { name: 'stringValue', value: text };
      default:
        return token;
    }
  };
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
