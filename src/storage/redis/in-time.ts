import { setImmediate as ioTurn } from 'node:timers/promises';
import { withTimeout } from '../../time/timers.ts';
import { RedisAway } from './redis-errors.ts';

/** Nothing waits longer for Redis; on one machine it answers within 1 ms, in one data centre within 5. */
const LONGEST_WAIT_MS = 250;
/** One in which this process was too busy to hear anything is one step, however long it took. */
const WAIT_STEP_MS = 50;

/** @throws RedisAway after 250 ms, and what `work` throws */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const settled = work.then((value) => ({ value }));
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += WAIT_STEP_MS) {
    const inStep = await withTimeout(WAIT_STEP_MS, settled);
    if (inStep !== undefined) return inStep.value;
  }
  // The last step may be the one in which this process was busy: what has arrived by now counts.
  const arrived = await Promise.race([settled, ioTurn().then(() => ioTurn(undefined))]);
  if (arrived === undefined) throw new RedisAway(`no answer within ${LONGEST_WAIT_MS} ms`);
  return arrived.value;
}
