import { type ListedLookup, type ListOutcome, listEnd, lookUpList } from '../lookup/list-lookup.ts';
import type { LookupListeners } from '../lookup/pending-lookup.ts';
import type { CardRecord } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import type { CommandEvent, Events, ReplyEvent } from '../model/events.ts';
import { requesterOf } from '../model/quota.ts';
import type { DeferredReply, Outcome, ReplyEditor, ReplyJournal, ReplyMessage } from './deferred-reply.ts';
import { untilAccepted } from './until-accepted.ts';
import { isWorthShowing, WaitNotice } from './wait-notice.ts';

/** What the reply shows in the end; `err` when its command cannot render it. */
export type RenderReply = (
  reply: DeferredReply,
  outcome: Outcome | { list: ListOutcome },
) => { message: ReplyMessage; err?: unknown };

export interface CompletionOptions {
  journal: ReplyJournal;
  editor: ReplyEditor;
  render: RenderReply;
  events: Events;
}

/** Starts or joins the lookup of a reply. @throws CardServiceError */
export type StartLookup = (
  listeners: LookupListeners & Required<Pick<LookupListeners, 'onSchedule' | 'onRequest'>>,
) => Promise<CardRecord>;

/** The facts of a `CommandEvent` that are not in the reply. */
export type CommandEnd = Pick<CommandEvent, 'outcome'> &
  Partial<Pick<CommandEvent, 'source' | 'waitMs' | 'shown' | 'asked' | 'err'>>;

/** Completes deferred replies: waits for the lookup, shows what came of it, and removes the reply from the journal. */
export class Completion {
  readonly #options: CompletionOptions;
  readonly #closed = new AbortController();

  constructor(options: CompletionOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the reply is completed, cannot be completed any more, or is left in the journal for another process.
   *
   * @param isTakenOver whether another process may have answered it already, or may still
   */
  async complete(
    reply: DeferredReply,
    start: StartLookup | readonly ListedLookup[],
    isTakenOver = false,
  ): Promise<void> {
    const { journal, render } = this.#options;
    if (reply.deadlineMs <= Date.now()) return this.#end(reply, 'dropped', { outcome: 'too late' });
    const isAnswered = () => this.#isAnswered(reply, isTakenOver);
    const { outcome, requested, waitMs } =
      typeof start === 'function' ? await this.#lookUp(reply, start, isAnswered) : await this.#lookUpList(reply, start);
    const stopping = errorsIn(outcome).some((error) => error instanceof Stopping);
    if (stopping && (await journal.keeps(reply))) return;

    // Rendered once: however often it is sent, it is the same answer.
    const { message, err } = render(reply, outcome);
    if (await isAnswered()) return this.drop(reply);
    const show = () => this.#options.editor.complete(reply, message);
    const result = await untilAccepted(show, reply.deadlineMs, this.#closed.signal);
    if (result === 'stopped') return;
    if (result === 'too late') return this.#end(reply, 'dropped', { outcome: 'too late' });
    const end = endOf(outcome);
    const source = requested ? 'service' : end.outcome === 'answered' ? 'cache' : 'bot';
    const shown = { shown: end, replaced: { outcome: 'broken' }, lost: { outcome: 'not answered' } }[result];
    await this.#end(reply, result === 'lost' ? 'dropped' : 'completed', { ...shown, source, waitMs, err });
  }

  /** Leaves the reply as it is, because the process that logged its command had completed it. */
  async drop(reply: DeferredReply): Promise<void> {
    this.publish(reply, 'dropped');
    await this.#options.journal.remove(reply.interactionId);
  }

  publish({ interactionId, command }: DeferredReply, step: ReplyEvent['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }

  publishEnd(reply: DeferredReply, { source = 'bot', waitMs = 0, ...end }: CommandEnd): void {
    const { command, receivedAtMs, query } = reply;
    const tookMs = Date.now() - receivedAtMs;
    this.#options.events.publish('command', {
      ...requesterOf(reply),
      command,
      card: query.cardId,
      source,
      waitMs,
      tookMs,
      ...end,
    });
  }

  /** Sends no message again that Discord did not accept. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * Whether another process has answered the reply: it shows an embed, which is not to be replaced. Of a list it may show
   * some cards and not all, so that one is shown again.
   */
  async #isAnswered(reply: DeferredReply, isTakenOver: boolean): Promise<boolean> {
    const { editor, journal } = this.#options;
    const isOnlyHere = !isTakenOver && journal.owns(reply.interactionId);
    return !isOnlyHere && !reply.list && (await editor.hasEmbed(reply));
  }

  async #lookUp(reply: DeferredReply, start: StartLookup, isAnswered: () => Promise<boolean>) {
    const { editor } = this.#options;
    const notice = new WaitNotice(async (permitAtMs) => {
      if (!(await isAnswered())) await editor.showWait(reply, permitAtMs);
    });
    let requestedAtMs: number | undefined;
    const outcome: Outcome = await start({
      onSchedule: (permitAtMs) => notice.expect(permitAtMs),
      onRequest: () => {
        requestedAtMs = Date.now();
        void notice.end();
      },
    }).then(
      (answer) => ({ answer }),
      (error: CardServiceError) => ({ error }),
    );
    await notice.end(); // the answer is shown after the last notice
    const waitMs = (requestedAtMs ?? Date.now()) - reply.receivedAtMs;
    return { outcome, requested: requestedAtMs !== undefined, waitMs };
  }

  /** Shows cards as they come. */
  async #lookUpList(reply: DeferredReply, lookups: readonly ListedLookup[]) {
    const { editor, render } = this.#options;
    const show = async (soFar: ListOutcome) => {
      await editor.complete(reply, render(reply, { list: soFar }).message);
    };
    const list = await lookUpList(lookups, { show, isWorthShowing });
    const { requestedAtMs = Date.now() } = list;
    return {
      outcome: { list },
      requested: list.requestedAtMs !== undefined,
      waitMs: requestedAtMs - reply.receivedAtMs,
    };
  }

  async #end(reply: DeferredReply, step: ReplyEvent['step'], end: CommandEnd): Promise<void> {
    this.publish(reply, step);
    this.publishEnd(reply, end);
    await this.#options.journal.remove(reply.interactionId);
  }
}

function endOf(outcome: Outcome | { list: ListOutcome }): Pick<CommandEnd, 'outcome' | 'shown' | 'asked'> {
  if ('list' in outcome) return listEnd(outcome.list);
  return { outcome: 'error' in outcome ? outcome.error.name : 'answered' };
}

function errorsIn(outcome: Outcome | { list: ListOutcome }): CardServiceError[] {
  if ('list' in outcome) return outcome.list.cards.flatMap((card) => card?.error ?? []);
  return 'error' in outcome ? [outcome.error] : [];
}
