import { createRedisBackend, Queue, Worker } from 'bullmq';
import type { RedisLink } from './redis-link.ts';

const QUEUE = 'replies';
/** Looking at a job takes a few ms; a process that died over it is noticed within this and the check. */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;

/**
 * BullMQ over the shared connection, which it leaves open. The worker fetches jobs only when asked: one
 * that runs by itself blocks a second connection, waits without limit while Redis is unavailable, and comes back late.
 */
export function openBullQueue(link: RedisLink, prefix: string, delayMs: number) {
  const shared = {
    connection: link.client,
    prefix,
    // Fail at once while there is no connection, and send no command on connecting that could fail for good.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  };
  const queue: Queue<unknown> = new Queue(QUEUE, {
    ...shared,
    defaultJobOptions: { delay: delayMs, removeOnComplete: true },
    skipMetasUpdate: true,
  });
  const worker: Worker<unknown> = new Worker(
    QUEUE,
    null,
    { ...shared, lockDuration: LOCK_MS, stalledInterval: STALLED_CHECK_MS, maxStalledCount: Number.MAX_SAFE_INTEGER },
    (name, options) => createRedisBackend(name, options), // without a blocking connection
  );
  const handledByLink = () => {};
  queue.on('error', handledByLink);
  worker.on('error', handledByLink);
  return { queue, worker };
}
