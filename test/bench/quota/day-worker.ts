import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ContestantDay, contestantDays } from './contestant-days.ts';

/** `contestantDays` in a thread of its own: faked time is global, and two days go side by side on two cores. */
export async function dayInThread(firstHourShare: number): Promise<ContestantDay[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: firstHourShare });
  const [days]: ContestantDay[][] = await once(worker, 'message');
  if (days === undefined) throw new Error('the thread said nothing');
  return days;
}

if (!isMainThread && parentPort) {
  Error.stackTraceLimit = 0; // nobody reads the stacks of 400,000 refused requests
  parentPort.postMessage(await contestantDays(Number(workerData)));
}
