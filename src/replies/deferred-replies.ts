import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { Lookups, type LookupsOptions } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/outcomes.ts';
import { Stopping } from '../model/errors.ts';
import type { Events, EventsByName } from '../model/events.ts';
import { backOffMs } from '../time/back-off.ts';
import { type CommandEnd, endOf, publishEnd, publishShown, sourceOf } from './command-end.ts';
import type { DeferredReply, EditResult, ReplyJournal, ReplyMessage, ReplySender } from './deferred-reply.ts';

/** What the reply shows so far, or in the end; `err` when its command cannot render it. */
export type RenderReply = (reply: DeferredReply, outcomes: Outcomes) => { message: ReplyMessage; err?: unknown };

type Track = (completion: Promise<void>, reply: DeferredReply) => void;

export interface RepliesOptions {
  lookups: LookupsOptions;
  journal: ReplyJournal;
  sender: ReplySender;
  render: RenderReply;
  events: Events;
  log: Logger;
}

/**
 * Replies that show "thinking…" until their lookups have ended. Each is completed once, with the answer or with the reason
 * why there is none, by the process that received the command; if that process ends first, by the one that takes over its
 * journal.
 */
export class DeferredReplies {
  readonly #options: RepliesOptions;
  readonly #signal: AbortSignal;
  readonly #track: Track;
  #duplicateLogged = false;

  /**
   * @param signal no message that Discord did not accept is sent again
   * @param track is given each completion that begins
   */
  constructor(options: RepliesOptions, signal: AbortSignal, track: Track) {
    this.#options = options;
    this.#signal = signal;
    this.#track = track;
  }

  /**
   * Journals the reply, defers it, and starts its lookups, in this order: from the first step on it is completed whatever
   * happens.
   *
   * @returns when the lookups are started; `false` when there is nothing to complete
   */
  async defer(reply: DeferredReply, lookups: Pick<Lookups, 'start' | 'cancel'>): Promise<boolean> {
    const { sender, journal, events, log } = this.#options;
    try {
      if (!(await journal.add(reply))) {
        if (!this.#duplicateLogged) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
        this.#duplicateLogged = true;
        publishEnd(events, reply, { outcome: 'answered by another process' });
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
      this.#track(this.complete(reply, lookups), reply);
      return true;
    } finally {
      lookups.cancel(); // without effect once started
    }
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): void {
    this.#options.journal.takeOver((reply) => this.#track(this.#completeTakenOver(reply), reply));
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
      return !isOnlyHere && !showsCards && (await this.#isAnswered(reply));
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
    if (await isAnswered()) return this.#drop(reply);
    const show = () => sender.complete(reply, message);
    const result = await untilAccepted(show, reply.deadlineMs, this.#signal);
    if (result === 'stopped') return;
    if (result === 'too late') return this.#end(reply, 'dropped', { outcome: 'too late' });
    if (result === 'shown') publishShown(this.#options.events, reply, outcomes);
    const { requestedAtMs = Date.now() } = outcomes;
    await this.#end(reply, result === 'lost' ? 'dropped' : 'completed', {
      ...{ shown: endOf(outcomes), refused: { outcome: 'broken' }, lost: { outcome: 'not answered' } }[result],
      source: sourceOf(outcomes),
      waitMs: requestedAtMs - reply.receivedAtMs,
      err,
    });
  }

  /** One that another process has answered stays as it is. Any other shows again what it may have shown, and the rest. */
  async #completeTakenOver(reply: DeferredReply): Promise<void> {
    this.#publish(reply, 'taken over');
    if (reply.deadlineMs <= Date.now()) return this.#end(reply, 'dropped', { outcome: 'too late' });
    if (await this.#isAnswered(reply)) return this.#drop(reply);
    const lookups = await Lookups.resume(reply.asked.queries, reply, this.#options.lookups);
    await this.complete(reply, lookups, true);
  }

  /** Whether it shows an embed for each card asked, which is not to be replaced. */
  async #isAnswered(reply: DeferredReply): Promise<boolean> {
    return (await this.#options.sender.countEmbeds(reply)) >= reply.asked.queries.length;
  }

  /** Leaves the reply as it is, because the process that logged its command had completed it. */
  async #drop(reply: DeferredReply): Promise<void> {
    this.#publish(reply, 'dropped');
    await this.#options.journal.remove(reply.interactionId);
  }

  async #end(reply: DeferredReply, step: EventsByName['reply']['step'], end: CommandEnd): Promise<void> {
    this.#publish(reply, step);
    publishEnd(this.#options.events, reply, end);
    await this.#options.journal.remove(reply.interactionId);
  }

  #publish({ interactionId, command }: DeferredReply, step: EventsByName['reply']['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }
}

const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';

const RETRY = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Edits a reply again until the edit does not fail.
 *
 * @param edit `failed`: another try may succeed
 * @param deadlineMs when the reply can no longer be edited
 * @param signal ends the tries with the one under way
 */
export async function untilAccepted(
  edit: () => Promise<EditResult>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Exclude<EditResult, 'failed'> | 'too late' | 'stopped'> {
  for (let attempt = 1; ; attempt++) {
    const result = await edit();
    if (result !== 'failed') return result;
    const retryMs = backOffMs(attempt, RETRY);
    if (Date.now() + retryMs > deadlineMs) return 'too late';
    await sleep(retryMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 'stopped';
  }
}
