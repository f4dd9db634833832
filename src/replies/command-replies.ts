import type { Logger } from '../log.ts';
import type { CardLookupOptions } from '../lookup/card-lookup.ts';
import type { Known } from '../lookup/cards.ts';
import { Lookups } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/outcomes.ts';
import type { Source } from '../model/events.ts';
import type { Asked, Invocation } from '../model/invocation.ts';
import { type CommandEnd, cardsOf, endOf, publishEnd, publishShown } from './command-end.ts';
import { Completion, type CompletionOptions } from './completion.ts';
import type { DeferredReply, ReplyMessage } from './deferred-reply.ts';
import { untilAccepted } from './until-accepted.ts';

/** What a command shows at once. */
export interface Reply {
  message: ReplyMessage;
  isPrivate: boolean;
  source: Source;
  /** Replaces the message when it resolves. */
  correction?: Promise<ReplyMessage>;
}

/** Cards that a command wants to show, and what has been read of the first of them already. */
export interface Ask extends Asked {
  read?: readonly Known[];
}

export interface CommandRepliesOptions extends CompletionOptions {
  lookups: CardLookupOptions;
  log: Logger;
}

/**
 * Replies to commands. Cards that are known are shown at once, and once more when they are renewed. As long as a card is
 * to come, the reply is deferred: it shows "thinking…", and is completed once, with the answer or with the reason why
 * there is none, by the process that received the command; if that process ends first, by the one that takes over its
 * journal.
 */
export class CommandReplies {
  readonly #options: CommandRepliesOptions;
  readonly #closed = new AbortController();
  readonly #completion: Completion;
  readonly #underWay = new Set<Promise<void>>();
  #duplicateLogged = false;

  constructor(options: CommandRepliesOptions) {
    this.#options = options;
    this.#completion = new Completion(options, this.#closed.signal);
  }

  /**
   * Shows a message, and its correction once it is there. Publishes how the command ended.
   *
   * @returns once the first is sent; `false` when the member does not see it
   */
  async reply(invocation: Invocation, reply: Reply, end: CommandEnd): Promise<boolean> {
    const { sender, events } = this.#options;
    const { message, isPrivate, source, correction } = reply;
    correction?.catch(() => {}); // awaited once the reply is there
    const first = await sender.reply(invocation, message, isPrivate);
    // One that Discord has not confirmed may be there, so it is corrected, too.
    if (first.shown && correction !== undefined)
      this.#track(this.#correct(invocation, correction, isPrivate), invocation, UNCORRECTED);
    const isConfirmed = first.shown && first.err === undefined;
    const failed = { outcome: first.shown ? 'not answered' : first.outcome, err: first.err ?? end.err };
    publishEnd(events, invocation, isConfirmed ? { source, ...end } : { card: end.card, ...failed });
    return first.shown;
  }

  /**
   * Shows the cards that a command asks for. Publishes how the command ended, when it has.
   *
   * @returns once they are sent, or "thinking…"; `false` when the member sees neither
   */
  async answer(invocation: Invocation, { read, ...asked }: Ask): Promise<boolean> {
    const { events, render } = this.#options;
    const lookups = await Lookups.open(asked.queries, invocation, this.#options.lookups, read);
    const reply = { ...invocation, asked };
    if (lookups.toCome === 'cards') return this.#defer(reply, lookups);

    const outcomes = lookups.soFar();
    const { message, err } = render(reply, outcomes);
    const isShown = await this.reply(
      invocation,
      {
        message,
        // That there is no such card matters to the one who asked alone.
        isPrivate: asked.isPrivate || !message.embeds?.length,
        source: sourceOf(outcomes),
        ...(lookups.toCome === 'renewals' && { correction: this.#renewed(reply, lookups) }),
      },
      { card: cardsOf(asked), ...endOf(outcomes), ...(err !== undefined && { outcome: 'broken', err }) },
    );
    if (isShown) publishShown(events, invocation, asked, outcomes);
    return isShown;
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): void {
    this.#options.journal.takeOver((reply) => this.#track(this.#completeTakenOver(reply), reply, UNCOMPLETED));
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

  /**
   * Journals the reply, defers it, and starts its lookups, in this order: from the first step on it is completed whatever
   * happens.
   */
  async #defer(reply: DeferredReply, lookups: Lookups): Promise<boolean> {
    const { sender, journal, events, log } = this.#options;
    try {
      if (!(await journal.add(reply))) {
        this.#belongsToAnother(reply);
        return true;
      }
      const first = await sender.defer(reply);
      if (!first.shown) {
        await journal.remove(reply.interactionId);
        publishEnd(events, reply, { card: cardsOf(reply.asked), outcome: first.outcome, err: first.err });
        return false;
      }
      if (first.err !== undefined) log.warn({ ...details(reply), err: first.err }, UNCONFIRMED);
      this.#completion.publish(reply, 'deferred');
      this.#track(this.#completion.complete(reply, lookups), reply, UNCOMPLETED);
      return true;
    } finally {
      lookups.cancel(); // without effect once started
    }
  }

  /** One that another process has answered stays as it is. Any other shows again what it may have shown, and the rest. */
  async #completeTakenOver(reply: DeferredReply): Promise<void> {
    const completion = this.#completion;
    completion.publish(reply, 'taken over');
    if (reply.deadlineMs <= Date.now()) return completion.tooLate(reply);
    if (await completion.isAnswered(reply)) return completion.drop(reply);
    const lookups = await Lookups.resume(reply.asked.queries, reply, this.#options.lookups);
    await completion.complete(reply, lookups, true);
  }

  async #renewed(reply: DeferredReply, lookups: Lookups): Promise<ReplyMessage> {
    const { message, err } = this.#options.render(reply, await lookups.start());
    if (err !== undefined) throw err;
    return message;
  }

  async #correct(invocation: Invocation, correction: Promise<ReplyMessage>, isPrivate: boolean): Promise<void> {
    const message = await correction;
    const edit = () => this.#options.sender.edit(invocation, message, isPrivate);
    await untilAccepted(edit, invocation.deadlineMs, this.#closed.signal);
  }

  #track(work: Promise<void>, invocation: Invocation, failure: string): void {
    const done = work
      .catch((err: unknown) => this.#options.log.error({ ...details(invocation), err }, failure))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #belongsToAnother(reply: DeferredReply): void {
    if (!this.#duplicateLogged)
      this.#options.log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
    this.#duplicateLogged = true;
    publishEnd(this.#options.events, reply, { card: cardsOf(reply.asked), outcome: 'answered by another process' });
  }
}

const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';
const UNCOMPLETED = 'deferred reply cannot be completed';
const UNCORRECTED = 'reply with a saved copy cannot be updated';

function sourceOf(outcomes: Outcomes): Source {
  const isStale = outcomes.cards.some((card) => card?.answer && (card.isRenewing || card.error));
  if (isStale) return 'stale';
  return endOf(outcomes).outcome === 'answered' ? 'cache' : 'bot';
}

function details({ command, memberId: member }: Invocation): object {
  return { command, member };
}
