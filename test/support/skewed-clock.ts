import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';

const aheadMs = new AsyncLocalStorage<number>();

/** Runs work, and everything asynchronous that it starts, with a clock that is ahead; until `vi.restoreAllMocks`. */
export function onMachineAhead<T>(byMs: number, work: () => T): T {
  if (!vi.isMockFunction(Date.now)) {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + (aheadMs.getStore() ?? 0));
  }
  return aheadMs.run(byMs, work);
}
