import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import { withTimeout } from '../time/timers.ts';
import type { Lookup } from './pending-lookup.ts';

/** One card of several: what is known of it, and the lookup for what is not. */
export interface ListedLookup {
  /** Fresh when there is neither a lookup nor a refusal. */
  known?: CardRecord | undefined;
  /** @throws CardServiceError */
  start?: ((listeners: Required<Pick<Lookup, 'onSchedule' | 'onRequest'>>) => Promise<CardRecord>) | undefined;
  /** Why there is no lookup although one is needed. */
  refusal?: CardServiceError | undefined;
}

/** What came of one card so far. With an error, the answer is a copy that could not be renewed. */
export interface CardOutcome {
  answer?: CardRecord;
  isRenewing?: boolean;
  error?: CardServiceError;
}

/** What came of several cards so far, in the order of their lookups. */
export interface ListOutcome {
  /** `undefined`: still to come. */
  cards: readonly (CardOutcome | undefined)[];
  /** Cards that needed no lookup. */
  fromMemory: number;
  /** Cards for which a request has left, and how many requests those were. */
  requested: number;
  requests: number;
  /** When the last permit is expected; absent when that is now, or not known. */
  permitAtMs?: number | undefined;
}

export interface ListProgress {
  /** Shows what is there so far. Must not reject; is never called again before it has resolved. */
  show(soFar: ListOutcome): Promise<void>;
  /** Whether an expected permit is to be shown, given the time that is shown already. */
  isWorthShowing(shownAtMs: number | undefined, permitAtMs: number, nowMs: number): boolean;
}

/** Discord accepts 5 edits in 5 s from one webhook; what comes within this time is shown together. */
const SHOW_EVERY_MS = 1_500;

/** Before any lookup has started. */
export function knownAtOnce(lookups: readonly ListedLookup[]): ListOutcome & { cards: (CardOutcome | undefined)[] } {
  const cards = lookups.map(({ known, start, refusal }): CardOutcome | undefined => {
    if (known) return { answer: known, ...(start && { isRenewing: true }), ...(refusal && { error: refusal }) };
    return refusal && { error: refusal };
  });
  const fromMemory = lookups.filter(({ known, start }) => known && !start).length;
  return { cards, fromMemory, requested: 0, requests: 0 };
}

/** Starts all lookups. @returns when all have ended; never rejects */
export async function lookUpList(lookups: readonly ListedLookup[], progress?: ListProgress): Promise<ListOutcome> {
  const { cards, fromMemory } = knownAtOnce(lookups);
  const requests = new RequestCount();
  let permitAtMs: number | undefined;
  let shownAtMs: number | undefined;
  let change = Promise.withResolvers<void>();
  let left = lookups.filter(({ start }) => start).length;

  const onSchedule = (atMs: number) => {
    permitAtMs = Math.max(atMs, permitAtMs ?? 0);
    if (progress?.isWorthShowing(shownAtMs, permitAtMs, Date.now())) change.resolve();
  };
  const underWay = lookups.map(async ({ known, start }, at) => {
    if (!start) return;
    cards[at] = await start({ onSchedule, onRequest: () => requests.add(at) }).then(
      (answer) => ({ answer }),
      (error: CardServiceError) => ({ ...(known && { answer: known }), error }),
    );
    left -= 1;
    change.resolve();
  });
  const done = Promise.all(underWay);
  const soFar = (): ListOutcome => ({ cards: [...cards], fromMemory, ...requests.counts, permitAtMs });

  if (cards.some((card) => card?.answer)) change.resolve();
  while (progress && left > 0) {
    await Promise.race([done, change.promise]);
    if (left === 0) break; // the end is the caller's to show
    change = Promise.withResolvers();
    shownAtMs = permitAtMs;
    await progress.show(soFar());
    await withTimeout(SHOW_EVERY_MS, done);
  }
  await done;
  return soFar();
}

/** A request for several cards tells all of them at once, one after the other. */
class RequestCount {
  #requests = 0;
  readonly #requested = new Set<number>();
  #leavesNow = false;

  /** For a card that was left out of an answer, another one leaves. */
  add(card: number): void {
    this.#requested.add(card);
    if (this.#leavesNow) return;
    this.#requests += 1;
    this.#leavesNow = true;
    queueMicrotask(() => {
      this.#leavesNow = false;
    });
  }

  get counts(): Pick<ListOutcome, 'requests' | 'requested'> {
    return { requests: this.#requests, requested: this.#requested.size };
  }
}
