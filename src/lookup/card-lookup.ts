import type { CardQuery } from '../model/card.ts';
import { type Requester, requesterOf } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Reservation } from './admission.ts';
import type { Cards, Known } from './cards.ts';
import type { LookupQueue } from './lookup-queue.ts';
import type { Outcome } from './outcomes.ts';

export interface CardLookupOptions {
  cards: Pick<Cards, 'known'>;
  lookupQueue: Pick<LookupQueue, 'admit' | 'enqueue'>;
  ledger: Pick<Ledger, 'saved'>;
  /** No renewal waits longer. */
  longestWaitMs: number;
}

/** Who wants the card, and until when it can be shown. */
export interface Wanted extends Requester {
  receivedAtMs: number;
  deadlineMs: number;
}

/** What is known of one card, and the lookup for what is not. */
export interface CardLookup {
  /** What is known before the lookup is started. */
  atOnce?: Outcome;
  /** Absent when no lookup is needed, or possible. */
  place?: Pick<Reservation, 'start' | 'cancel'>;
}

/**
 * Fresh: no lookup. Stale: renewed when there is room. Missing: wanted. Costs no request and never rejects.
 *
 * @param read what is known, where that has been read already
 */
export async function opened(
  query: CardQuery,
  { receivedAtMs, deadlineMs, ...who }: Wanted,
  { cards, lookupQueue, ledger, longestWaitMs }: CardLookupOptions,
  read: Known | undefined,
): Promise<CardLookup> {
  const requester = requesterOf(who);
  const known =
    read ?? (await cards.known(query.cardId, query.showPrices).catch((error) => ({ kind: 'refused', error }) as const));
  if (known.kind === 'refused') return { atOnce: { error: known.error } };
  if (known.kind === 'fresh') {
    ledger.saved(requester);
    return { atOnce: { answer: known.answer } };
  }
  const admission = await lookupQueue.admit(
    known.kind === 'stale'
      ? { ...query, lane: 'renewals', requester, deadlineMs: receivedAtMs + longestWaitMs }
      : { ...query, lane: 'members', requester, deadlineMs },
  );
  const copy = known.kind === 'stale' && { answer: known.answer };
  if ('refusal' in admission) return { atOnce: { ...copy, error: admission.refusal } };
  return { ...(copy && { atOnce: { ...copy, isRenewing: true } }), place: admission.reservation };
}

/** After its process has ended: any kept copy will do, since a request may have been spent on it. Costs no request. */
export async function resumed(
  query: CardQuery,
  { deadlineMs, ...who }: Wanted,
  { cards, lookupQueue, ledger }: CardLookupOptions,
): Promise<CardLookup> {
  const requester = requesterOf(who);
  const known = await cards.known(query.cardId, query.showPrices).catch(() => undefined);
  if (known && known.kind !== 'missing') {
    ledger.saved(requester);
    return { atOnce: { answer: known.answer } };
  }
  const lookup = { ...query, lane: 'members', requester, deadlineMs } as const;
  return { place: { start: (listeners) => lookupQueue.enqueue({ ...lookup, ...listeners }), cancel() {} } };
}
