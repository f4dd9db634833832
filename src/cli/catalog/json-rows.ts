import { none } from 'stream-chain/core';
import { pipe } from 'stream-chain/utils/pipe.js';
import { ignore } from 'stream-json/filters/ignore.js';
import { pick } from 'stream-json/filters/pick.js';
import type { Token } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import type { Line } from './input.ts';
import { isObject, LONGEST_BYTES, type ReadRow, TOO_LONG, UnreadableFile } from './source-row.ts';

const ANY = '*';
/** Of an object around the cards, what is deeper than `../name.en` is not kept. */
const DEEPEST_AROUND = 2;
const UNPACKED = { streamValues: false, packStrings: false };

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
 * @param outer the objects around that first `*`, if anything needs them
 * @throws UnreadableFile at what is not JSON: the rest cannot be told apart
 */
export async function* jsonRows(
  bytes: AsyncIterable<Buffer>,
  rowsPath: string,
  outer: readonly object[] = [],
): AsyncGenerator<ReadRow> {
  const { before, after } = splitAtAny(rowsPath);
  let card = 0;
  /** Of the values that the parser is ahead. */
  const keys: (string | undefined)[] = [];
  const filter = (stack: readonly unknown[]) => {
    const isFound = stack.length === before.length + 1 && sharedSteps(stack, before) === before.length;
    if (isFound) keys.push(nameOf(stack.at(-1)));
    return isFound;
  };
  try {
    for await (const value of valuesIn(bytes, pick.withParser({ ...UNPACKED, filter })))
      for (const found of follow({ value, key: keys.shift(), around: outer }, after))
        yield rowOf(`card ${++card}`, found);
  } catch (error) {
    throw cannotBeRead(error, card);
  }
}

/** How many objects around a card `jsonRows` finds by itself. */
export function knownAround(rowsPath: string): number {
  return splitAtAny(rowsPath).after.filter((step) => step !== ANY).length;
}

/**
 * The objects around the first `*` of a path, innermost first, without what stands there and what is nested deeply. It takes
 * a run through the whole document: what they have may follow the cards.
 *
 * @throws UnreadableFile
 */
export async function outerObjects(bytes: AsyncIterable<Buffer>, rowsPath: string): Promise<object[]> {
  const { before } = splitAtAny(rowsPath);
  const filter = (stack: readonly unknown[]) => {
    const shared = sharedSteps(stack, before);
    return stack.length > shared + (shared === before.length ? 0 : DEEPEST_AROUND);
  };
  const outer: object[] = [];
  try {
    for await (let value of valuesIn(bytes, ignore.withParser({ ...UNPACKED, filter })))
      for (const step of [...before, ANY]) {
        if (isObject(value)) outer.unshift(value);
        value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
      }
  } catch (error) {
    throw cannotBeRead(error, 0);
  }
  return outer;
}

/** The part of a path before its first `*`, which is added at the end of one that has none, and the part after it. */
function splitAtAny(rowsPath: string): { before: RowsPath; after: RowsPath } {
  const path = [...rowsPath.split('.'), ANY];
  const at = path.indexOf(ANY);
  return { before: path.slice(0, at), after: path.slice(at + 1, -1) };
}

function sharedSteps(stack: readonly unknown[], path: RowsPath): number {
  const differs = path.findIndex((step, depth) => depth >= stack.length || step !== stack[depth]);
  return differs < 0 ? path.length : differs;
}

async function* valuesIn(
  bytes: AsyncIterable<Buffer>,
  tokens: ReturnType<typeof pick.withParser>,
): AsyncGenerator<unknown> {
  // Not as Node streams: when these fail, they drop what they have parsed.
  const run = pipe(() => bytes, tokens, boundedStrings(), streamValues());
  for await (const { value } of run<{ value: unknown }>()) yield value;
}

/** A value that a path leads to. */
interface Found {
  value: unknown;
  /** Its name in the object that it is a member of. */
  key: string | undefined;
  around: readonly object[];
}

/** The place in an array is no name. */
function nameOf(step: unknown): string | undefined {
  return typeof step === 'string' ? step : undefined;
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

function cannotBeRead(error: unknown, cards: number): unknown {
  if (!isSyntaxError(error)) return error;
  return new UnreadableFile(cards === 0 ? 'is not JSON' : `is not JSON after card ${cards}`, { cause: error });
}

/** stream-json has no class for its errors; the other one is for values that are nested too deep. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.message.startsWith('Parser '));
}
