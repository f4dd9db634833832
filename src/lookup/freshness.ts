import type { CardRecord } from '../model/card.ts';

/** How long each kind of answer may be shown without asking again. Past that it is kept as a fallback. */
export interface Lifetimes {
  /** Facts change with errata at most. */
  factsFreshMs: number;
  /** Prices change daily. */
  pricesFreshMs: number;
  notFoundFreshMs: number;
}

export type Freshness = 'fresh' | 'stale';

/** Without prices to show, only the facts age. A card asked for with prices and without any is as old as prices are. */
export function freshness(answer: CardRecord, showPrices: boolean, nowMs: number, lifetimes: Lifetimes): Freshness {
  return nowMs < freshUntilMs(answer, showPrices, lifetimes) ? 'fresh' : 'stale';
}

function freshUntilMs(
  { card, fetchedAtMs, delistedAtMs }: CardRecord,
  showPrices: boolean,
  lifetimes: Lifetimes,
): number {
  if (delistedAtMs !== undefined) return delistedAtMs + lifetimes.notFoundFreshMs;
  if (card === undefined) return fetchedAtMs + lifetimes.notFoundFreshMs;
  return (
    fetchedAtMs + (showPrices ? Math.min(lifetimes.pricesFreshMs, lifetimes.factsFreshMs) : lifetimes.factsFreshMs)
  );
}
