import type { Logger } from '../../log.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import type { ReplyJournal } from '../../replies/reply-journal.ts';
import { nextStep } from './ownership.ts';
import type { ProcessesAlive } from './processes-alive.ts';
import type { RedisLink } from './redis-link.ts';
import { unlessUnavailable } from './redis-unavailable.ts';
import { type DueReply, ReplyJobs } from './reply-jobs.ts';

export interface BullJournalOptions {
  link: RedisLink;
  processesAlive: Pick<ProcessesAlive, 'id' | 'isGone' | 'onBeat'>;
  prefix: string;
  log: Logger;
  firstLookMs?: number;
  lookAgainMs?: number;
}

/** With 5 s until a process is taken for dead, and a second until the next look: paid within 10 s of a kill. */
const FIRST_LOOK_MS = 5_000;
const LOOK_AGAIN_MS = 3_000;
const LONGEST_ROUND_MS = 2_000;
/** For handing over; what is left comes due by itself. */
const LAST_WORDS_MS = 500;

/**
 * The debts of all processes, in Redis. Whoever owes one pays it from memory; when its process is gone, one of the
 * others makes it its own. While Redis is away debts live in memory alone, and are written down when it is back.
 */
export class BullJournal implements ReplyJournal {
  readonly #jobs: ReplyJobs;
  readonly #processesAlive: BullJournalOptions['processesAlive'];
  readonly #log: Logger;
  readonly #lookAgainMs: number;
  readonly #owed = new Map<string, { deferred: DeferredReply; written: boolean }>();
  /** Paid, and maybe still written down. */
  readonly #paid = new Set<string>();
  #owe: ((deferred: DeferredReply) => void) | undefined;
  #round: Promise<void> | undefined;
  #closed = false;

  constructor(options: BullJournalOptions) {
    const { link, processesAlive, prefix, log, firstLookMs = FIRST_LOOK_MS, lookAgainMs = LOOK_AGAIN_MS } = options;
    this.#jobs = new ReplyJobs({ link, prefix, log, firstLookMs });
    this.#processesAlive = processesAlive;
    this.#log = log;
    this.#lookAgainMs = lookAgainMs;
    link.onHealth(() => {
      for (const owed of this.#owed.values()) owed.written = false; // it may come back empty
    });
    processesAlive.onBeat(() => {
      if (this.#closed) return;
      this.#round ??= unlessUnavailable(this.#goRound()).finally(() => {
        this.#round = undefined;
      });
    });
  }

  async add(deferred: DeferredReply): Promise<boolean> {
    this.#owed.set(deferred.interactionId, { deferred, written: false });
    const home = await unlessUnavailable(this.#write(deferred));
    if (home === undefined || home === this.#processesAlive.id) return true;
    this.#owed.delete(deferred.interactionId);
    return false;
  }

  async keeps(deferred: DeferredReply): Promise<boolean> {
    if (this.#owed.get(deferred.interactionId)?.written) return true;
    return (await unlessUnavailable(this.#write(deferred))) !== undefined;
  }

  async remove(interactionId: string): Promise<void> {
    this.#owed.delete(interactionId);
    this.#paid.add(interactionId);
    await unlessUnavailable(this.#strike(interactionId));
  }

  takeOver(owe: (deferred: DeferredReply) => void): void {
    this.#owe = owe;
  }

  /** Under 1 s; what could not be handed over by then is taken over once the fleet knows that this process is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#round;
    await unlessUnavailable(this.#handOver(Date.now() + LAST_WORDS_MS));
    await this.#jobs.close();
  }

  async #goRound(): Promise<void> {
    const untilMs = Date.now() + LONGEST_ROUND_MS; // the next beat goes on with what is left
    const isOver = () => this.#closed || Date.now() > untilMs;
    for (const { deferred, written } of this.#owed.values()) {
      if (isOver()) return;
      if (!written) await this.#write(deferred);
    }
    await this.#strikePaid(isOver);
    if (this.#owe === undefined || isOver()) return;
    await this.#jobs.recover();
    let takenOver = 0;
    while (!isOver()) {
      const due = await this.#jobs.nextDue();
      if (due === undefined) break;
      if (await this.#lookAt(due, this.#owe)) takenOver += 1;
    }
    if (takenOver > 0) this.#log.info({ owed: takenOver }, 'debts taken over');
  }

  /** @returns whether it was taken over */
  async #lookAt(due: DueReply, owe: (deferred: DeferredReply) => void): Promise<boolean> {
    const { interactionId } = due.deferred;
    const step = nextStep({
      home: due.home,
      own: this.#processesAlive.id,
      owedHere: this.#owed.has(interactionId),
      paidHere: this.#paid.has(interactionId),
      isGone: (home) => this.#processesAlive.isGone(home),
    });
    if (step === 'strike') {
      await this.#jobs.strike(due);
      this.#paid.delete(interactionId);
      return false;
    }
    const takenOver = step === 'take over' && (await this.#jobs.claim(due, this.#processesAlive.id));
    if (takenOver) this.#owed.set(interactionId, { deferred: due.deferred, written: true });
    try {
      await this.#jobs.postpone(due, this.#lookAgainMs);
    } finally {
      if (takenOver) owe(due.deferred);
    }
    return takenOver;
  }

  async #write(deferred: DeferredReply): Promise<string | null> {
    const home = await this.#jobs.write(deferred, this.#processesAlive.id);
    const owed = this.#owed.get(deferred.interactionId);
    if (owed) owed.written = true;
    else this.#paid.add(deferred.interactionId); // paid while it was being written
    return home;
  }

  async #strike(interactionId: string): Promise<void> {
    if (await this.#jobs.remove(interactionId)) this.#paid.delete(interactionId);
  }

  async #strikePaid(isOver: () => boolean): Promise<void> {
    for (const interactionId of this.#paid) {
      if (isOver()) return;
      await this.#strike(interactionId);
    }
  }

  /** What no round has told Redis yet, it is told now: nobody else knows. */
  async #handOver(untilMs: number): Promise<void> {
    await this.#strikePaid(() => Date.now() > untilMs);
    for (const { deferred, written } of this.#owed.values()) {
      if (Date.now() > untilMs) return;
      if (!written) await this.#write(deferred);
      await this.#jobs.release(deferred, this.#processesAlive.id);
    }
  }
}
