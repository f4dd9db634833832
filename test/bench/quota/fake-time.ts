import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { type FakeMethod, install } from '@sinonjs/fake-timers';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';

/** Left alone: `setImmediate`, which lets all that follows from one timer happen before the next. */
const FAKED: FakeMethod[] = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'];

/**
 * Runs `work` in a world whose time goes from timer to timer without waiting, and whose chance is repeatable. Neither
 * sockets nor `AbortSignal.timeout` nor `node:timers/promises` know of that time.
 *
 * @throws what `work` throws, and Error when it waits for something that no timer will bring
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
    while (!over) {
      await turnOfTheLoop();
      if (over) break;
      if (clock.countTimers() === 0) throw new Error('nothing left that could happen');
      clock.next();
    }
    return await result;
  } finally {
    Math.random = realRandom;
    clock.uninstall();
  }
}
