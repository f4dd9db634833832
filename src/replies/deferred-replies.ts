import type { Logger } from '../log.ts';
import type { Reservation } from '../lookup/admission.ts';
import type { Cards } from '../lookup/cards.ts';
import type { ListedLookup } from '../lookup/list-lookup.ts';
import type { LookupQueue } from '../lookup/lookup-queue.ts';
import type { CardQuery, CardRecord } from '../model/card.ts';
import { requesterOf } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import { Completion, type CompletionOptions, type StartLookup } from './completion.ts';
import type { CardList, DeferredReply } from './deferred-reply.ts';

export type { Reservation } from '../lookup/admission.ts';
export type { ListedLookup, ListOutcome } from '../lookup/list-lookup.ts';

const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';

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
  defer(reply: DeferredReply, reservation: Reservation): Promise<void> {
    return this.#defer(reply, (listeners) => reservation.start(listeners), reservation);
  }

  /** The same for several cards. */
  deferList(
    { list, ...reply }: Omit<DeferredReply, 'query'> & { list: CardList },
    { lookups, ...reservations }: { lookups: readonly ListedLookup[]; cancel(): void },
  ): Promise<void> {
    const [query] = list.queries as [CardQuery];
    return this.#defer({ ...reply, list, query }, lookups, reservations);
  }

  async #defer(
    reply: DeferredReply,
    start: StartLookup | readonly ListedLookup[],
    reservation: Pick<Reservation, 'cancel'>,
  ): Promise<void> {
    const { editor, journal, log } = this.#options;
    try {
      if (!(await journal.add(reply))) {
        this.#belongsToAnother(reply);
        return;
      }
      const deferred = await editor.defer(reply);
      if (!deferred.shown) {
        await journal.remove(reply.interactionId);
        this.#completion.publishEnd(reply, { outcome: deferred.outcome, err: deferred.err });
        return;
      }
      if (deferred.err !== undefined) log.warn({ ...details(reply), err: deferred.err }, UNCONFIRMED);
      this.#completion.publish(reply, 'deferred');
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
      .catch((err: unknown) => log.error({ ...details(reply), err }, 'deferred reply cannot be completed'))
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
   * any kept copy without a request, since one may have been spent on it; without a copy it is looked up. A list shows
   * again what it may have shown, and then what is missing.
   */
  async #completeTakenOver(reply: DeferredReply): Promise<void> {
    const { editor } = this.#options;
    this.#completion.publish(reply, 'taken over');
    if (reply.deadlineMs <= Date.now()) return this.#completion.complete(reply, [], true);
    if (reply.list) {
      const lookups = await Promise.all(reply.list.queries.map((query) => this.#lookupAgain({ ...reply, query })));
      return this.#completion.complete(reply, lookups, true);
    }
    if (await editor.hasEmbed(reply)) return this.#completion.drop(reply);
    const again = await this.#lookupAgain(reply);
    await this.#completion.complete(reply, 'known' in again ? async () => again.known : again.start, true);
  }

  /** A kept copy, or else a lookup. */
  async #lookupAgain(reply: DeferredReply): Promise<{ known: CardRecord } | { start: StartLookup }> {
    const { ledger, lookupQueue } = this.#options;
    const { query, deadlineMs } = reply;
    const requester = requesterOf(reply);
    const known = await this.#keptCopy(reply);
    if (known) {
      ledger.saved(requester);
      return { known };
    }
    return {
      start: (listeners) => lookupQueue.enqueue({ ...query, lane: 'members', requester, deadlineMs, ...listeners }),
    };
  }

  /** Fresh or stale. */
  async #keptCopy({ query }: DeferredReply): Promise<CardRecord | undefined> {
    const known = await this.#options.cards.known(query.cardId, query.showPrices).catch(() => undefined);
    return known && known.kind !== 'missing' ? known.answer : undefined;
  }
}

function details({ command, memberId: member }: DeferredReply): object {
  return { command, member };
}
