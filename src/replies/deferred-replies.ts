import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { Reservation } from '../lookup/admission.ts';
import type { LookupQueue } from '../lookup/lookup-queue.ts';
import type { Lookup } from '../lookup/pending-lookup.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import { requesterOf } from '../model/requester.ts';
import { backOffMs } from '../time/back-off.ts';
import type { DeferredReply, Outcome } from './deferred-reply.ts';
import type { ReplyJournal } from './reply-journal.ts';
import { WaitNotice } from './wait-notice.ts';

export interface DeferredRepliesOptions {
  lookupQueue: LookupQueue;
  journal: ReplyJournal;
  log: Logger;
  /** The final answer. @returns sends it, and gives whether the debt is settled; if not, it is sent again. Never rejects */
  completion: (deferred: DeferredReply, outcome: Outcome, waitMs: number) => () => Promise<boolean>;
  /** Whether a debt that was taken over has been paid already, by a process that could tell nobody. Never rejects. */
  isPaid: (deferred: DeferredReply) => Promise<boolean>;
  /** Told of a debt that nobody can pay any more: its reply is dead. */
  giveUp: (deferred: DeferredReply) => void;
  /** Shows when the turn comes, in place of "thinking…". Never rejects. */
  showWait: (deferred: DeferredReply, permitAtMs: number) => Promise<void>;
}

/** What came of a question, and how long it waited for its turn. */
interface LookupResult {
  outcome: Outcome;
  waitMs: number;
}

const RETRY = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Replies owed to members. Each is paid once, with the answer or with the sentence why there is none, by the process that
 * received the command; if that ends before, by whoever has its journal.
 */
export class DeferredReplies {
  readonly #options: DeferredRepliesOptions;
  readonly #settling = new Set<Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: DeferredRepliesOptions) {
    this.#options = options;
  }

  /**
   * Keeps a debt before Discord is told of it: whatever happens from here on, it is not forgotten.
   *
   * @returns `false` when another process owes it, and nothing is to be done
   */
  keep(deferred: DeferredReply): Promise<boolean> {
    return this.#options.journal.add(deferred);
  }

  /**
   * The member sees "thinking…": the question gets its turn.
   *
   * @param reservation taken before this returns, unless it is too late; without one the question enters the line unasked
   */
  owe(deferred: DeferredReply, reservation?: Reservation): void {
    this.#watch(deferred, this.#settle(deferred, reservation));
  }

  /** Discord would not have it: nothing is owed. */
  forget(deferred: DeferredReply): Promise<void> {
    return this.#options.journal.remove(deferred.interactionId);
  }

  /** Takes on what is owed by processes that are no more. */
  resume(): void {
    this.#options.journal.takeOver((deferred) => this.#watch(deferred, this.#inherit(deferred)));
  }

  /** Resolves when nothing is owed any more. */
  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  /** Resolves when no payment is under way any more; what still waits stays in the journal. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.settled();
  }

  #watch(deferred: DeferredReply, work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => this.#options.log.error({ err, command: deferred.command }, 'debt cannot be paid'))
      .finally(() => this.#settling.delete(settled));
    this.#settling.add(settled);
  }

  /** A better answer than the one that is there is not to be had, and it would cost a request. */
  async #inherit(deferred: DeferredReply): Promise<void> {
    const isPaid = deferred.deadlineMs > Date.now() && (await this.#options.isPaid(deferred));
    await (isPaid ? this.forget(deferred) : this.#settle(deferred));
  }

  async #settle(deferred: DeferredReply, reservation?: Reservation): Promise<void> {
    if (deferred.deadlineMs <= Date.now()) return this.#giveUp(deferred);
    const { outcome, waitMs } = await this.#ask(deferred, reservation);
    const stopping = 'error' in outcome && outcome.error instanceof Stopping;
    if (stopping && (await this.#options.journal.keeps(deferred))) return; // the next process pays
    const paid = await this.#pay(deferred, this.#options.completion(deferred, outcome, waitMs));
    if (paid === 'too late') await this.#giveUp(deferred);
    else if (paid) await this.forget(deferred);
  }

  async #giveUp(deferred: DeferredReply): Promise<void> {
    this.#options.giveUp(deferred);
    await this.forget(deferred);
  }

  /** @returns `false` when the process ends before Discord has taken the answer */
  async #pay(deferred: DeferredReply, send: () => Promise<boolean>): Promise<boolean | 'too late'> {
    for (let attempt = 1; ; attempt++) {
      if (await send()) return true;
      const retryMs = backOffMs(attempt, RETRY);
      if (Date.now() + retryMs > deferred.deadlineMs) return 'too late';
      const { signal } = this.#closed;
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return false;
    }
  }

  async #ask(deferred: DeferredReply, reservation: Reservation | undefined): Promise<LookupResult> {
    const { lookupQueue, showWait } = this.#options;
    const notice = new WaitNotice((permitAtMs) => showWait(deferred, permitAtMs));
    let requestedAtMs: number | undefined;
    const told = {
      onSchedule: (permitAtMs: number) => notice.expect(permitAtMs),
      onRequest: () => {
        requestedAtMs = Date.now();
        void notice.end();
      },
    };
    const outcome = await (reservation
      ? reservation.start(told)
      : lookupQueue.enqueue({ ...asQuestion(deferred), ...told })
    ).then(
      (answer) => ({ answer }),
      (error: CardServiceError) => ({ error }),
    );
    await notice.end(); // the answer comes after it
    const waitMs = (requestedAtMs ?? Date.now()) - deferred.receivedAtMs;
    return { outcome: { ...outcome, requested: requestedAtMs !== undefined }, waitMs };
  }
}

function asQuestion(deferred: DeferredReply): Lookup {
  return { ...deferred.query, lane: 'members', requester: requesterOf(deferred), deadlineMs: deferred.deadlineMs };
}
