import { setImmediate as nextIoPhase } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { withTimeout } from '../../time/timers.ts';

/** Redis cannot be used now; the caller goes on without it. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

/** Redis answers, but takes no writes: a replica, memory used up, a disk that fails, too few replicas. */
const REFUSED_WRITE = /^(READONLY|OOM|MISCONF|NOREPLICAS)\b/;
/** Redis answers, but not to this client or not now: password, permission, still loading. */
const REFUSED_ALL = /^(NOAUTH|WRONGPASS|NOPERM|LOADING|MASTERDOWN|CLUSTERDOWN|BUSY)\b/;

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

export function isRefusedWrite(error: unknown): boolean {
  return error instanceof ErrorReply && REFUSED_WRITE.test(error.message);
}

/** Whether Redis as a whole cannot be used; `false` when only this command, or the code of the bot, is wrong. */
export function isOutage(error: unknown): boolean {
  if (BUGS.some((kind) => error instanceof kind)) return false;
  return !(error instanceof ErrorReply) || isRefusedWrite(error) || REFUSED_ALL.test(error.message);
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

/** The longest wait for an answer: on one machine it comes within 1 ms, in one data centre within 5. */
export const ANSWER_TIMEOUT_MS = 250;
/** A step in which the event loop was blocked counts as one step, however long it took. */
const WAIT_STEP_MS = 50;

/** @throws RedisUnavailable when the time is over, and what `work` throws */
export async function withinAnswerTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
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
