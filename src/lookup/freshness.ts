import type { Answer } from '../card.ts';

/** How long each kind of answer may be shown without asking again. Past that it is kept as a fallback. */
export interface Lifetimes {
  /** Facts change with errata at most. */
  factsFreshMs: number;
  /** Prices change daily. */
  pricesFreshMs: number;
  notFoundFreshMs: number;
}

export type Freshness = 'fresh' | 'old';

/** Without prices to show, only the facts age. A card asked for with prices and without any is as old as prices are. */
export function freshness(answer: Answer, showPrices: boolean, nowMs: number, lifetimes: Lifetimes): Freshness {
  return nowMs < freshUntilMs(answer, showPrices, lifetimes) ? 'fresh' : 'old';
}

function freshUntilMs({ card, askedAtMs, deniedAtMs }: Answer, showPrices: boolean, lifetimes: Lifetimes): number {
  if (deniedAtMs !== undefined) return deniedAtMs + lifetimes.notFoundFreshMs;
  if (card === undefined) return askedAtMs + lifetimes.notFoundFreshMs;
  return askedAtMs + (showPrices ? Math.min(lifetimes.pricesFreshMs, lifetimes.factsFreshMs) : lifetimes.factsFreshMs);
}
