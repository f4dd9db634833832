import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Cards } from '../known/cards.ts';
import type { Logger } from '../log.ts';
import type { LookupQueue } from '../lookup/lookup-queue.ts';
import { WATCHES_REQUESTER, type WindowQuota } from '../model/quota.ts';
import type { Claims } from '../model/store/claims.ts';
import type { Limiter, LimiterView } from '../quota/limiter.ts';
import { reservedRequests, unreservedOf, windowEndsMs } from '../quota/windows.ts';
import { HOUR_MS, Timer } from '../time.ts';

interface WatchRenewalsOptions {
  watches: { find(): Promise<readonly { cardId: string }[] | undefined> };
  cards: Pick<Cards, 'known'>;
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
/** A card that was requested rests for longer than the hours of one window: without a price it stays the oldest. */
const RESTS_MS = 5 * HOUR_MS;
/** One process renews at a time. The claim lasts longer than a renewal with all its attempts takes as a rule. */
const CLAIM = { name: 'watch renewals', ttlMs: 5 * 60_000, endsWithOwner: true };
/** Files answer without letting others run. */
const READ_AT_ONCE = 50;

/**
 * Renews cards that are watched, one request at a time, the oldest price first: with requests that a window would lose,
 * or, where the service has none, while no member wants one.
 */
export class WatchRenewals {
  readonly #options: WatchRenewalsOptions;
  readonly #timer = new Timer(() => this.start());
  #isClosed = false;
  /** Cards that are not fresh, oldest price first. */
  #due: { atMs: number; read: string[] } | undefined;
  readonly #requestedAtMs = new Map<string, number>();

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
    const { claims, limiter, lookupQueue, hasWindow } = this.#options;
    const plan = renewalPlan(limiter.view(), lookupQueue, hasWindow);
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

  async #oldest(): Promise<string[]> {
    const { watches, cards } = this.#options;
    for (const [cardId, atMs] of this.#requestedAtMs)
      if (Math.abs(Date.now() - atMs) >= RESTS_MS) this.#requestedAtMs.delete(cardId);
    const watched = new Set((await watches.find())?.map(({ cardId }) => cardId));
    const found: { cardId: string; atMs: number }[] = [];
    for (const [index, cardId] of [...watched.difference(this.#requestedAtMs)].entries()) {
      if (index % READ_AT_ONCE === 0) await nextLoopIteration();
      const known = await cards.known(cardId, true, { isBeforeRequest: true }).catch(() => undefined); // it rests
      if (known && known.kind !== 'fresh') found.push({ cardId, atMs: known.answer?.fetchedAtMs ?? 0 });
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
      if (progress.requestedAtMs !== undefined) this.#requestedAtMs.set(cardId, Date.now());
      return record !== undefined;
    });
    return (await Promise.all(ended)).every(Boolean);
  }
}

/** At the slowest plan's rate it is time for 1,200 requests; and so late it is known what members have left over. */
const LAST_HOURS_MS = 2 * HOUR_MS;
/** For a permit and the answer: what leaves after the reset is spent of the next window. */
const LONGEST_ON_WAY_MS = 2 * 60_000;

/**
 * Whether a request may be spent on watches that most windows would lose otherwise: where members ask most at the end
 * of a window, a few of them may miss it. Without a window, whether nobody else wants one now.
 *
 * @param hasWindow whether the service counts by one, as far as is known before it states a figure
 * @returns with how many cards at most, of which each may count; or until when there is none
 */
export function renewalPlan(
  { windows, stop, storeAwaitedUntilMs }: Pick<LimiterView, 'windows' | 'stop' | 'storeAwaitedUntilMs'>,
  { isWanted, mostTogether }: Pick<LookupQueue, 'isWanted' | 'mostTogether'>,
  hasWindow: boolean,
  nowMs = Date.now(),
): { cards: number } | { waitUntilMs: number } {
  const known = windows.filter(({ remaining }) => remaining !== undefined);
  const waitsUntilMs = Math.max(...known.map((window) => waitsFor(window, nowMs)));
  if (waitsUntilMs > nowMs) return { waitUntilMs: waitsUntilMs };
  const isBusy = stop !== undefined || storeAwaitedUntilMs !== undefined || isWanted;
  const isUnknown = known.length === 0 && (hasWindow || windows.some(({ limit }) => limit !== undefined));
  if (isBusy || isUnknown) return { waitUntilMs: nowMs + LOOK_AGAIN_MS };
  return { cards: known.length > 0 ? Math.min(mostTogether, ...known.map(spareOf)) : 1 };
}

/** Until when nothing may be spent of a window on watches. */
function waitsFor(window: WindowQuota, nowMs: number): number {
  const endsMs = windowEndsMs(window);
  return spareOf(window) < 1 || endsMs - nowMs < LONGEST_ON_WAY_MS ? endsMs : endsMs - LAST_HOURS_MS;
}

/** A member always finds twice what is kept for missing cards. */
function spareOf(window: WindowQuota): number {
  return Math.floor(unreservedOf(window) - reservedRequests(window));
}
