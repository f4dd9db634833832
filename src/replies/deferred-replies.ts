import type { Logger } from '../log.ts';
import type { Reservation } from '../lookup/admission.ts';
import type { Cards } from '../lookup/cards.ts';
import type { LookupQueue } from '../lookup/lookup-queue.ts';
import type { CardRecord } from '../model/card.ts';
import { requesterOf } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import { Completion, type CompletionOptions, type StartLookup } from './completion.ts';
import type { DeferredReply } from './deferred-reply.ts';

export type { Reservation } from '../lookup/admission.ts';

export interface DeferredRepliesOptions extends CompletionOptions {
  cards: Pick<Cards, 'known'>;
  lookupQueue: Pick<LookupQueue, 'enqueue'>;
  ledger: Pick<Ledger, 'saved'>;
  log: Logger;
}

/**
 * Replies that show "thinking…" until their lookup has ended. Each is completed once, with the answer or with the reason
 * why there is none, by the process that received the command; if that process ends first, by the one that takes over
 * its journal.
 */
export class DeferredReplies {
  readonly #options: DeferredRepliesOptions;
  readonly #completion: Completion;
  readonly #underWay = new Set<Promise<void>>();
  #duplicateLogged = false;

  constructor(options: DeferredRepliesOptions) {
    this.#options = options;
    this.#completion = new Completion(options);
  }

  /**
   * Journals the reply, defers it, and starts its lookup, in this order: from the first step on it is completed whatever
   * happens. Resolves when the lookup is started, or when there is nothing to complete.
   *
   * @param reservation started or cancelled when this resolves
   */
  async defer(reply: DeferredReply, reservation: Reservation): Promise<void> {
    const { editor, journal, log } = this.#options;
    try {
      if (!(await journal.add(reply))) {
        this.#belongsToAnother(reply);
        return;
      }
      const deferred = await editor.defer(reply);
      if (!deferred.shown) {
        await journal.remove(reply.interactionId);
        this.#completion.publishEnd(reply, deferred);
        return;
      }
      if (deferred.err !== undefined) log.warn({ err: deferred.err, command: reply.command }, 'first answer failed');
      this.#completion.publish(reply, 'deferred');
      const start: StartLookup = (listeners) => reservation.start(listeners);
      this.#track(reply, this.#completion.complete(reply, start));
    } finally {
      reservation.cancel(); // without effect once started
    }
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): void {
    this.#options.journal.takeOver((reply) => this.#track(reply, this.#completeTakenOver(reply)));
  }

  /** Resolves when no reply waits for its completion. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Resolves when no completion is under way; replies that still wait stay in the journal. */
  async close(): Promise<void> {
    this.#completion.close();
    await this.settled();
  }

  #track(reply: DeferredReply, work: Promise<void>): void {
    const { log } = this.#options;
    const done = work
      .catch((err: unknown) => log.error({ err, command: reply.command }, 'deferred reply cannot be completed'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #belongsToAnother(reply: DeferredReply): void {
    if (!this.#duplicateLogged)
      this.#options.log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
    this.#duplicateLogged = true;
    this.#completion.publishEnd(reply, { outcome: 'answered by another process' });
  }

  /**
   * The process that ended may have answered it: a reply that shows an embed is left as it is. Any other is completed from
   * any kept copy without a request, since one may have been spent on it; without a copy it is looked up.
   */
  async #completeTakenOver(reply: DeferredReply): Promise<void> {
    const { editor, ledger, lookupQueue } = this.#options;
    const { query, deadlineMs } = reply;
    const requester = requesterOf(reply);
    this.#completion.publish(reply, 'taken over');
    const isInTime = deadlineMs > Date.now();
    if (isInTime && (await editor.hasEmbed(reply))) return this.#completion.drop(reply);
    const kept = isInTime ? await this.#keptCopy(reply) : undefined;
    if (kept) ledger.saved(requester);
    const start: StartLookup = async (listeners) =>
      kept ?? lookupQueue.enqueue({ ...query, lane: 'members', requester, deadlineMs, ...listeners });
    await this.#completion.complete(reply, start, true);
  }

  /** Fresh or stale. */
  async #keptCopy({ query }: DeferredReply): Promise<CardRecord | undefined> {
    const known = await this.#options.cards.known(query.cardId, query.showPrices).catch(() => undefined);
    return known && known.kind !== 'missing' ? known.answer : undefined;
  }
}
