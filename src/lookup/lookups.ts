import type { CardQuery } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import { type Requester, requesterOf } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import { backOffMs } from '../time/back-off.ts';
import { Timer, withTimeout } from '../time/timers.ts';
import type { Cards } from './cards.ts';
import type { LookupQueue } from './lookup-queue.ts';
import type { Lookup } from './pending-lookup.ts';
import { type CardCourse, nextShown, type Outcomes, outcomesOf, type Shown, slowAtMs } from './shown-so-far.ts';

export interface LookupsOptions {
  cards: Pick<Cards, 'known'>;
  lookupQueue: Pick<LookupQueue, 'admit' | 'admitAgain'>;
  ledger: Pick<Ledger, 'saved'>;
  /** No renewal waits longer. */
  longestWaitMs: number;
}

/** Who wants the card, and until when it can be shown. */
export interface Wanted extends Requester {
  receivedAtMs: number;
  deadlineMs: number;
}

/** Discord accepts 5 edits in 5 s from one webhook; what comes within 1.5 s is shown together. */
const SHOW_AGAIN = { firstMs: 1_500, longestMs: 30_000 };

/** The cards of one reply: what is known of each, and the lookups for what is not. */
export class Lookups {
  readonly #cards: readonly CardCourse[];

  private constructor(cards: readonly CardCourse[]) {
    this.#cards = cards;
  }

  /**
   * Fresh: no lookup. Stale: renewed when there is room. Missing: wanted. Each is admitted to the queue or refused, all
   * before the first answer. Costs no request and never rejects; to be started or cancelled.
   */
  static async open(queries: readonly CardQuery[], wanted: Wanted, options: LookupsOptions): Promise<Lookups> {
    return new Lookups(await Promise.all(queries.map((query) => begun(query, wanted, options))));
  }

  /**
   * The same for a process that takes over: any kept copy will do, since a request may have been spent on it, and what is
   * missing was admitted before.
   */
  static async resume(queries: readonly CardQuery[], wanted: Wanted, options: LookupsOptions): Promise<Lookups> {
    return new Lookups(await Promise.all(queries.map((query) => begun(query, wanted, options, true))));
  }

  /** `cards`: at least one has no copy. `renewals`: only stale copies are looked up. */
  get toCome(): 'nothing' | 'renewals' | 'cards' {
    const places = this.#cards.filter(({ place }) => place);
    if (places.length === 0) return 'nothing';
    return places.every(({ atOnce }) => atOnce) ? 'renewals' : 'cards';
  }

  /** A card whose lookup was ended by a stop counts as one that is still to come, because another process will bring it. */
  soFar(): Outcomes {
    return outcomesOf(this.#cards, ({ end, atOnce }) => (end && !(end.error instanceof Stopping) ? end : atOnce));
  }

  /**
   * Starts all lookups. Costs a request for each, or fewer when cards are requested together or for others, too.
   *
   * @param showSoFar called with what is new to see, and once when the first answer is slow, but not at the end; again
   *   after a while when it has `failed`. Must not reject; is never called again before it has resolved
   * @returns when all have ended; never rejects
   */
  async lookUpAll(showSoFar?: (soFar: Outcomes) => Promise<'failed' | undefined>): Promise<Outcomes> {
    let change = Promise.withResolvers<void>();
    const slow = new Timer(() => change.resolve());
    let shown: Shown = { cards: 0, isSlow: false, permitAtMs: undefined };
    let failures = 0;
    let cards = this.#cards.filter(({ atOnce }) => atOnce?.answer).length;
    change.resolve(); // a request that is joined has left already
    let left = this.#cards.filter(({ place }) => place).length;
    const lookUp = async (card: CardCourse) => {
      if (!card.place) return;
      const copy = card.atOnce?.answer;
      const answered = card.place.start(() => change.resolve());
      card.end = await answered.then(
        (answer) => ({ answer }),
        (error: CardServiceError) => ({ ...(copy && { answer: copy }), error }),
      );
      left -= 1;
      if (card.end.error instanceof Stopping) return;
      cards += 1;
      change.resolve();
    };
    const done = Promise.all(this.#cards.map(lookUp));

    while (showSoFar && left > 0) {
      await Promise.race([done, change.promise]);
      if (left === 0) break; // the end is the caller's to show
      change = Promise.withResolvers();
      const soFar = this.soFar();
      const { permitAtMs } = soFar;
      const nextSlowAtMs = slowAtMs(this.#cards);
      const isDue = nextSlowAtMs <= Date.now();
      if (!isDue && !shown.isSlow && Number.isFinite(nextSlowAtMs)) slow.set(nextSlowAtMs);
      const now = nextShown(shown, { cards, isSlow: isDue && permitAtMs === undefined, permitAtMs });
      if (!now) continue;
      const hasFailed = (await showSoFar(soFar)) === 'failed';
      [shown, failures] = hasFailed ? [shown, failures + 1] : [now, 0];
      await withTimeout(backOffMs(failures, SHOW_AGAIN), done);
      change.resolve(); // there may be something to see once more
    }
    slow.clear();
    await done;
    return outcomesOf(this.#cards, ({ end, atOnce }) => end ?? atOnce);
  }

  /** Gives up what was not started. */
  cancel(): void {
    for (const { place } of this.#cards) place?.cancel();
  }
}

/** @param isTakenOver any kept copy will do, and what is missing was admitted before */
async function begun(
  { known: alreadyKnown, ...query }: CardQuery,
  { receivedAtMs, deadlineMs, ...who }: Wanted,
  { cards, lookupQueue, ledger, longestWaitMs }: LookupsOptions,
  isTakenOver = false,
): Promise<CardCourse> {
  const requester = requesterOf(who);
  const known =
    alreadyKnown ??
    (await cards.known(query.cardId, query.showPrices).catch((error) => ({ kind: 'refused', error }) as const));
  if (known.kind === 'refused') return { atOnce: { error: known.error } };
  if (known.kind === 'fresh' || (known.kind === 'stale' && isTakenOver)) {
    ledger.saved(requester);
    return { atOnce: { answer: known.answer } };
  }
  const lookup: Lookup =
    known.kind === 'stale'
      ? { ...query, lane: 'renewals', requester, deadlineMs: receivedAtMs + longestWaitMs }
      : { ...query, lane: 'members', requester, deadlineMs };
  const admission = isTakenOver ? lookupQueue.admitAgain(lookup) : await lookupQueue.admit(lookup);
  const copy = known.kind === 'stale' && { answer: known.answer };
  if ('refusal' in admission) return { atOnce: { ...copy, error: admission.refusal } };
  return { ...(copy && { atOnce: { ...copy, isRenewing: true } }), place: admission.reservation };
}
