import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { concurrently } from './concurrently.ts';

const AT_ONCE = 2;

/**
 * What the module gives to `inItsThread`, for each of these, in a thread of its own, because fake time is global to one.
 * The longest should be first.
 */
export async function inThreads<Given, Found>(module: string, all: readonly Given[]): Promise<Found[]> {
  const found: Found[] = [];
  await concurrently(all.entries(), AT_ONCE, async ([index, given]) => {
    [found[index]] = await once(new Worker(new URL(module), { workerData: { module, given } }), 'message');
  });
  return found;
}

/** In a thread of `inThreads`; elsewhere it does nothing. @param work whose result is plain data that a thread can post */
export async function inItsThread<Given>(module: string, work: (given: Given) => Promise<unknown>): Promise<void> {
  if (!isMainThread && workerData?.module === module) parentPort?.postMessage(await work(workerData.given));
}
