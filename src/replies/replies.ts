import type { Logger } from '../log.ts';
import { Lookups, type LookupsOptions, type Outcomes, type Wanted } from '../lookup/lookups.ts';
import type { Events, EventsByName } from '../model/events.ts';
import type { Asked, Invocation } from '../model/invocation.ts';
import type { Message, Reply } from '../model/message.ts';
import { type DeferredEnd, DeferredReply, untilReached } from './deferred.ts';
import { type CommandEnd, endOf, publishEnd, publishShown, sourceOf } from './end.ts';
import type { Journal } from './journal.ts';
import type { CardsReply, Prevented, ReplySender } from './ports.ts';
import type { RenderReply } from './rendering.ts';

export interface RepliesOptions {
  lookups: LookupsOptions;
  journal: Journal;
  sender: ReplySender;
  render: RenderReply;
  /** The member sees the answer to their command, and nothing more will follow. Must not throw. */
  answered?: (to: Invocation) => void;
  events: Events;
  log: Logger;
}

/**
 * Replies to commands. Cards that are known are shown at once, and again when they are renewed. For others the reply is
 * deferred: it shows "thinking…" until it is completed, once, with the answer or the reason why there is none; by this
 * process, or by the one that takes over its journal.
 */
export class Replies {
  readonly #options: RepliesOptions;
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Replies to which something is still to come, by their interactions; one is aborted when somebody deletes it. */
  readonly #deletions = new Map<string, AbortController>();
  #isDuplicateLogged = false;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /**
   * Shows a message, and its correction once it is there. Publishes how the command ended.
   *
   * @param outcomes of the cards that it shows
   * @returns once the first is sent; `false` when the member does not see it, or sees that of another process
   */
  async reply(
    invocation: Invocation & { asked?: Asked },
    { message, isPrivate, isInPlace, source, correction }: Reply,
    end: CommandEnd,
    outcomes?: Outcomes,
  ): Promise<boolean> {
    const { sender, events, answered } = this.#options;
    correction?.catch(() => {}); // awaited once the reply is there
    const first = await sender.reply(invocation, message, isPrivate, isInPlace);
    if (!first.shown) {
      this.#deletions.delete(invocation.interactionId);
      publishEnd(events, invocation, { card: end.card, outcome: first.outcome, err: first.err ?? end.err });
      return false;
    }
    // One that Discord has not confirmed may be there, so it is corrected, too.
    if (correction) this.#track(this.#correct(invocation, correction, isPrivate), invocation);
    if (first.isOfAnother) {
      this.#endOfAnother(invocation, end.card);
      return false;
    }
    const { err } = first;
    publishEnd(events, invocation, err ? { card: end.card, outcome: 'not answered', err } : { source, ...end });
    if (!err) answered?.(invocation);
    if (outcomes) publishShown(events, invocation, outcomes, isPrivate);
    return true;
  }

  /**
   * Shows the cards that a command asks for. Publishes how the command ended, when it has.
   *
   * @returns once they are sent, or "thinking…"; `false` when the member sees neither
   */
  async answer(invocation: Invocation, asked: Asked): Promise<boolean> {
    const lookups = await Lookups.open(asked.queries, wantedBy({ ...invocation, asked }), this.#options.lookups);
    const queries = asked.queries.map(({ known, ...query }) => query);
    const reply = { ...invocation, asked: { ...asked, queries } };
    if (lookups.toCome === 'cards' || asked.list) return this.#defer(reply, lookups);

    const outcomes = lookups.soFar();
    // What shows no card matters to the one who asked alone.
    const hasCards = outcomes.cards.some((outcome) => outcome?.answer?.card);
    const { message, err } = await this.#options.render(reply, outcomes, asked.isPrivate || !hasCards);
    const isPrivate = asked.isPrivate || !message.embeds?.length;
    const correction = lookups.toCome === 'renewals' && { correction: this.#renewed(reply, lookups, isPrivate) };
    const end = { ...endOf(outcomes), ...(err !== undefined && { outcome: 'broken', err }) };
    return this.reply(
      reply,
      { kind: 'reply', message, isPrivate, source: sourceOf(outcomes), ...correction },
      end,
      outcomes,
    );
  }

  /**
   * Deletes the message whose button was used. What is still to come of the reply that it is is not shown.
   *
   * @param answered the interaction that the message answers
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  async delete(press: Invocation, answered: string | undefined): Promise<Prevented> {
    const prevented = await this.#options.sender.deleteSource(press);
    if (answered !== undefined && prevented.outcome === undefined) this.#deletions.get(answered)?.abort();
    return prevented;
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): Promise<void> {
    return this.#options.journal.takeOver((reply) => {
      const isUnderWay = this.#deletions.has(reply.interactionId); // another process had it meanwhile
      if (!isUnderWay) this.#track(this.#completeTakenOver(reply), reply);
    });
  }

  /** Resolves when no reply waits for its completion or correction. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Sends nothing again. Resolves when nothing is under way; deferred replies that still wait stay in the journal. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.settled();
  }

  /** @returns `undefined` when the reply was deleted meanwhile */
  async #renewed(reply: CardsReply, lookups: Lookups, isPrivate: boolean): Promise<Message | undefined> {
    const { signal } = this.#deletionOf(reply);
    await lookups.lookUpAll();
    if (signal.aborted) return undefined;
    const { message, err } = await this.#options.render(reply, lookups.inTheEnd(), isPrivate);
    if (err !== undefined) throw err;
    return message;
  }

  /** Replaces a message once the next one is there. */
  async #correct(invocation: Invocation, correction: Promise<Message | undefined>, isPrivate: boolean): Promise<void> {
    const message = await correction;
    if (!message) return;
    const ends = [this.#closed.signal, this.#deletionOf(invocation).signal];
    await untilReached(() => this.#options.sender.edit(invocation, message, isPrivate), invocation, ends);
  }

  /**
   * Journaled before it is deferred, it is completed whatever happens.
   *
   * @returns `false` when there is nothing to complete
   */
  async #defer(reply: CardsReply, lookups: Lookups): Promise<boolean> {
    const { sender, journal, events, log } = this.#options;
    if (!(await journal.add(reply))) {
      lookups.cancel();
      this.#endOfAnother(reply);
      return true;
    }
    const first = await sender.defer(reply);
    if (!first.shown) {
      lookups.cancel();
      await journal.remove(reply.interactionId);
      publishEnd(events, reply, { outcome: first.outcome, err: first.err });
      return false;
    }
    if (first.err !== undefined) {
      const details = { command: reply.command, member: reply.requester.memberId, err: first.err };
      log.warn(details, 'discord did not confirm the first answer: the reply is completed anyway');
    }
    this.#publish(reply, 'deferred');
    if (first.isOfAnother) this.#endOfAnother(reply); // and seen to be completed
    this.#track(this.#follow(reply, lookups, first.isOfAnother), reply);
    return true;
  }

  /**
   * Completes a reply of a process that has ended, unless that has shown every card already. Cards that it may have
   * shown are shown again, and then the others.
   */
  async #completeTakenOver(reply: CardsReply): Promise<void> {
    const { sender, journal, events, lookups: options } = this.#options;
    this.#publish(reply, 'taken over');
    this.#deletionOf(reply); // from here on: what follows takes its time
    const { queries, list } = reply.asked;
    const isTooLate = reply.deadlineMs <= Date.now();
    const cards = isTooLate ? 0 : ((await sender.read(reply))?.embeds.length ?? 0);
    if (isTooLate || cards >= (list ? 1 : queries.length)) {
      this.#publish(reply, 'dropped');
      if (isTooLate) publishEnd(events, reply, { outcome: 'too late' });
      return journal.remove(reply.interactionId);
    }
    const lookups = await Lookups.open(queries, { ...wantedBy(reply), isTakenOver: true }, options);
    // What it has brought was paid for.
    if (list) list.left = Math.ceil((list.left * lookups.awaited) / Math.max(1, queries.length));
    await this.#follow(reply, lookups, true);
  }

  /** @param isTakenOver whether another process may have answered it already, or may still */
  #follow(reply: CardsReply, lookups: Lookups, isTakenOver = false): Promise<void> {
    const deletion = this.#deletionOf(reply);
    const closing = this.#closed.signal;
    const deferred = new DeferredReply(reply, { ...this.#options, lookups, isTakenOver, deletion, closing });
    return deferred.follow((end, outcomes, err) => this.#ended(reply, end, outcomes, err));
  }

  #ended(reply: CardsReply, end: DeferredEnd, outcomes: Outcomes, err: unknown): void {
    const { events, answered } = this.#options;
    const isSaid = end === 'shown' || end === 'refused' || end === 'blocked';
    this.#publish(reply, isSaid ? 'completed' : 'dropped');
    if (end === 'answered') return; // by the process that has logged its command
    const cost = {
      source: sourceOf(outcomes),
      waitMs: (outcomes.requestedAtMs ?? Date.now()) - reply.receivedAtMs,
      err,
    };
    if (end === 'shown') publishShown(events, reply, outcomes, reply.asked.isPrivate);
    const how = end === 'shown' ? endOf(outcomes) : { outcome: OUTCOMES[end] ?? end };
    publishEnd(events, reply, isSaid || end === 'lost' ? { ...how, ...cost } : how);
    if (end === 'shown') answered?.(reply);
  }

  #deletionOf({ interactionId }: Invocation): AbortController {
    const deletion = this.#deletions.get(interactionId) ?? new AbortController();
    this.#deletions.set(interactionId, deletion);
    return deletion;
  }

  #endOfAnother(invocation: Invocation & { asked?: Asked }, card?: string): void {
    const { events, log } = this.#options;
    if (!this.#isDuplicateLogged) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
    this.#isDuplicateLogged = true;
    publishEnd(events, invocation, { card, outcome: 'answered by another process' });
  }

  #publish({ interactionId, command }: CardsReply, step: EventsByName['reply']['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }

  #track(work: Promise<unknown>, { interactionId, command, requester }: Invocation): void {
    const done = work
      .catch((err: unknown) =>
        this.#options.log.error({ command, member: requester.memberId, err }, 'reply cannot be completed'),
      )
      .finally(() => {
        this.#underWay.delete(done);
        this.#deletions.delete(interactionId);
      });
    this.#underWay.add(done);
  }
}

/**
 * The lookups of a list may cost no more than its member was told. What they have cost is in the reply: where the
 * journal and the cards were lost, it is journaled again with what is left.
 */
function wantedBy(reply: CardsReply): Wanted {
  const { asked, requester } = reply;
  return asked.list ? { ...reply, requester: { ...requester, ceiling: asked.list } } : reply;
}

const OUTCOMES: Partial<Record<DeferredEnd, string>> = { refused: 'broken', lost: 'not answered' };
