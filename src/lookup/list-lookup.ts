import type { CardRecord } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import { withTimeout } from '../time/timers.ts';
import type { LookupListeners } from './pending-lookup.ts';

/** One card of several: what is known of it, and the lookup for what is not. */
export interface ListedLookup {
  /** Fresh when there is neither a lookup nor a refusal. */
  known?: CardRecord | undefined;
  /** @throws CardServiceError */
  start?: ((listeners: Required<LookupListeners>) => Promise<CardRecord>) | undefined;
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
  /** Cards that cost no request. */
  fromMemory: number;
  /** Cards for which the service has counted a request, and how many requests those were. */
  requested: number;
  requests: number;
  /** When the first request left; absent when none did. */
  requestedAtMs?: number | undefined;
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
  return { cards, ...counts(cards, []) };
}

/** Starts all lookups. @returns when all have ended; never rejects */
export async function lookUpList(lookups: readonly ListedLookup[], progress?: ListProgress): Promise<ListOutcome> {
  const { cards: atOnce } = knownAtOnce(lookups);
  const cards = [...atOnce];
  const requestNumbers = lookups.map(() => new Set<number>());
  let requestedAtMs: number | undefined;
  let permitAtMs: number | undefined;
  let shownAtMs: number | undefined;
  let change = Promise.withResolvers<void>();
  let left = lookups.filter(({ start }) => start).length;

  const onSchedule = (atMs: number) => {
    permitAtMs = Math.max(atMs, permitAtMs ?? 0);
    if (progress?.isWorthShowing(shownAtMs, permitAtMs, Date.now())) change.resolve();
  };
  const onRequest = () => {
    requestedAtMs ??= Date.now();
  };
  const underWay = lookups.map(async ({ known, start }, at) => {
    if (!start) return;
    cards[at] = await start({ onSchedule, onRequest, onCounted: (number) => requestNumbers[at]?.add(number) }).then(
      (answer) => ({ answer }),
      (error: CardServiceError) => ({ ...(known && { answer: known }), error }),
    );
    left -= 1;
    if (!isStopped(cards[at])) change.resolve();
  });
  const done = Promise.all(underWay);
  const soFar = (): ListOutcome => ({
    cards,
    ...counts(cards, requestNumbers),
    requestedAtMs,
    permitAtMs,
  });

  if (cards.some((card) => card?.answer)) change.resolve();
  while (progress && left > 0) {
    await Promise.race([done, change.promise]);
    if (left === 0) break; // the end is the caller's to show
    change = Promise.withResolvers();
    shownAtMs = permitAtMs;
    await progress.show({ ...soFar(), cards: cards.map((card, at) => (isStopped(card) ? atOnce[at] : card)) });
    await withTimeout(SHOW_EVERY_MS, done);
  }
  await done;
  return soFar();
}

/** While others are shown, it is still to come: another process brings it. */
function isStopped(card: CardOutcome | undefined): boolean {
  return card?.error instanceof Stopping;
}

/** @param requestNumbers of each card: the requests for it that the service has counted */
function counts(
  cards: readonly (CardOutcome | undefined)[],
  requestNumbers: readonly ReadonlySet<number>[],
): Pick<ListOutcome, 'fromMemory' | 'requested' | 'requests'> {
  return {
    fromMemory: cards.filter((card, at) => card?.answer && !requestNumbers[at]?.size).length,
    requested: requestNumbers.filter(({ size }) => size > 0).length,
    requests: new Set(requestNumbers.flatMap((numbers) => [...numbers])).size,
  };
}

/** How a command for several cards ended, for the log: `answered` when a card came, otherwise the first error's name. */
export function listEnd({ cards }: Pick<ListOutcome, 'cards'>): { outcome: string; shown: number; asked: number } {
  const shown = cards.filter((card) => card?.answer?.card).length;
  const error = cards.find((card) => card?.error)?.error;
  return { outcome: shown > 0 || !error ? 'answered' : error.name, shown, asked: cards.length };
}
