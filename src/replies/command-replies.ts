import { setTimeout as sleep } from 'node:timers/promises';
import { Lookups } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/shown-so-far.ts';
import { Stopping } from '../model/errors.ts';
import type { EventsByName } from '../model/events.ts';
import type { Asked, ImmediateReply, Invocation } from '../model/invocation.ts';
import { backOffMs } from '../time/back-off.ts';
import { withTimeout } from '../time/timers.ts';
import { type CommandEnd, endOf, publishEnd, publishShown, sourceOf } from './command-end.ts';
import { below, type CardsReply, type CommandRepliesOptions, type ReplyMessage } from './reply-journal.ts';

const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** After this time nearly every edit that was given up has been processed, or never will be. */
const LATE_EDIT_MS = 10_000;

/**
 * Replies to commands. Cards that are known are shown at once, and again when they are renewed. For others the reply is
 * deferred: it shows "thinking…" until it is completed, once, with the answer or the reason why there is none; by this
 * process, or by the one that takes over its journal.
 */
export class CommandReplies {
  readonly #options: CommandRepliesOptions;
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #duplicateLogged = false;

  constructor(options: CommandRepliesOptions) {
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
    { message, isPrivate, isInPlace, source, correction }: ImmediateReply<ReplyMessage>,
    end: CommandEnd,
    outcomes?: Outcomes,
  ): Promise<boolean> {
    const { sender, events } = this.#options;
    correction?.catch(() => {}); // awaited once the reply is there
    const first = await sender.reply(invocation, message, isPrivate, isInPlace);
    const word = first.shown ? first.word : undefined;
    const isSeenAlone = isPrivate || word !== undefined;
    const correct = (corrected: ReplyMessage) =>
      this.#untilAccepted(invocation, () => sender.edit(invocation, below(word, corrected), isSeenAlone));
    // One that Discord has not confirmed may be there, so it is corrected, too.
    if (first.shown && correction !== undefined) this.#track(correction.then(correct), invocation);
    if (first.shown && first.isOfAnother) {
      this.#endOfAnother(invocation, end);
      return false;
    }
    const isConfirmed = first.shown && first.err === undefined;
    const failed = { outcome: first.shown ? 'not answered' : first.outcome, err: first.err ?? end.err };
    publishEnd(events, invocation, isConfirmed ? { source, ...end } : { card: end.card, ...failed });
    if (isConfirmed) this.#options.answered?.(invocation);
    if (first.shown && outcomes) publishShown(events, invocation, outcomes, isSeenAlone);
    return first.shown;
  }

  /**
   * Shows the cards that a command asks for. Publishes how the command ended, when it has.
   *
   * @returns once they are sent, or "thinking…"; `false` when the member sees neither
   */
  async answer(invocation: Invocation, asked: Asked): Promise<boolean> {
    const { render } = this.#options;
    const lookups = await Lookups.open(asked.queries, invocation, this.#options.lookups);
    const queries = asked.queries.map(({ known, ...query }) => query);
    const reply = { ...invocation, asked: { ...asked, queries } };
    if (lookups.toCome === 'cards') return this.#defer(reply, lookups).finally(() => lookups.cancel());

    const outcomes = lookups.soFar();
    // What shows no card matters to the one who asked alone.
    const hasCards = outcomes.cards.some((outcome) => outcome?.answer?.card);
    const { message, err } = await render(reply, outcomes, asked.isPrivate || !hasCards);
    const isPrivate = asked.isPrivate || !message.embeds?.length;
    const correction = lookups.toCome === 'renewals' && { correction: this.#renewed(reply, lookups, isPrivate) };
    const end = { ...endOf(outcomes), ...(err !== undefined && { outcome: 'broken', err }) };
    return this.reply(reply, { message, isPrivate, source: sourceOf(outcomes), ...correction }, end, outcomes);
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): void {
    this.#options.journal.takeOver((reply) => this.#track(this.#completeTakenOver(reply), reply));
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

  async #renewed(reply: CardsReply, lookups: Lookups, isPrivate: boolean): Promise<ReplyMessage> {
    const { message, err } = await this.#options.render(reply, await lookups.lookUpAll(), isPrivate);
    if (err !== undefined) throw err;
    return message;
  }

  /** Journaled before it is deferred, it is completed whatever happens. @returns `false` when there is nothing to complete */
  async #defer(reply: CardsReply, lookups: Lookups): Promise<boolean> {
    const { sender, journal, events, log } = this.#options;
    if (!(await journal.add(reply))) {
      this.#endOfAnother(reply);
      return true;
    }
    const first = await sender.defer(reply);
    if (!first.shown) {
      await journal.remove(reply.interactionId);
      publishEnd(events, reply, { outcome: first.outcome, err: first.err });
      return false;
    }
    const { command, memberId: member } = reply;
    if (first.err !== undefined) log.warn({ command, member, err: first.err }, UNCONFIRMED);
    this.#publish(reply, 'deferred');
    if (first.isOfAnother) this.#endOfAnother(reply); // and seen to be completed
    this.#track(this.#complete(reply, lookups, first.isOfAnother), reply);
    return true;
  }

  /**
   * Completes a reply of a process that has ended, unless that has shown every card already. Cards that it may have shown
   * are shown again, and then the others.
   */
  async #completeTakenOver(reply: CardsReply): Promise<void> {
    this.#publish(reply, 'taken over');
    if (reply.deadlineMs <= Date.now()) return this.#end(reply, 'dropped', { outcome: 'too late' });
    const cards = (await this.#options.sender.countEmbeds(reply)) ?? 0;
    if (cards >= reply.asked.queries.length) return this.#end(reply, 'dropped');
    const lookups = await Lookups.resume(reply.asked.queries, reply, this.#options.lookups);
    await this.#complete(reply, lookups, true);
  }

  /** @param isTakenOver whether another process may have answered it already, or may still */
  async #complete(reply: CardsReply, lookups: Lookups, isTakenOver = false): Promise<void> {
    const { events, journal, render, sender } = this.#options;
    let cardsFromHere = 0;
    let mayComeLate = false; // an edit that shows less than the answer
    /** How many cards of another process it shows; `undefined`: not known. */
    const cardsOfAnother = async () => {
      if (!isTakenOver && journal.owns(reply.interactionId)) return 0;
      const cards = await sender.countEmbeds(reply);
      return cards !== undefined && cards <= cardsFromHere ? 0 : cards;
    };
    const outcomes = await lookups.lookUpAll(async (soFar) => {
      // Another process may complete it between the look at it and the edit.
      if (!journal.holds(reply.interactionId)) return undefined;
      const { message } = await render(reply, soFar);
      const others = await cardsOfAnother();
      if (others === undefined || others > (message.embeds?.length ?? 0)) return undefined;
      cardsFromHere = message.embeds?.length ?? 0;
      if ((await sender.edit(reply, message, reply.asked.isPrivate)) !== 'failed') return undefined;
      mayComeLate = true;
      return 'failed';
    });
    const isStopped = outcomes.cards.some((card) => card?.error instanceof Stopping);
    if (isStopped && (await journal.keeps(reply))) return;

    // Rendered once: however often it is sent, it is the same answer.
    const { message, err } = await render(reply, outcomes);
    const result = await this.#untilAccepted(reply, async () => {
      const others = await cardsOfAnother();
      if (others === undefined) return 'failed';
      if (others >= reply.asked.queries.length) return 'answered';
      cardsFromHere = message.embeds?.length ?? 0;
      return sender.complete(reply, message, isTakenOver || !journal.owns(reply.interactionId));
    });
    if (result === 'stopped') return;
    if (result === 'answered') return this.#end(reply, 'dropped');
    if (result === 'too late') return this.#end(reply, 'dropped', { outcome: 'too late' });
    const isShown = result === 'shown' || result === 'shownInPrivate';
    if (isShown) publishShown(events, reply, outcomes, reply.asked.isPrivate || result === 'shownInPrivate');
    if (result === 'shown' && mayComeLate) this.#track(this.#showAgain(reply, message), reply);
    await this.#end(reply, result === 'lost' ? 'dropped' : 'completed', {
      ...{ ...ENDS_WITHOUT, shown: endOf(outcomes), shownInPrivate: endOf(outcomes) }[result],
      source: sourceOf(outcomes),
      waitMs: (outcomes.requestedAtMs ?? Date.now()) - reply.receivedAtMs,
      err,
    });
    if (isShown) this.#options.answered?.(reply);
  }

  /** Shows an answer again that an earlier edit has replaced, which Discord processed late. */
  async #showAgain(reply: CardsReply, message: ReplyMessage): Promise<void> {
    const { signal } = this.#closed;
    const stopped = new Promise<true>((resolve) => signal.addEventListener('abort', () => resolve(true)));
    if (signal.aborted || (await withTimeout(LATE_EDIT_MS, stopped))) return;
    const cards = await this.#options.sender.countEmbeds(reply);
    // A sentence cannot be told from an earlier one; the same again is no second answer.
    if (cards !== undefined && cards >= Math.max(1, message.embeds?.length ?? 0)) return;
    await this.#untilAccepted(reply, () => this.#options.sender.complete(reply, message, true));
  }

  #endOfAnother(invocation: Invocation & { asked?: Asked }, { card }: Partial<CommandEnd> = {}): void {
    const { events, log } = this.#options;
    if (!this.#duplicateLogged) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
    this.#duplicateLogged = true;
    publishEnd(events, invocation, { card, outcome: 'answered by another process' });
  }

  /** @param end absent when the process that completed the reply has logged its command */
  async #end(reply: CardsReply, step: EventsByName['reply']['step'], end?: CommandEnd): Promise<void> {
    this.#publish(reply, step);
    if (end) publishEnd(this.#options.events, reply, end);
    await this.#options.journal.remove(reply.interactionId);
  }

  #publish({ interactionId, command }: CardsReply, step: EventsByName['reply']['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }

  /** Edits a reply again as long as Discord cannot be reached. `too late`: it can no longer be edited. */
  async #untilAccepted<R extends string>({ deadlineMs }: Invocation, edit: () => Promise<R>) {
    const { signal } = this.#closed;
    for (let attempt = 1; ; attempt++) {
      const result = await edit();
      if (result !== 'failed') return result as Exclude<R, 'failed'>;
      const retryMs = backOffMs(attempt, RETRY);
      if (Date.now() + retryMs > deadlineMs) return 'too late';
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return 'stopped';
    }
  }

  #track(work: Promise<unknown>, { command, memberId: member }: Invocation): void {
    const done = work
      .catch((err: unknown) => this.#options.log.error({ command, member, err }, 'reply cannot be completed'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}

const ENDS_WITHOUT = { refused: { outcome: 'broken' }, lost: { outcome: 'not answered' } };
const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';
