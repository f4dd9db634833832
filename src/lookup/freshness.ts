import { type CardRecord, isFromClockAhead } from '../model/card.ts';

/** "No such card" and "no longer listed". */
const NOT_FOUND_FRESH_MS = 3_600_000;

/** How long each kind of answer may be shown without a request. Past that it is kept as a fallback. */
export interface Lifetimes {
  /** Facts change with errata at most. */
  factsFreshMs: number;
  /** Prices change daily. */
  pricesFreshMs: number;
  /** How long the service lets its prices be kept; absent: for as long as they are shown. */
  historyMs?: number | undefined;
  /** The fingerprint of the description that prices come by: those by another are stale. */
  pricesBy?: string | undefined;
}

/**
 * Without prices to show, only the facts age. A card fetched with prices that has none is as old as prices are. How old a
 * record is that a clock ahead has dated is not known, so it is stale.
 */
export function freshness(
  { card, fetchedAtMs, delistedAtMs, ...record }: CardRecord,
  showPrices: boolean,
  nowMs: number,
  { factsFreshMs, pricesFreshMs, pricesBy }: Lifetimes,
): 'fresh' | 'stale' {
  const isFound = card !== undefined && delistedAtMs === undefined;
  const foundFreshMs = showPrices ? Math.min(pricesFreshMs, factsFreshMs) : factsFreshMs;
  if (isFound && showPrices && record.pricesBy !== pricesBy) return 'stale';
  const saidAtMs = delistedAtMs ?? fetchedAtMs;
  const freshUntilMs = saidAtMs + (isFound ? foundFreshMs : NOT_FOUND_FRESH_MS);
  return nowMs < freshUntilMs && !isFromClockAhead(saidAtMs, nowMs) ? 'fresh' : 'stale';
}
