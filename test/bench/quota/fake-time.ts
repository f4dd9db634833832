import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { type FakeMethod, install } from '@sinonjs/fake-timers';
import { seededRandom } from '../../../sandbox/seeded-random.ts';

/** Not faked: `setImmediate`, with which everything that follows from one timer runs before the next. */
const FAKED: FakeMethod[] = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'];

/** Files and threads answer in real time, without a timer. */
const LONGEST_REAL_WAIT_MS = 2_000;

/**
 * Runs `work` with a time that jumps from timer to timer without waiting, and with repeatable random numbers. Sockets,
 * `AbortSignal.timeout` and `node:timers/promises` still use real time.
 *
 * @throws what `work` throws, and Error when it waits although no timer is left
 */
export async function inFakeTime<T>(startMs: number, work: () => Promise<T>): Promise<T> {
  const realRandom = Math.random;
  const clock = install({ now: startMs, toFake: FAKED });
  Math.random = seededRandom('chance');
  try {
    let over = false;
    const result = work().finally(() => {
      over = true;
    });
    result.catch(() => {}); // thrown below
    let timerAtMs = realNowMs();
    while (!over) {
      // One question of names after the other is answered so, all at the same time.
      do await nextLoopIteration();
      while (process.getActiveResourcesInfo().includes('Immediate'));
      if (over) break;
      if (clock.countTimers() > 0) {
        clock.next();
        timerAtMs = realNowMs();
      } else if (realNowMs() - timerAtMs > LONGEST_REAL_WAIT_MS) throw new Error('no timer left to wait for');
    }
    return await result;
  } finally {
    Math.random = realRandom;
    clock.uninstall();
  }
}

function realNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
