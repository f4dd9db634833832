import { setTimeout as sleep } from 'node:timers/promises';
import type { Lookups, Outcomes, Standing } from '../lookup/lookups.ts';
import type { Message } from '../model/message.ts';
import { backOffMs, Timer } from '../time.ts';
import type { Journal } from './journal.ts';
import type { CardsReply, EditResult, ReplySender, ShownReply } from './ports.ts';
import { type RenderReply, sentenceOf } from './rendering.ts';

/** Discord accepts 5 edits in 5 s from one webhook; what comes within 1.5 s is shown together. */
const SHOW_AGAIN = { firstMs: 1_500, longestMs: 30_000 };
/** What Discord could not be told is told again after these waits. */
const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** After this time nearly every edit that was given up has been processed, or never will be. */
const LATE_EDIT_MS = 10_000;
/** A time that is off by less stays, because every edit is a request to Discord. */
const MIN_MOVED_MS = 15_000;

export interface DeferredOptions {
  lookups: Lookups;
  /** Whether another process may have shown cards of the reply before. */
  isTakenOver: boolean;
  /** Aborted when somebody deletes the reply. */
  deletion: AbortController;
  /** Aborted when this process ends: what only waits is left to another. */
  closing: AbortSignal;
  journal: Journal;
  sender: ReplySender;
  render: RenderReply;
}

/** How a deferred reply ended; `answered`: by another process. `refused` and `blocked`: a sentence says so. */
export type DeferredEnd = Exclude<EditResult, 'failed'> | 'answered' | 'too late';

/**
 * What a reply shows before its end: how many cards, whether that it takes long, and when the last permit is expected.
 */
interface Shown {
  cards: number;
  /** Also once there is a card: it says that others are on their way. */
  isSlow: boolean;
  permitAtMs: number | undefined;
}

/** A deferred reply, from "thinking…" until nothing more is to come of it from here. */
export class DeferredReply {
  readonly #reply: CardsReply;
  readonly #options: DeferredOptions;
  #shown: Shown = { cards: 0, isSlow: false, permitAtMs: undefined };
  /** How many cards the last edit from here before the end has. */
  #cardsSoFar = 0;
  /** Edits before the end that failed in a row. */
  #failures = 0;
  /** An edit before the end was given up: Discord may process it after the answer. */
  #mayComeLate = false;
  /** Discord may show the answer without having confirmed it. */
  #isUnconfirmed = false;

  constructor(reply: CardsReply, options: DeferredOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  /**
   * Starts the lookups, shows what is new, and completes the reply in the end, unless it stays in the journal for
   * another process.
   *
   * @param ended told once how it ended; only the same answer may be sent after that. `err`: it cannot be rendered
   */
  async follow(ended: (end: DeferredEnd, outcomes: Outcomes, err?: unknown) => void): Promise<void> {
    const { lookups, journal, render, deletion, closing } = this.#options;
    const { end: lookedUp } = await this.#showSoFar();
    if (deletion.signal.aborted) lookups.cancel();
    else if (lookedUp === 'stopped' && (await journal.keeps(this.#reply))) return;

    const outcomes = lookups.inTheEnd();
    const { message, err } = await render(this.#reply, outcomes); // once: however often it is sent, it is the same
    const isWhole = outcomes.cards.every((outcome) => outcome?.answer);
    const ends = [deletion.signal, closing];
    const completed = await untilReached(() => this.#complete(message, isWhole), this.#reply, ends);
    const end = deletion.signal.aborted ? 'deleted' : completed;
    if (end === undefined) return; // whoever takes it over completes it
    ended(end, outcomes, err);

    if (end === 'shown' && this.#mayComeLate) {
      if (await paused(LATE_EDIT_MS, ends)) await untilReached(() => this.#repeat(message), this.#reply, ends);
      if (closing.aborted) return; // whoever takes it over looks at it
    }
    await journal.remove(this.#reply.interactionId);
  }

  /** @returns when all lookups have ended, or the reply is deleted */
  async #showSoFar(): Promise<Standing> {
    const { lookups, deletion } = this.#options;
    let change = Promise.withResolvers<void>();
    let isDue = true;
    const changed = () => change.resolve();
    const timer = new Timer(() => {
      isDue = true;
      changed();
    });
    deletion.signal.addEventListener('abort', changed);
    void lookups.lookUpAll(changed);
    for (;;) {
      const standing = lookups.standing();
      if (standing.end || deletion.signal.aborted) {
        timer.clear();
        return standing;
      }
      if (isDue) {
        const next = newsIn(standing, this.#shown);
        isDue = next === undefined;
        const againAtMs = next ? await this.#showPart(next) : slowIn(standing);
        if (againAtMs !== undefined) timer.set(againAtMs);
      }
      await change.promise;
      change = Promise.withResolvers();
    }
  }

  /**
   * Not where another process shows more, or completes the reply.
   *
   * @returns when the next part may be shown
   */
  async #showPart(next: Shown): Promise<number> {
    const { lookups, journal, sender, render, deletion } = this.#options;
    const { interactionId, asked } = this.#reply;
    const { message } = await render(this.#reply, lookups.soFar());
    const { length } = message.embeds ?? [];
    const before = journal.ownerOf(interactionId) === 'this' ? await this.#read() : undefined;
    let result: EditResult = 'shown';
    if (before && this.#cardsOfOthers(before) <= length) {
      this.#cardsSoFar = length;
      result = await sender.edit(this.#reply, message, asked.isPrivate);
    }
    if (result === 'deleted') deletion.abort();
    if (result !== 'failed') this.#shown = next;
    this.#failures = result === 'failed' ? this.#failures + 1 : 0;
    this.#mayComeLate ||= result === 'failed';
    return Date.now() + backOffMs(this.#failures, SHOW_AGAIN);
  }

  async #complete(message: Message, isWhole: boolean): Promise<DeferredEnd | 'failed'> {
    const { interactionId, deadlineMs, asked } = this.#reply;
    if (this.#options.deletion.signal.aborted) return 'deleted';
    const before = await this.#read();
    const owner = this.#options.journal.ownerOf(interactionId);
    if (owner === 'another') return 'answered';
    if (!before) return 'failed';
    const ofOthers = this.#cardsOfOthers(before);
    const wanted = asked.list ? 1 : asked.queries.length; // a list is one embed, in the end
    // An unconfirmed answer that is sent again could replace that of another process.
    if (ofOthers >= wanted) return this.#isUnconfirmed ? 'shown' : 'answered';
    if (owner === 'this') return this.#send(message);
    // Another may be about to show cards where this one has a sentence, which is shown when hardly any time is left.
    if (!isWhole && Date.now() < deadlineMs - RETRY.longestMs) return 'failed';
    return ofOthers > (message.embeds?.length ?? 0) ? 'answered' : this.#send(message);
  }

  /** Sends the answer once more, should an earlier edit have replaced it: that has fewer cards, or another text. */
  async #repeat(message: Message): Promise<EditResult> {
    const { sender, journal, deletion } = this.#options;
    const now = await sender.read(this.#reply);
    if (!now) return 'failed';
    const { content = '', embeds = [] } = message;
    const isSame = now.embeds.length === embeds.length && now.content === content.trim();
    const isOfOthers = deletion.signal.aborted || journal.ownerOf(this.#reply.interactionId) === 'another';
    return isSame || isOfOthers || now.embeds.length > embeds.length ? 'shown' : this.#send(message);
  }

  /** "thinking…" does not stay: in place of what Discord refuses, the reply says so. */
  async #send(message: Message): Promise<EditResult> {
    const { sender } = this.#options;
    const { isPrivate } = this.#reply.asked;
    const result = await sender.edit(this.#reply, message, isPrivate);
    this.#isUnconfirmed ||= result === 'failed';
    if (result !== 'refused' && result !== 'blocked') return result;
    const why = sentenceOf(this.#reply, result === 'blocked' ? 'blockedByAutoMod' : 'broken');
    const said = await sender.edit(this.#reply, why, isPrivate);
    if (said === 'shown') return result;
    return said === 'refused' || said === 'blocked' ? 'lost' : said;
  }

  /** What the reply shows, where others than this process may have shown it. */
  async #read(): Promise<ShownReply | undefined> {
    const { journal, sender, isTakenOver } = this.#options;
    const isShared = isTakenOver || !journal.owns(this.#reply.interactionId);
    return isShared ? sender.read(this.#reply) : { content: '', embeds: [] };
  }

  #cardsOfOthers({ embeds }: ShownReply): number {
    return embeds.length > this.#cardsSoFar ? embeds.length : 0;
  }
}

/**
 * Tries again as long as Discord cannot be reached, and the reply can be edited.
 *
 * @returns `undefined` when one of the signals has ended that
 */
export async function untilReached(
  attempt: () => Promise<DeferredEnd | 'failed'>,
  { deadlineMs }: Pick<CardsReply, 'deadlineMs'>,
  ends: AbortSignal[],
): Promise<DeferredEnd | undefined> {
  for (let failures = 1; ; failures++) {
    const result = await attempt();
    if (result !== 'failed') return result;
    const waitMs = backOffMs(failures, RETRY);
    if (Date.now() + waitMs > deadlineMs) return 'too late';
    if (!(await paused(waitMs, ends))) return undefined;
  }
}

/** @returns `false` when one of the signals has ended the pause */
async function paused(ms: number, ends: AbortSignal[]): Promise<boolean> {
  const signal = AbortSignal.any(ends);
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** What is to be shown next; `undefined` when nothing is new: a time of the permit that is off by little is not. */
function newsIn({ cards, permitAtMs, slowAtMs = Infinity }: Standing, shown: Shown): Shown | undefined {
  const isLate = slowAtMs <= Date.now() && permitAtMs === undefined;
  const isSlow = shown.isSlow || isLate || cards > shown.cards;
  const movedMs = permitAtMs === undefined ? 0 : Math.abs(permitAtMs - (shown.permitAtMs ?? -Infinity));
  const isNew = isSlow !== shown.isSlow || cards > shown.cards || movedMs > MIN_MOVED_MS;
  return isNew ? { cards, isSlow, permitAtMs } : undefined;
}

/** When an answer that is awaited becomes slow, if it is not yet. */
function slowIn({ slowAtMs = Infinity }: Standing): number | undefined {
  return slowAtMs > Date.now() && slowAtMs < Infinity ? slowAtMs : undefined;
}
