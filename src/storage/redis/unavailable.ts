import { setImmediate as nextIoPhase } from 'node:timers/promises';
import { ErrorReply, SocketTimeoutError } from '@redis/client';
import { withTimeout } from '../../time/timers.ts';

/** Redis cannot be used now; the caller says so, or does it when it is back. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

/** What an answer says of Redis as a whole, by how it begins. */
const ANSWERS = {
  /** It takes no writes: a replica, memory used up, a disk that fails, too few replicas. */
  refusesWrites: /^(READONLY|OOM|MISCONF|NOREPLICAS)\b/,
  /** After a failover, the old primary. */
  isReplica: /^READONLY\b/,
  /** It answers, but not to this client or not now: password, still loading. */
  refusesAll: /^(NOAUTH|WRONGPASS|LOADING|MASTERDOWN|BUSY)\b/,
  /** An ACL does not permit this command or key; three versions word it for scripts. */
  forbids: /^(NOPERM|ERR ACL failure|ERR The user executing the script can't)\b/,
};

export function says(what: keyof typeof ANSWERS, error: unknown): boolean {
  return error instanceof ErrorReply && ANSWERS[what].test(error.message);
}

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Whether Redis as a whole cannot be used; `false` when only this command, or the code of the bot, is wrong. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ErrorReply) return says('refusesWrites', error) || says('refusesAll', error);
  return !BUGS.some((kind) => error instanceof kind);
}

/** Whether a command failed because of what it found under its keys. */
export function isOfContent(error: unknown): boolean {
  const { cause } = error instanceof RedisUnavailable ? error : {};
  return cause instanceof ErrorReply && !isOutage(cause) && !says('forbids', cause);
}

/** @returns `undefined` while Redis is unavailable @throws any other error of `work` */
export async function unlessUnavailable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RedisUnavailable) return undefined;
    throw error;
  }
}

/** A step in which the event loop was blocked counts as one step, however long it took. */
const WAIT_STEP_MS = 50;

/** @throws RedisUnavailable when the time is over, and what `work` throws */
export async function withinAnswerTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const settled = work.then((value) => ({ value }));
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += WAIT_STEP_MS) {
    const inStep = await withTimeout(WAIT_STEP_MS, settled);
    if (inStep !== undefined) return inStep.value;
  }
  // The event loop may have been blocked in the last step: read what has arrived by now.
  const arrived = await Promise.race([settled, nextIoPhase().then(() => nextIoPhase(undefined))]);
  if (arrived === undefined) throw new RedisUnavailable(`no answer within ${timeoutMs} ms`);
  return arrived.value;
}

export function messageOf(error: unknown): string {
  if (error instanceof SocketTimeoutError) return 'no answer';
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}
