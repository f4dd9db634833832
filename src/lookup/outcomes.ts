import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { Reservation } from './pending-lookup.ts';

/** What came of one card. With an error, the answer is a copy that could not be renewed. */
export interface Outcome {
  answer?: CardRecord;
  /** A newer answer is still to come. */
  isRenewing?: true;
  error?: CardServiceError;
}

/** What came of the cards of one reply, so far or in the end. */
export interface Outcomes {
  /** In the order of the queries; `undefined`: still to come. */
  cards: readonly (Outcome | undefined)[];
  /** How many requests the service has counted for them. */
  requests: number;
  /** When the first request left; absent when none did. */
  requestedAtMs?: number | undefined;
  /** When the last permit is expected; absent when that is within 3 s, or not known. */
  permitAtMs?: number | undefined;
}

/** A shorter wait is left at "thinking…". */
const MIN_SHOWN_MS = 3_000;
/** A time that is off by less stays, because every edit is a request to Discord. */
export const MIN_MOVED_MS = 15_000;

/** When the last of these permits is expected, if that is worth a sentence. */
export function lastPermitAtMs(permitsAtMs: readonly number[], nowMs: number): number | undefined {
  const lastAtMs = Math.max(...permitsAtMs);
  return lastAtMs - nowMs > MIN_SHOWN_MS ? lastAtMs : undefined;
}

/** An answer that takes longer gets a sentence. */
const SLOW_AFTER_MS = 5_000;

export function lastPermitOf(cards: readonly ReplyCard[]): number | undefined {
  const permitsAtMs = cards.flatMap(({ end, reservation }) => (end ? [] : (reservation?.progress.permitAtMs ?? [])));
  return lastPermitAtMs(permitsAtMs, Date.now());
}

/** When an answer that is awaited now becomes slow: its request has left, here or in another process. Never without one. */
export function slowAtMs(cards: readonly ReplyCard[]): number {
  const awaited = cards.flatMap(({ end, reservation }) => (end || !reservation ? [] : reservation.progress));
  const sinceMs = awaited.flatMap(({ permitAtMs, requestedAtMs, askedElsewhereAtMs }) => {
    return (requestedAtMs === undefined ? askedElsewhereAtMs : permitAtMs === undefined && requestedAtMs) || [];
  });
  return Math.min(...sinceMs) + SLOW_AFTER_MS;
}

/** Whether the answer came by a request of this reply. */
export function isFetchedFor(requestedAtMs: number | undefined, { fetchedAtMs }: CardRecord): boolean {
  return requestedAtMs !== undefined && fetchedAtMs >= requestedAtMs;
}

/** One card of a reply: what is known of it, and the lookup for what is not. */
export interface ReplyCard {
  /** What is known before the lookup is started. */
  atOnce?: Outcome;
  /** Absent when no lookup is needed, or possible. */
  reservation?: Reservation;
  end?: Outcome;
}

/** @param shownOf what is shown of each */
export function outcomesOf(cards: readonly ReplyCard[], shownOf: (card: ReplyCard) => Outcome | undefined): Outcomes {
  const progress = cards.flatMap(({ reservation }) => reservation?.progress ?? []);
  const requestedAtMs = progress.flatMap((one) => one.requestedAtMs ?? []);
  return {
    cards: cards.map(shownOf),
    requests: new Set(progress.flatMap(({ requestNumbers }) => [...requestNumbers])).size,
    requestedAtMs: requestedAtMs.length === 0 ? undefined : Math.min(...requestedAtMs),
    permitAtMs: lastPermitOf(cards),
  };
}
