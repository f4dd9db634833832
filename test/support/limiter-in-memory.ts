import { type DocumentOptions, LimiterDocument } from '../../src/limiter/document.ts';
import type { Rows } from '../../src/model/rows.ts';

/** The rows of one process, as they are kept over its restarts. */
export function rowsInMemory(isShared = false): Rows {
  const stored = new Map<string, string>();
  return {
    ...{ isShared, isReachable: true, aheadMs: 0 },
    read: async () => stored,
    write: async (changes) => {
      for (const change of changes) if ('value' in change && change.value) stored.set(change.key, change.value);
      return true;
    },
    drop() {},
  };
}

let started = 0;

/** The limiter's document of a process that shares it with no other. */
export function limiterInMemory(
  options: Pick<DocumentOptions, 'terms' | 'log'>,
  rows = rowsInMemory(),
): LimiterDocument {
  const id = `run ${++started}`;
  return new LimiterDocument({
    ...options,
    rows,
    account: 'account',
    processes: { id, isDead: () => true, onLook() {} },
  });
}
