import { none } from 'stream-chain/core';
import { pipe } from 'stream-chain/utils/pipe.js';
import { pick } from 'stream-json/filters/pick.js';
import type { Token } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import type { Line } from './input.ts';
import { isObject, LONGEST_BYTES, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const ANY = '*';
const LONGEST_WHOLE_BYTES = 16 * 1024 * 1024;

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
 * The cards of a JSON document. One value at the first `*` of the path is in memory at a time, unless cards need what is
 * around that: it may follow them, so the document is read as a whole.
 *
 * @param rowsPath such as `data.*.cards`; an array at its end stands for its elements
 * @param levels how many of the objects around a card are needed
 * @throws UnreadableFile at what is not JSON: the rest cannot be told apart
 */
export async function* jsonRows(bytes: AsyncIterable<Buffer>, rowsPath: string, levels = 0): AsyncGenerator<ReadRow> {
  const steps = [...rowsPath.split('.'), ANY];
  const firstAny = steps.indexOf(ANY);
  const isWhole = levels > steps.slice(firstAny).filter((step) => step !== ANY).length;
  const before = isWhole ? [] : steps.slice(0, firstAny + 1);
  const after = steps.slice(before.length, steps.length - 1 === firstAny ? undefined : -1);
  let card = 0;
  /** Names of the values that the parser is ahead. */
  const keys: (string | undefined)[] = [];
  const filter = (stack: readonly unknown[]) => {
    const isFound = stack.length === before.length && before.every((step, at) => step === ANY || step === stack[at]);
    const key = stack.at(-1);
    if (isFound) keys.push(typeof key === 'string' ? key : undefined);
    return isFound;
  };
  // Not as Node streams: when these fail, they drop what they have parsed.
  const run = pipe(
    () => (isWhole ? atMost(LONGEST_WHOLE_BYTES, bytes) : bytes),
    pick.withParser({ filter, streamValues: false, packStrings: false }),
    boundedStrings(),
    streamValues(),
  );
  try {
    for await (const { value } of run<{ value: unknown }>())
      for (const found of follow({ value, key: keys.shift(), around: [] }, after)) yield rowOf(`card ${++card}`, found);
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new UnreadableFile(card === 0 ? 'is not JSON' : `is not JSON after card ${card}`, { cause: error });
  }
}

async function* atMost(most: number, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > most) throw new UnreadableFile('is larger than 16 MB, so ../ reaches only what --rows has after a *');
    yield chunk;
  }
}

/** A value that a path leads to. */
interface Found {
  value: unknown;
  /** Its name in the object that it is a member of. */
  key: string | undefined;
  around: readonly object[];
}

function rowOf(place: string, { value, key, around }: Found): ReadRow {
  if (!isObject(value)) return { place, refused: 'is not an object' };
  return hasTooLong(value) ? { place, refused: TOO_LONG } : { place, value, around, key };
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

/** What a path leads to, with the objects on the way. */
function* follow(found: Found, [step, ...rest]: RowsPath): Generator<Found, undefined> {
  if (step === undefined && !Array.isArray(found.value)) yield found;
  else for (const each of membersOf(found, step ?? ANY)) yield* follow(each, rest);
}

function membersOf({ value, around }: Found, step: string): Found[] {
  if (Array.isArray(value)) return step === ANY ? value.map((each) => ({ value: each, key: undefined, around })) : [];
  if (!isObject(value)) return [];
  const within = [value, ...around];
  return Object.entries(value).flatMap(([key, each]) =>
    step === ANY || step === key ? { value: each, key, around: within } : [],
  );
}

/** stream-json has no class for its errors; the other one is for values that are nested too deep. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.message.startsWith('Parser '));
}
