import { randomUUID } from 'node:crypto';
import type { Job, Queue, Worker } from 'bullmq';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import { StoredReply } from '../../replies/stored-reply.ts';
import { openBullQueue } from './bull-queue.ts';
import type { RedisLink } from './redis-link.ts';

const JournalEntry = z.object({ home: z.string().nullable(), deferred: StoredReply });

/** A debt as it is written down, with the process that owes it; `null` when that left it to others. */
export type JournalEntry = z.infer<typeof JournalEntry>;

/** A debt that this process alone may look at for some seconds. */
export interface DueReply extends JournalEntry {
  job: Job<unknown>;
}

export interface ReplyJobsOptions {
  link: RedisLink;
  /** Of every key, with its version and without a colon at the end. */
  prefix: string;
  log: Logger;
  /** A debt is left alone for so long: most are paid by then. */
  firstLookMs: number;
}

/**
 * Debts as BullMQ jobs: each is delayed, and due when somebody should look whether its process is still alive. One costs
 * 1.5 kB of Redis; nothing but a few keys of the queue is left of it.
 *
 * @throws RedisUnavailable from every method, after 250 ms for each trip
 */
export class ReplyJobs {
  readonly #link: RedisLink;
  readonly #log: Logger;
  readonly #queue: Queue<unknown>;
  readonly #worker: Worker<unknown>;
  readonly #token = randomUUID();

  constructor({ link, prefix, log, firstLookMs }: ReplyJobsOptions) {
    this.#link = link;
    this.#log = log;
    const { queue, worker } = openBullQueue(link, prefix, firstLookMs);
    this.#queue = queue;
    this.#worker = worker;
    // Nobody listens to its events, of which it would keep 10,000. Redis may come back empty.
    const keepNoEvents = () => {
      this.#run(() => queue.getBackend().setQueueMeta({ 'opts.maxLenEvents': 0 })).catch(() => {});
    };
    keepNoEvents();
    link.onHealth(keepNoEvents);
  }

  /** @returns the process that owes it: this one, unless another has written it down before */
  async write(deferred: DeferredReply, home: string): Promise<string | null> {
    const jobId = toJobId(deferred.interactionId);
    // Does nothing when it is there already.
    await this.#run(() => this.#queue.add('reply', { home, deferred } satisfies JournalEntry, { jobId }));
    const written = await this.#run(() => this.#queue.getJob(jobId));
    const reply = written && this.#read(written);
    return reply ? reply.home : home;
  }

  /** @returns `false` when somebody is looking at it: worth another try */
  async remove(interactionId: string): Promise<boolean> {
    return (await this.#run(() => this.#queue.remove(toJobId(interactionId)))) !== 0;
  }

  /** Makes due what somebody has died over. */
  async recover(): Promise<void> {
    await this.#run(() => this.#worker.getBackend().moveStalledJobsToWait());
  }

  /** The next debt to look at. One that cannot be read is dropped, with a line in the log. */
  async nextDue(): Promise<DueReply | undefined> {
    for (;;) {
      const job = await this.#run(() => this.#worker.getNextJob(this.#token, { block: false }));
      if (job === undefined) return undefined;
      const reply = this.#read(job);
      if (reply) return { ...reply, job };
      await this.#complete(job);
    }
  }

  async strike({ job }: DueReply): Promise<void> {
    await this.#complete(job);
  }

  async postpone({ job }: DueReply, forMs: number): Promise<void> {
    await this.#run(() => job.moveToDelayed(Date.now() + forMs, this.#token));
  }

  /** @returns `false` when it was paid meanwhile */
  async claim({ job, deferred }: DueReply, home: string): Promise<boolean> {
    const claimed = await this.#run(async () => {
      await job.updateData({ home, deferred } satisfies JournalEntry);
      return true;
    });
    return claimed ?? false;
  }

  /** Makes a debt of `home` anybody's, and due at once. */
  async release({ interactionId }: DeferredReply, home: string): Promise<void> {
    const job = await this.#run(() => this.#queue.getJob(toJobId(interactionId)));
    if (job === undefined) return;
    const reply = this.#read(job);
    if (reply?.home !== home) return;
    await this.#run(() => job.updateData({ ...reply, home: null } satisfies JournalEntry));
    await this.#run(() => job.promote());
  }

  /** The connection stays open. Never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#worker.close(), this.#queue.close()]);
  }

  async #complete(job: Job<unknown>): Promise<void> {
    await this.#run(() => job.moveToCompleted(undefined, this.#token, false));
  }

  #read(job: Job<unknown>): JournalEntry | undefined {
    const { data, error } = JournalEntry.safeParse(job.data);
    if (error) this.#log.error({ err: error }, 'debt does not fit: it is dropped');
    return data;
  }

  /** @returns `undefined` also when BullMQ refused, because the job is no longer what it was */
  #run<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.#link.run(() =>
      work().catch((error: unknown) => {
        if (isRefusal(error)) return undefined;
        throw error;
      }),
    );
  }
}

/** BullMQ takes no id that is a plain number. */
function toJobId(interactionId: string): string {
  return `interaction-${interactionId}`;
}

/** BullMQ's own errors carry a number, those of the system a word. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
