import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Cards } from '../known/cards.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { isOfDay, windowEndsMs } from '../limiter/windows.ts';
import type { Logger } from '../log.ts';
import type { LookupQueue } from '../lookup/fetching.ts';
import type { Claims } from '../model/claims.ts';
import { WATCHES_REQUESTER } from '../model/quota.ts';
import { Timer } from '../time/timers.ts';
import { HOUR_MS, nextUtcMidnightMs } from '../time/utc-day.ts';
import { isWithoutWindow, type RenewalFacts, renewalPlan } from './renewal-plan.ts';

interface WatchRenewalsOptions {
  watches: { find(): Promise<readonly { cardId: string }[] | undefined> };
  cards: Pick<Cards, 'knownBeforeRequest'>;
  lookupQueue: Pick<LookupQueue, 'admit' | 'isWanted' | 'mostTogether'>;
  limiter: Pick<Limiter, 'view'>;
  claims: Claims;
  hasWindow: boolean;
  log: Logger;
}

/** Which cards are not fresh is read so often, and planned anew: the reset or the clock may have moved. */
const READ_EVERY_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** A renewal waits this long for its permit; then it is decided again whether there should be one. */
const LONGEST_WAIT_MS = 60_000;
/** One process renews at a time. The claim lasts longer than a renewal with all its attempts takes as a rule. */
const CLAIM = { name: 'watch renewals', ttlMs: 5 * 60_000, endsWithOwner: true };
/** Files answer without letting others run. */
const READ_AT_ONCE = 50;

/**
 * Renews cards that are watched, one request at a time, the oldest price first: with requests that the day would lose,
 * or, where the service has no day, each once while its price is not fresh.
 */
export class WatchRenewals {
  readonly #options: WatchRenewalsOptions;
  readonly #timer = new Timer(() => this.start());
  #isClosed = false;
  /** Cards that are not fresh, oldest price first. */
  #due: { atMs: number; read: string[] } | undefined;
  /**
   * Cards that were requested on the day that ends then, the UTC day without another: one that brought no price would
   * be the oldest again.
   */
  #requested = { dayEndsAtMs: 0, cardIds: new Set<string>() };

  constructor(options: WatchRenewalsOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  /** Plans nothing more. The lookup that may be under way is the queue's to end. */
  close(): void {
    this.#isClosed = true;
    this.#timer.clear();
  }

  async #run(): Promise<void> {
    const nextAtMs = await this.#renewNext().catch((err: unknown) => {
      this.#options.log.error({ err }, 'renewing watched cards failed');
      return Date.now() + READ_EVERY_MS;
    });
    if (!this.#isClosed) this.#timer.set(Math.min(nextAtMs, Date.now() + READ_EVERY_MS));
  }

  /** Costs one request at most, unless it fails. @returns when to go on */
  async #renewNext(): Promise<number> {
    const { claims } = this.#options;
    const facts = this.#facts();
    const day = facts.view.windows.find(isOfDay);
    const dayEndsAtMs = day && !isWithoutWindow(facts) ? windowEndsMs(day) : nextUtcMidnightMs(facts.nowMs);
    // Services round a reset, and compute it anew.
    if (Math.abs(dayEndsAtMs - this.#requested.dayEndsAtMs) > HOUR_MS)
      this.#requested = { dayEndsAtMs, cardIds: new Set() };
    const plan = renewalPlan(facts);
    if ('waitUntilMs' in plan) return plan.waitUntilMs;
    if ((await claims.claim(CLAIM.name, CLAIM)) !== 'mine') return Date.now() + LOOK_AGAIN_MS;
    try {
      if (!this.#due || Math.abs(Date.now() - this.#due.atMs) >= READ_EVERY_MS)
        this.#due = { atMs: Date.now(), read: await this.#oldest() };
      const cardIds = this.#due.read.splice(0, plan.cards);
      if (cardIds.length === 0) return this.#due.atMs + READ_EVERY_MS;
      return (await this.#renew(cardIds)) ? Date.now() : Date.now() + LOOK_AGAIN_MS;
    } finally {
      await claims.release(CLAIM.name);
    }
  }

  #facts(): RenewalFacts {
    const { limiter, lookupQueue, hasWindow } = this.#options;
    const { isWanted: isMemberWaiting, mostTogether } = lookupQueue;
    return { nowMs: Date.now(), view: limiter.view(), hasWindow, isMemberWaiting, mostTogether };
  }

  async #oldest(): Promise<string[]> {
    const { watches, cards, limiter, hasWindow } = this.#options;
    const watched = new Set((await watches.find())?.map(({ cardId }) => cardId));
    const requested = this.#requested.cardIds;
    const isOnce = isWithoutWindow({ view: limiter.view(), hasWindow });
    const found: { cardId: string; atMs: number }[] = [];
    for (const [index, cardId] of [...watched].entries()) {
      if (index % READ_AT_ONCE === 0) await nextLoopIteration();
      const known = await cards.knownBeforeRequest(cardId, true).catch(() => undefined); // an error rests, too
      if (known?.kind === 'fresh' && isOnce) requested.delete(cardId);
      else if (known && known.kind !== 'fresh' && !requested.has(cardId))
        found.push({ cardId, atMs: known.answer?.fetchedAtMs ?? 0 });
    }
    return found.sort((a, b) => a.atMs - b.atMs).map(({ cardId }) => cardId);
  }

  /** @returns whether all of them were answered */
  async #renew(cardIds: readonly string[]): Promise<boolean> {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    const wish = { showPrices: true, lane: 'watches', requester: WATCHES_REQUESTER, deadlineMs } as const;
    // All are admitted before the first is started, which would otherwise be requested by itself.
    const admit = async (cardId: string) => ({
      cardId,
      admission: await this.#options.lookupQueue.admit({ ...wish, cardId }),
    });
    const ended = (await Promise.all(cardIds.map(admit))).map(async ({ cardId, admission }) => {
      if ('refusal' in admission) return false;
      const { progress, start } = admission.reservation;
      const record = await start().catch(() => undefined); // the log has it
      if (progress.requestedAtMs !== undefined) this.#requested.cardIds.add(cardId);
      return record !== undefined;
    });
    return (await Promise.all(ended)).every(Boolean);
  }
}
