import { type Ask, Lookups } from '../lookup/lookups.ts';
import type { Asked, ImmediateReply, Invocation } from '../model/invocation.ts';
import { type CommandEnd, endOf, publishEnd, publishShown, sourceOf } from './command-end.ts';
import { DeferredReplies, type RepliesOptions, untilAccepted } from './deferred-replies.ts';
import type { DeferredReply, ReplyMessage } from './deferred-reply.ts';

/** Replies to commands: cards that are known are shown at once, and again when they are renewed; for others it is deferred. */
export class CommandReplies {
  readonly #options: RepliesOptions;
  readonly #deferred: DeferredReplies;
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: RepliesOptions) {
    this.#options = options;
    this.#deferred = new DeferredReplies(options, this.#closed.signal, (completion, reply) =>
      this.#track(completion, reply, 'deferred reply cannot be completed'),
    );
  }

  /**
   * Shows a message, and its correction once it is there. Publishes how the command ended.
   *
   * @returns once the first is sent; `false` when the member does not see it
   */
  async reply(
    invocation: Invocation & { asked?: Asked },
    reply: ImmediateReply<ReplyMessage>,
    end: CommandEnd,
  ): Promise<boolean> {
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
    if (lookups.toCome === 'cards') return this.#deferred.defer(reply, lookups);

    const outcomes = lookups.soFar();
    const { message, err } = render(reply, outcomes);
    const isShown = await this.reply(
      reply,
      {
        message,
        // That there is no such card matters to the one who asked alone.
        isPrivate: asked.isPrivate || !message.embeds?.length,
        source: sourceOf(outcomes),
        ...(lookups.toCome === 'renewals' && { correction: this.#renewed(reply, lookups) }),
      },
      { ...endOf(outcomes), ...(err !== undefined && { outcome: 'broken', err }) },
    );
    if (isShown) publishShown(events, reply, outcomes);
    return isShown;
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): void {
    this.#deferred.takeOver();
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
    const { command, memberId: member } = invocation;
    const done = work
      .catch((err: unknown) => this.#options.log.error({ command, member, err }, failure))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}

const UNCORRECTED = 'reply with a saved copy cannot be updated';
