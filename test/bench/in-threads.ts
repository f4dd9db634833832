import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const AT_ONCE = 2;

/**
 * What the module gives to `inItsThread`, for each of these, in a thread of its own, because fake time is global to one.
 * The longest should be first.
 */
export async function inThreads<Given, Found>(module: string, all: readonly Given[]): Promise<Found[]> {
  const found: Found[] = [];
  const left = all.entries();
  const inSequence = async () => {
    for (const [index, given] of left) {
      [found[index]] = await once(new Worker(new URL(module), { workerData: { module, given } }), 'message');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inSequence));
  return found;
}

/** In a thread of `inThreads`; elsewhere it does nothing. @param work whose result is plain data that a thread can post */
export async function inItsThread<Given>(module: string, work: (given: Given) => Promise<unknown>): Promise<void> {
  if (!isMainThread && workerData?.module === module) parentPort?.postMessage(await work(workerData.given));
}
