import { ErrorReply } from 'redis';

/** Redis cannot be used now. Whoever meets this goes on without it. */
export class RedisAway extends Error {
  override name = 'RedisAway';
}

/** Redis answers, but takes no writes: a replica, memory used up, a disk that fails, too few replicas. */
const REFUSED_WRITE = /^(READONLY|OOM|MISCONF|NOREPLICAS)\b/;
/** Redis answers that it cannot be used as things are: no password or another, no permission, still loading. */
const UNUSABLE = /^(NOAUTH|WRONGPASS|NOPERM|LOADING|MASTERDOWN|CLUSTERDOWN|BUSY)\b/;

const OWN_MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

export function isRefusedWrite(error: unknown): boolean {
  return error instanceof ErrorReply && REFUSED_WRITE.test(error.message);
}

/** Whether Redis is in trouble, and not one command, or our own code, wrong. */
export function isTrouble(error: unknown): boolean {
  if (OWN_MISTAKES.some((kind) => error instanceof kind)) return false;
  return !(error instanceof ErrorReply) || isRefusedWrite(error) || UNUSABLE.test(error.message);
}

/** @returns `undefined` while Redis is away @throws what else `work` throws */
export async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RedisAway) return undefined;
    throw error;
  }
}
