import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** A text of a part, by its key; `undefined`: there is none. */
export interface Row {
  part: string;
  key: string;
  value: string | undefined;
}

/**
 * What a row becomes; or what is added to the number in it, which is 0 where there is none, and which goes when it is
 * 0.
 */
export type Change = Row | { part: string; key: string; add: number };

export interface WriteOptions {
  /** Nothing is written unless these rows are as they are here. */
  ifStill?: readonly Row[];
  /** Nor unless the part has fewer rows. */
  ifFewer?: { part: string; than: number };
  /** A part is gone so long after the last write that left a row in it. */
  keepMs: number;
}

/**
 * What is kept of everything but cards and names: texts by part and key, in a file that one process owns, or in a Redis
 * that several share. No method rejects, and each costs one command.
 */
export interface Rows {
  /** Whether other processes may read and write the same. */
  readonly isShared: boolean;
  /** `false`: a write would not be sent. */
  readonly isReachable: boolean;
  /** How far the clock that all processes go by is ahead of this machine's. */
  readonly aheadMs: number;
  /** @param keys absent: all of the part @returns `undefined` when they cannot be read now */
  read(part: string, keys?: readonly string[]): Promise<ReadonlyMap<string, string> | undefined>;
  /**
   * Writes all changes or none.
   *
   * @returns `false` when the rows are not as expected; `undefined` when they cannot be written now, or nobody knows
   * whether
   *   they are
   */
  write(changes: readonly Change[], options: WriteOptions): Promise<boolean | undefined>;
  /** Deletes a row that its owner cannot read, with a line of the log that names it. */
  drop(part: string, key: string): void;
}

/**
 * The rows of a part, or some of them, from JSON. Those that cannot be read are dropped.
 *
 * @returns `undefined` when they cannot be read now
 */
export async function readJson<T extends z.ZodType>(
  rows: Rows,
  schema: T,
  part: string,
  keys?: readonly string[],
): Promise<Map<string, z.output<T>> | undefined> {
  const found = await rows.read(part, keys);
  const stored = storedJson(schema);
  const read = new Map<string, z.output<T>>();
  for (const [key, text] of found ?? []) {
    const { data, success } = stored.safeParse(text);
    if (success) read.set(key, data);
    else rows.drop(part, key);
  }
  return found && read;
}

/** A value that is stored as JSON. What is no JSON does not fit, like what has another form. */
export function storedJson<T extends z.ZodType>(schema: T) {
  return jsonIn(z.string(), 'not JSON').pipe(schema);
}

/** What a text says in JSON; `fault`: the issue where it is none, since the parser's own would show the text. */
export function jsonIn(text: z.ZodString, fault: string) {
  return text.transform((written, context): unknown => {
    try {
      return JSON.parse(written);
    } catch {
      context.addIssue(fault);
      return z.NEVER;
    }
  });
}

/** What a change makes of a row. */
type Updated<T> = Pick<WriteOptions, 'ifFewer'> & { changes: readonly Change[]; result: T };

/** After so many tries in vain, the others let this one write: it may be slow, and they quick. */
const TRIES_BEFORE_TURN = 3;
/** Some seconds: more processes than anybody has, on a busy machine. */
const MOST_TRIES = 100;
const TURN_MS = 1_000;
const WAIT_MS = 10;
const LONGEST_WAIT_MS = 100;

/**
 * Changes a row, and others with it, whoever else changes it meanwhile. Costs two commands, one where it is as it was
 * known to be, and two more for each time that another was faster.
 *
 * @param change may be called again, with what is stored by then; without changes nothing is written
 * @returns the result that was written; `undefined` when it cannot be written now
 */
export async function update<T>(
  rows: Rows,
  { part, key }: Pick<Row, 'part' | 'key'>,
  change: (before: string | undefined) => Updated<T> | Promise<Updated<T>>,
  { keepMs, known }: Pick<WriteOptions, 'keepMs'> & { known?: Pick<Row, 'value'> | undefined },
): Promise<T | undefined> {
  const turn = { part: `turn:${part}:${key}`, key: 'of' };
  let own: string | undefined;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const found = (tries === 1 && known) || (await readRow(rows, part, key));
    if (!found) return undefined;
    const { changes, result, ...unless } = await change(found.value);
    if (changes.length === 0 && own === undefined) return result; // with a turn it is given back
    const ifStill = [
      { part, key, value: found.value },
      { ...turn, value: own },
    ];
    const all = own ? [...changes, { ...turn, value: undefined }] : changes;
    const isWritten = await rows.write(all, { keepMs, ifStill, ...unless });
    if (isWritten !== false) return isWritten && result;
    if (tries >= TRIES_BEFORE_TURN) own = await takeTurn(rows, { ...turn, value: own });
    await sleep(Math.random() * Math.min(tries * WAIT_MS, LONGEST_WAIT_MS));
  }
  return undefined;
}

async function readRow(rows: Rows, part: string, key: string): Promise<Pick<Row, 'value'> | undefined> {
  const found = await rows.read(part, [key]);
  return found && { value: found.get(key) };
}

async function takeTurn(rows: Rows, before: Row): Promise<string | undefined> {
  const value = String(Math.random());
  return (await rows.write([{ ...before, value }], { ifStill: [before], keepMs: TURN_MS })) ? value : undefined;
}

/** While `movedBy` reads: how far the clock that is to be gone by is ahead of the one that moments were noted by. */
let aheadMs = 0;

/** A moment of this machine's clock, counted since 1970 in whole units, or in milliseconds. */
export function momentIn(unitMs: number) {
  if (unitMs === 1) return z.number().overwrite((moment) => moment + aheadMs);
  return z.int().overwrite((moment) => moment + Math.round(aheadMs / unitMs));
}

export const Moment = momentIn(1);

/**
 * The same value by a clock that is `byMs` ahead of the one it was noted by: all that its schema says is a moment is
 * moved.
 *
 * @throws ZodError when it does not fit its schema
 */
export function movedBy<T extends z.ZodType>(schema: T, value: z.input<T>, byMs: number): z.output<T> {
  aheadMs = byMs;
  try {
    return schema.parse(value);
  } finally {
    aheadMs = 0;
  }
}
