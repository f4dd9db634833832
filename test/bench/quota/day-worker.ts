import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ContestantDay, contestantDays } from './contestant-days.ts';

/** `contestantDays` in its own thread: fake time is global to a thread, and two days run in parallel on two cores. */
export async function dayInThread(firstHourShare: number): Promise<ContestantDay[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: firstHourShare });
  const [days]: ContestantDay[][] = await once(worker, 'message');
  if (days === undefined) throw new Error('the thread posted no result');
  return days;
}

if (!isMainThread && parentPort) {
  Error.stackTraceLimit = 0; // the stacks of 400,000 refused requests are not used
  parentPort.postMessage(await contestantDays(Number(workerData)));
}
