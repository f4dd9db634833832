import type { Lookups } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/outcomes.ts';
import { Stopping } from '../model/errors.ts';
import type { Events, ReplyEvent } from '../model/events.ts';
import { type CommandEnd, cardsOf, endOf, publishEnd, publishShown } from './command-end.ts';
import type { DeferredReply, ReplyJournal, ReplyMessage, ReplySender } from './deferred-reply.ts';
import { untilAccepted } from './until-accepted.ts';

/** What the reply shows so far, or in the end; `err` when its command cannot render it. */
export type RenderReply = (reply: DeferredReply, outcomes: Outcomes) => { message: ReplyMessage; err?: unknown };

export interface CompletionOptions {
  journal: ReplyJournal;
  sender: ReplySender;
  render: RenderReply;
  events: Events;
}

/** Completes deferred replies: waits for the lookups, shows what comes of them, and removes the reply from the journal. */
export class Completion {
  readonly #options: CompletionOptions;
  readonly #signal: AbortSignal;

  /** @param signal no message that Discord did not accept is sent again */
  constructor(options: CompletionOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /**
   * Resolves when the reply is completed, cannot be completed any more, or is left in the journal for another process.
   *
   * @param isTakenOver whether another process may have answered it already, or may still
   */
  async complete(reply: DeferredReply, lookups: Pick<Lookups, 'start'>, isTakenOver = false): Promise<void> {
    const { journal, render, sender } = this.#options;
    let showsCards = false; // of this process
    const isAnswered = async () => {
      const isOnlyHere = !isTakenOver && journal.owns(reply.interactionId);
      return !isOnlyHere && !showsCards && (await this.isAnswered(reply));
    };
    const outcomes = await lookups.start(async (soFar) => {
      if (await isAnswered()) return;
      const { message } = render(reply, soFar);
      showsCards ||= (message.embeds ?? []).length > 0;
      await sender.complete(reply, message);
    });
    const isStopped = outcomes.cards.some((card) => card?.error instanceof Stopping);
    if (isStopped && (await journal.keeps(reply))) return;

    // Rendered once: however often it is sent, it is the same answer.
    const { message, err } = render(reply, outcomes);
    if (await isAnswered()) return this.drop(reply);
    const show = () => sender.complete(reply, message);
    const result = await untilAccepted(show, reply.deadlineMs, this.#signal);
    if (result === 'stopped') return;
    if (result === 'too late') return this.tooLate(reply);
    if (result === 'shown') publishShown(this.#options.events, reply, reply.asked, outcomes);
    const { requestedAtMs = Date.now() } = outcomes;
    const end = endOf(outcomes);
    const cached = end.outcome === 'answered' ? 'cache' : 'bot';
    await this.#end(reply, result === 'lost' ? 'dropped' : 'completed', {
      ...{ shown: end, replaced: { outcome: 'broken' }, lost: { outcome: 'not answered' } }[result],
      source: outcomes.requestedAtMs === undefined ? cached : 'service',
      waitMs: requestedAtMs - reply.receivedAtMs,
      err,
    });
  }

  /** Whether it shows an embed for each card asked, which is not to be replaced. */
  async isAnswered(reply: DeferredReply): Promise<boolean> {
    return (await this.#options.sender.countEmbeds(reply)) >= reply.asked.queries.length;
  }

  /** Leaves the reply as it is, because the process that logged its command had completed it. */
  async drop(reply: DeferredReply): Promise<void> {
    this.publish(reply, 'dropped');
    await this.#options.journal.remove(reply.interactionId);
  }

  tooLate(reply: DeferredReply): Promise<void> {
    return this.#end(reply, 'dropped', { outcome: 'too late' });
  }

  publish({ interactionId, command }: DeferredReply, step: ReplyEvent['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }

  async #end(reply: DeferredReply, step: ReplyEvent['step'], end: CommandEnd): Promise<void> {
    this.publish(reply, step);
    publishEnd(this.#options.events, reply, { card: cardsOf(reply.asked), ...end });
    await this.#options.journal.remove(reply.interactionId);
  }
}
