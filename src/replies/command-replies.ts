import { setTimeout as sleep } from 'node:timers/promises';
import { Lookups, type Wanted } from '../lookup/lookups.ts';
import type { Outcomes } from '../lookup/outcomes.ts';
import type { EventsByName } from '../model/events.ts';
import type { Asked, Invocation } from '../model/invocation.ts';
import type { Message, Reply } from '../model/message.ts';
import { backOffMs } from '../time/back-off.ts';
import { type CommandEnd, endOf, publishEnd, publishShown, sourceOf } from './command-end.ts';
import { CORRECTION, type End, RETRY, THINKING } from './course.ts';
import { type CoursePorts, follow } from './course-driver.ts';
import { below, type CardsReply, type CommandRepliesOptions, type RenderReply } from './reply-ports.ts';

/**
 * Replies to commands. Cards that are known are shown at once, and again when they are renewed. For others the reply is
 * deferred: it shows "thinking…" until it is completed, once, with the answer or the reason why there is none; by this
 * process, or by the one that takes over its journal.
 */
export class CommandReplies {
  readonly #options: CommandRepliesOptions;
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  /**
   * The replies to which something is still to come, by their interactions; `deletion` is aborted when somebody deletes
   * one.
   */
  readonly #open = new Map<string, { reply: CardsReply; deletion: AbortController }>();
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
    { message, isPrivate, isInPlace, source, correction }: Reply,
    end: CommandEnd,
    outcomes?: Outcomes,
  ): Promise<boolean> {
    const { sender, events } = this.#options;
    correction?.catch(() => {}); // awaited once the reply is there
    const first = await sender.reply(invocation, message, isPrivate, isInPlace);
    if (!first.shown) {
      this.#open.delete(invocation.interactionId);
      publishEnd(events, invocation, { card: end.card, outcome: first.outcome, err: first.err ?? end.err });
      return false;
    }
    const { word, err } = first;
    const isSeenAlone = isPrivate || word !== undefined;
    // One that Discord has not confirmed may be there, so it is corrected, too.
    if (correction !== undefined) {
      const corrected = correction.then((next) => next && below(word, next));
      this.#track(this.#correct(invocation, corrected, isSeenAlone), invocation);
    }
    if (first.isOfAnother) {
      this.#endOfAnother(invocation, end);
      return false;
    }
    const isConfirmed = err === undefined;
    publishEnd(events, invocation, isConfirmed ? { source, ...end } : { card: end.card, outcome: 'not answered', err });
    if (isConfirmed) this.#options.answered?.(invocation);
    if (outcomes) publishShown(events, invocation, outcomes, isSeenAlone);
    return true;
  }

  /**
   * Shows the cards that a command asks for. Publishes how the command ended, when it has.
   *
   * @returns once they are sent, or "thinking…"; `false` when the member sees neither
   */
  async answer(invocation: Invocation, asked: Asked): Promise<boolean> {
    const { render } = this.#options;
    const lookups = await Lookups.open(
      asked.queries,
      asked.list ? within(asked.list.ceiling, invocation) : invocation,
      this.#options.lookups,
    );
    const queries = asked.queries.map(({ known, ...query }) => query);
    const reply = { ...invocation, asked: { ...asked, queries } };
    if (lookups.toCome === 'cards' || asked.list) return this.#defer(reply, lookups);

    const outcomes = lookups.soFar();
    // What shows no card matters to the one who asked alone.
    const hasCards = outcomes.cards.some((outcome) => outcome?.answer?.card);
    const { message, err } = await render(reply, outcomes, asked.isPrivate || !hasCards);
    const isPrivate = asked.isPrivate || !message.embeds?.length;
    const correction = lookups.toCome === 'renewals' && { correction: this.#renewed(reply, lookups, isPrivate) };
    const end = { ...endOf(outcomes), ...(err !== undefined && { outcome: 'broken', err }) };
    return this.reply(reply, { message, isPrivate, source: sourceOf(outcomes), ...correction }, end, outcomes);
  }

  /**
   * Deletes the message whose button was used, and ends the reply that it is, in whichever process. That is journaled
   * before Discord is told. A reply that has ended so would stay as it is, so Discord is told again until it is gone,
   * by the next process if need be.
   *
   * @param answered the interaction that the message answers
   * @returns what prevented it, for the log; nothing when the message is gone
   */
  async delete(press: Invocation, answered: string | undefined): Promise<{ outcome?: string; err?: unknown }> {
    const { sender, journal } = this.#options;
    const open = answered === undefined ? undefined : this.#open.get(answered);
    const isOwn = answered !== undefined && (await journal.markDeleted(answered));
    open?.deletion.abort();
    const prevented = await sender.deleteSource(press);
    if (isOwn && prevented.outcome === undefined) await journal.remove(answered);
    if (open && prevented.outcome !== undefined) {
      const reply = { ...open.reply, isDeleted: true } as const;
      this.#track(this.#deleteUntilGone(reply), reply);
    }
    return prevented;
  }

  /** From now on, replies of processes that have ended are completed here. */
  takeOver(): Promise<void> {
    return this.#options.journal.takeOver((reply) => {
      const isUnderWay = this.#open.has(reply.interactionId); // another process had it meanwhile
      if (isUnderWay && !reply.isDeleted) return;
      this.#track(reply.isDeleted ? this.#deleteMarked(reply) : this.#completeTakenOver(reply), reply);
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
    const deletion = this.#deletionOf(reply);
    deletion.addEventListener('abort', () => lookups.cancel());
    const outcomes = await lookups.lookUpAll();
    if (deletion.aborted) return undefined;
    const { message, err } = await this.#options.render(reply, outcomes, isPrivate);
    if (err !== undefined) throw err;
    return message;
  }

  #deletionOf(reply: CardsReply): AbortSignal {
    const open = this.#open.get(reply.interactionId) ?? { reply, deletion: new AbortController() };
    this.#open.set(reply.interactionId, open);
    return open.deletion.signal;
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
    const { command, requester } = reply;
    if (first.err !== undefined) log.warn({ command, member: requester.memberId, err: first.err }, UNCONFIRMED);
    this.#publish(reply, 'deferred');
    if (first.isOfAnother) this.#endOfAnother(reply); // and seen to be completed
    this.#track(this.#complete(reply, lookups, first.isOfAnother), reply);
    return true;
  }

  /**
   * Completes a reply of a process that has ended, unless that has shown every card already. Cards that it may have
   * shown are shown again, and then the others.
   */
  async #completeTakenOver(reply: CardsReply): Promise<void> {
    this.#publish(reply, 'taken over');
    this.#deletionOf(reply); // from here on: what follows takes its time
    const { queries, list } = reply.asked;
    const isTooLate = reply.deadlineMs <= Date.now();
    const cards = isTooLate ? 0 : ((await this.#options.sender.read(reply))?.embeds.length ?? 0);
    if (isTooLate || cards >= (list ? 1 : queries.length)) {
      this.#end(reply, 'dropped', isTooLate ? { outcome: 'too late' } : undefined);
      return this.#options.journal.ended(reply.interactionId);
    }
    const wanted: Wanted = list ? within(list.ceiling, reply) : reply;
    const lookups = await Lookups.resume(queries, wanted, this.#options.lookups);
    const { ceiling } = wanted.requester;
    // What it has brought was paid for.
    if (ceiling) ceiling.left = Math.ceil((ceiling.left * lookups.awaited) / Math.max(1, queries.length));
    await this.#complete(reply, lookups, true);
  }

  /**
   * Deletes a reply that was marked by another process, or by one that ended before it told Discord. If it is under way
   * here, that ends first.
   */
  async #deleteMarked(reply: CardsReply): Promise<void> {
    const open = this.#open.get(reply.interactionId);
    if (open) open.deletion.abort();
    else this.#publish(reply, 'taken over');
    await this.#deleteUntilGone(reply);
    if (!open) this.#publish(reply, 'dropped');
  }

  /** Its row stays until it is gone, or can no longer be deleted. */
  async #deleteUntilGone(reply: CardsReply): Promise<void> {
    const { sender, journal } = this.#options;
    const { signal } = this.#closed;
    for (let failures = 1; reply.deadlineMs > Date.now() && !(await sender.delete(reply)); failures++) {
      await sleep(backOffMs(failures, RETRY), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
    await journal.remove(reply.interactionId);
  }

  /** @param isTakenOver whether another process may have answered it already, or may still */
  #complete(reply: CardsReply, lookups: Lookups, isTakenOver = false): Promise<void> {
    const { journal, render, sender } = this.#options;
    const id = reply.interactionId;
    const isShared = () => isTakenOver || !journal.owns(id);
    const deletion = this.#deletionOf(reply);
    let rendered: Awaited<ReturnType<RenderReply>> = { message: {} };
    let isRendered = false; // once in the end: however often it is sent, it is the same answer
    let isRepetition = false;
    const { changed, done } = follow(
      THINKING,
      {
        facts: () => ({
          ...lookups.standing(),
          deadlineMs: reply.deadlineMs,
          wanted: reply.asked.list ? 1 : reply.asked.queries.length, // a list is one embed, in the end
          owner: journal.ownerOf(id),
          isDeleted: deletion.aborted,
        }),
        async look(before) {
          if (!isRendered) rendered = await render(reply, before === 'soFar' ? lookups.soFar() : lookups.inTheEnd());
          isRendered = before !== 'soFar';
          isRepetition = before === 'repetition';
          const { content = '', embeds = [] } = rendered.message;
          if (!isShared() && !isRepetition) return { ours: embeds.length, shown: 0 };
          const read = await sender.read(reply);
          return {
            ours: embeds.length,
            shown: read?.embeds.length,
            isSameText: read?.content === content.trim(),
            isWhole: lookups.inTheEnd().cards.every((outcome) => outcome?.answer),
          };
        },
        edit: () => sender.edit(reply, rendered.message, reply.asked.isPrivate),
        complete: () => sender.complete(reply, rendered.message, isShared() || isRepetition),
        keep: () => journal.keeps(reply),
        end: async (as, isFollowed) => {
          if (as === 'deleted' || as === 'answered') lookups.cancel();
          if (as === 'answered') this.#end(reply, 'dropped');
          else if (as === 'too late' || as === 'deleted') this.#end(reply, 'dropped', { outcome: as });
          else this.#ended(reply, as, lookups.inTheEnd(), rendered.err);
          if (!isFollowed) await journal.ended(id);
        },
        forget: () => journal.ended(id),
      },
      this.#closed.signal,
    );
    deletion.addEventListener('abort', changed);
    void lookups.lookUpAll(changed);
    return done;
  }

  /** @param err the answer could not be rendered */
  #ended(
    reply: CardsReply,
    as: Exclude<End, 'answered' | 'too late' | 'deleted'>,
    outcomes: Outcomes,
    err: unknown,
  ): void {
    const isShown = as === 'shown' || as === 'shownInPrivate';
    const isPrivate = reply.asked.isPrivate || as === 'shownInPrivate';
    if (isShown) publishShown(this.#options.events, reply, outcomes, isPrivate);
    this.#end(reply, as === 'lost' ? 'dropped' : 'completed', {
      ...(isShown ? endOf(outcomes) : { outcome: as === 'lost' ? 'not answered' : 'broken' }),
      source: sourceOf(outcomes),
      waitMs: (outcomes.requestedAtMs ?? Date.now()) - reply.receivedAtMs,
      err,
    });
    if (isShown) this.#options.answered?.(reply);
  }

  /** Replaces a message once the next one is there. */
  #correct(invocation: Invocation, correction: Promise<Message | undefined>, isPrivate: boolean): Promise<void> {
    let message: Message | undefined = {};
    const { deadlineMs } = invocation;
    const ports: CoursePorts = {
      facts: () => ({ cards: 0, end: 'ended', deadlineMs, wanted: 1, owner: 'this', isDeleted: !message }),
      async look() {
        message = await correction;
        return { ours: 0, shown: 0 };
      },
      edit: () => this.#options.sender.edit(invocation, message ?? {}, isPrivate),
    };
    return follow(CORRECTION, ports, this.#closed.signal).done;
  }

  #endOfAnother(invocation: Invocation & { asked?: Asked }, { card }: Partial<CommandEnd> = {}): void {
    const { events, log } = this.#options;
    if (!this.#duplicateLogged) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
    this.#duplicateLogged = true;
    publishEnd(events, invocation, { card, outcome: 'answered by another process' });
  }

  /** @param end absent when the process that completed the reply has logged its command */
  #end(reply: CardsReply, step: EventsByName['reply']['step'], end?: CommandEnd): void {
    this.#publish(reply, step);
    if (end) publishEnd(this.#options.events, reply, end);
  }

  #publish({ interactionId, command }: CardsReply, step: EventsByName['reply']['step']): void {
    this.#options.events.publish('reply', { step, interactionId, command });
  }

  /** @param reply `isDeleted`: the work is to delete it, beside the work that it may still be under */
  #track(work: Promise<unknown>, reply: Invocation & Pick<CardsReply, 'isDeleted'>): void {
    const { interactionId, command, requester, isDeleted } = reply;
    const done = work
      .catch((err: unknown) =>
        this.#options.log.error({ command, member: requester.memberId, err }, 'reply cannot be completed'),
      )
      .finally(() => {
        this.#underWay.delete(done);
        if (!isDeleted) this.#open.delete(interactionId);
      });
    this.#underWay.add(done);
  }
}

/** The same, with a limit of what its lookups may cost. */
function within(left: number, invocation: Invocation): Invocation & Wanted {
  return { ...invocation, requester: { ...invocation.requester, ceiling: { left } } };
}

const UNCONFIRMED = 'discord did not confirm the first answer: the reply is completed anyway';
