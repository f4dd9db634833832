import { randomUUID } from 'node:crypto';
import type { Job, Queue, Worker } from 'bullmq';
import { z } from 'zod';
import type { Logger } from '../../log.ts';
import { DeferredReply } from '../../replies/deferred-reply.ts';
import { openBullQueue } from './bull-queue.ts';
import type { RedisLink } from './redis-link.ts';

/** Stored with `home` for the owner. */
const StoredEntry = z.object({ home: z.string().nullable(), deferred: DeferredReply });
/** Earlier versions called the reply a debt, and its query a question. */
const EarlierEntry = z
  .object({ home: z.string().nullable(), debt: z.looseObject({ question: z.unknown() }) })
  .transform(({ home, debt: { question, ...reply } }) => ({ home, deferred: { ...reply, query: question } }))
  .pipe(StoredEntry);
const JournalEntry = z
  .union([StoredEntry, EarlierEntry])
  .transform(({ home, deferred }) => ({ owner: home, deferred }));

/** A stored deferred reply, and the process that will complete it; `null` when its owner has left it to any other. */
export type JournalEntry = z.output<typeof JournalEntry>;

/** A deferred reply that this process alone may look at, until the lock of its job expires. */
export interface DueReply extends JournalEntry {
  job: Job<unknown>;
}

export interface ReplyJobsOptions {
  link: RedisLink;
  /** Of every key, with its version and without a colon at the end. */
  prefix: string;
  log: Logger;
  /** A deferred reply is due for a look after this long: most are completed by then. */
  firstLookMs: number;
}

/**
 * Deferred replies as BullMQ jobs: each is delayed, and due when a process should look whether its owner is still alive.
 * One costs 1.5 kB of Redis; once completed, nothing but a few keys of the queue is left.
 *
 * @throws RedisUnavailable from every method, after 250 ms for each round trip
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
    // BullMQ would keep 10,000 events, and nothing reads them. Set again because Redis may come back empty.
    const keepNoEvents = () => {
      this.#run(() => queue.getBackend().setQueueMeta({ 'opts.maxLenEvents': 0 })).catch(() => {});
    };
    keepNoEvents();
    link.onHealth(keepNoEvents);
  }

  /** @returns the owner: the given one, unless another process has stored it before */
  async write(deferred: DeferredReply, owner: string): Promise<string | null> {
    const jobId = toJobId(deferred.interactionId);
    // Has no effect when the job exists.
    await this.#run(() => this.#queue.add('reply', toStored({ owner, deferred }), { jobId }));
    const written = await this.#run(() => this.#queue.getJob(jobId));
    const entry = written && this.#read(written);
    return entry ? entry.owner : owner;
  }

  /** @returns `false` while a process looks at it: worth another try */
  async remove(interactionId: string): Promise<boolean> {
    return (await this.#run(() => this.#queue.remove(toJobId(interactionId)))) !== 0;
  }

  /** Makes those due again that a process died over while it looked at them. */
  async recover(): Promise<void> {
    await this.#run(() => this.#worker.getBackend().moveStalledJobsToWait());
  }

  /** The next deferred reply to look at. An invalid one is dropped and logged. */
  async nextDue(): Promise<DueReply | undefined> {
    for (;;) {
      const job = await this.#run(() => this.#worker.getNextJob(this.#token, { block: false }));
      if (job === undefined) return undefined;
      const entry = this.#read(job);
      if (entry) return { ...entry, job };
      await this.#complete(job);
    }
  }

  async removeDue({ job }: DueReply): Promise<void> {
    await this.#complete(job);
  }

  async postpone({ job }: DueReply, forMs: number): Promise<void> {
    await this.#run(() => job.moveToDelayed(Date.now() + forMs, this.#token));
  }

  /** @returns `false` when it was completed meanwhile */
  async claim({ job, deferred }: DueReply, owner: string): Promise<boolean> {
    const claimed = await this.#run(async () => {
      await job.updateData(toStored({ owner, deferred }));
      return true;
    });
    return claimed ?? false;
  }

  /** Leaves a deferred reply of `owner` to any other process, due at once. */
  async release({ interactionId }: DeferredReply, owner: string): Promise<void> {
    const job = await this.#run(() => this.#queue.getJob(toJobId(interactionId)));
    if (job === undefined) return;
    const entry = this.#read(job);
    if (entry?.owner !== owner) return;
    await this.#run(() => job.updateData(toStored({ ...entry, owner: null })));
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
    if (error) this.#log.error({ err: error }, 'invalid deferred reply: it is dropped');
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

function toStored({ owner, deferred }: JournalEntry): z.input<typeof StoredEntry> {
  return { home: owner, deferred };
}

/** BullMQ accepts no id that is a plain number. */
function toJobId(interactionId: string): string {
  return `interaction-${interactionId}`;
}

/** Errors of BullMQ have a number as their code, those of the system a string. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
