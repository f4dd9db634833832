import type { Logger } from '../../log.ts';
import type { DeferredReply, ReplyJournal } from '../../replies/deferred-reply.ts';
import { nextStep } from './ownership.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import type { RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';
import { type DueReply, ReplyJobs } from './reply-jobs.ts';

export interface BullJournalOptions {
  link: RedisLink;
  processesAlive: Pick<ProcessesAlive, 'id' | 'isGone' | 'onHeartbeat'>;
  prefix: string;
  log: Logger;
  firstLookMs?: number;
  lookAgainMs?: number;
}

/** With 5 s until a process counts as dead, and a second until the next heartbeat: completed within 10 s of a kill. */
const FIRST_LOOK_MS = 5_000;
const LOOK_AGAIN_MS = 3_000;
const LONGEST_ROUND_MS = 2_000;
/** For handing over; the rest becomes due by itself. */
const HAND_OVER_MS = 500;

/**
 * The deferred replies of all processes, in Redis. Each is completed by its owner, from memory; when the owner is gone,
 * another process takes it over. While Redis is unavailable they are in memory only, and written when it is back.
 */
export class BullJournal implements ReplyJournal {
  readonly #jobs: ReplyJobs;
  readonly #processesAlive: BullJournalOptions['processesAlive'];
  readonly #log: Logger;
  readonly #lookAgainMs: number;
  readonly #pending = new Map<string, { deferred: DeferredReply; isWritten: boolean }>();
  /** Completed, and maybe still stored. */
  readonly #completed = new Set<string>();
  #takeOver: ((deferred: DeferredReply) => void) | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BullJournalOptions) {
    const { link, processesAlive, prefix, log, firstLookMs = FIRST_LOOK_MS, lookAgainMs = LOOK_AGAIN_MS } = options;
    this.#jobs = new ReplyJobs({ link, prefix, log, firstLookMs });
    this.#processesAlive = processesAlive;
    this.#log = log;
    this.#lookAgainMs = lookAgainMs;
    link.onHealth(() => {
      for (const pending of this.#pending.values()) pending.isWritten = false; // Redis may come back empty
    });
    processesAlive.onHeartbeat(() => {
      if (this.#isClosed) return;
      this.#round ??= unlessUnavailable(this.#runRound()).finally(() => {
        this.#round = undefined;
      });
    });
  }

  async add(deferred: DeferredReply): Promise<boolean> {
    this.#pending.set(deferred.interactionId, { deferred, isWritten: false });
    const owner = await unlessUnavailable(this.#write(deferred));
    if (owner === undefined || owner === this.#processesAlive.id) return true;
    this.#pending.delete(deferred.interactionId);
    return false;
  }

  async keeps(deferred: DeferredReply): Promise<boolean> {
    if (this.#pending.get(deferred.interactionId)?.isWritten) return true;
    return (await unlessUnavailable(this.#write(deferred))) !== undefined;
  }

  async remove(interactionId: string): Promise<void> {
    this.#pending.delete(interactionId);
    this.#completed.add(interactionId);
    await unlessUnavailable(this.#removeStored(interactionId));
  }

  takeOver(listener: (deferred: DeferredReply) => void): void {
    this.#takeOver = listener;
  }

  /** Under 1 s; what is not handed over by then is taken over once the others know that this process is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#round;
    await unlessUnavailable(this.#handOver(Date.now() + HAND_OVER_MS));
    await this.#jobs.close();
  }

  async #runRound(): Promise<void> {
    const untilMs = Date.now() + LONGEST_ROUND_MS; // the round of the next heartbeat continues with the rest
    const isOver = () => this.#isClosed || Date.now() > untilMs;
    for (const { deferred, isWritten } of this.#pending.values()) {
      if (isOver()) return;
      if (!isWritten) await this.#write(deferred);
    }
    await this.#removeCompleted(isOver);
    if (this.#takeOver === undefined || isOver()) return;
    await this.#jobs.recover();
    let takenOver = 0;
    while (!isOver()) {
      const due = await this.#jobs.nextDue();
      if (due === undefined) break;
      if (await this.#lookAt(due, this.#takeOver)) takenOver += 1;
    }
    if (takenOver > 0) this.#log.info({ count: takenOver }, 'deferred replies taken over');
  }

  /** @returns whether it was taken over */
  async #lookAt(due: DueReply, takeOver: (deferred: DeferredReply) => void): Promise<boolean> {
    const { interactionId } = due.deferred;
    const step = nextStep({
      owner: due.owner,
      self: this.#processesAlive.id,
      isPendingHere: this.#pending.has(interactionId),
      isCompletedHere: this.#completed.has(interactionId),
      isGone: (owner) => this.#processesAlive.isGone(owner),
    });
    if (step === 'remove') {
      await this.#jobs.removeDue(due);
      this.#completed.delete(interactionId);
      return false;
    }
    const takenOver = step === 'take over' && (await this.#jobs.claim(due, this.#processesAlive.id));
    if (takenOver) this.#pending.set(interactionId, { deferred: due.deferred, isWritten: true });
    try {
      await this.#jobs.postpone(due, this.#lookAgainMs);
    } finally {
      if (takenOver) takeOver(due.deferred);
    }
    return takenOver;
  }

  async #write(deferred: DeferredReply): Promise<string | null> {
    const owner = await this.#jobs.write(deferred, this.#processesAlive.id);
    const pending = this.#pending.get(deferred.interactionId);
    if (pending) pending.isWritten = true;
    else this.#completed.add(deferred.interactionId); // completed while it was being written
    return owner;
  }

  async #removeStored(interactionId: string): Promise<void> {
    if (await this.#jobs.remove(interactionId)) this.#completed.delete(interactionId);
  }

  async #removeCompleted(isOver: () => boolean): Promise<void> {
    for (const interactionId of this.#completed) {
      if (isOver()) return;
      await this.#removeStored(interactionId);
    }
  }

  /** Writes what no round has written yet: no other process knows of it. */
  async #handOver(untilMs: number): Promise<void> {
    await this.#removeCompleted(() => Date.now() > untilMs);
    for (const { deferred, isWritten } of this.#pending.values()) {
      if (Date.now() > untilMs) return;
      if (!isWritten) await this.#write(deferred);
      await this.#jobs.release(deferred, this.#processesAlive.id);
    }
  }
}
