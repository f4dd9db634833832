import type { CardRecord, Prices } from '../model/card.ts';
import { finishOf } from '../model/finish.ts';
import type { ListedCard } from '../model/invocation.ts';
import type { WorthLine } from './kept-lists.ts';

/** What is kept of a card, and whether it is old. */
export interface KeptPrice {
  record: CardRecord;
  isStale: boolean;
}

/** By the ids of cards. */
export type KeptPrices = ReadonlyMap<string, KeptPrice>;

export interface PricedLine {
  line: WorthLine & { card: ListedCard };
  /** Absent: nothing is known of the card. */
  kept?: KeptPrice;
  /** Absent: it has no price, or none of the finish that the line says. */
  prices?: Prices;
}

/**
 * All in one currency; sums are in hundredths of its minor unit, so that no fraction of a cent appears, and many small
 * ones are not lost.
 */
export interface Sums {
  currency: string | undefined;
  market: number;
  low: number;
  /** How many cards each sum is of. */
  cards: { market: number; low: number };
}

/** What a list is worth as far as its prices are known. */
export interface Worth {
  priced: readonly PricedLine[];
  unclear: readonly WorthLine[];
  /** Different cards. */
  known: ReadonlySet<string>;
  missing: readonly string[];
  stale: readonly string[];
  /** One for each currency, that of most cards first. */
  sums: readonly Sums[];
  /** Cards that are known and have no price, with their counts. */
  unpriced: number;
  /** The names of those that there are not. */
  notFound: readonly string[];
  oldestAtMs: number | undefined;
  /** How many lines mean one of several printings without saying which. */
  guessed: number;
}

/** The prices of a card that count for a line; a foil is not worth what another printing is. */
export function pricesFor({ finish }: Pick<WorthLine, 'finish'>, { card }: CardRecord): Prices | undefined {
  const prices = card?.prices;
  if (prices?.market === undefined && prices?.low === undefined) return undefined;
  return finish && finish !== finishOf(prices.label ?? '') ? undefined : prices;
}

/**
 * Which of several printings a line that names none is taken for: the cheapest whose price is known, else the newest.
 * Prices in another currency than the first one's are not compared.
 *
 * @param cards newest first
 */
export function choosePrinting(
  line: Pick<WorthLine, 'finish'>,
  cards: readonly ListedCard[],
  kept: KeptPrices,
): ListedCard | undefined {
  const priced = cards.flatMap((card) => {
    const { record } = kept.get(card.id) ?? {};
    const { market, currency } = (record && pricesFor(line, record)) ?? {};
    return market === undefined ? [] : { card, market, currency };
  });
  const comparable = priced.filter(({ currency }) => currency === priced[0]?.currency);
  return comparable.sort((a, b) => a.market - b.market)[0]?.card ?? cards[0];
}

/** @param currency of prices that name none */
export function worthOf(lines: readonly WorthLine[], kept: KeptPrices, currency: string | undefined): Worth {
  const priced = lines.flatMap((line): PricedLine[] => {
    const { card } = line;
    if (!card) return [];
    const known = kept.get(card.id);
    const prices = known && pricesFor(line, known.record);
    return [{ line: { ...line, card }, ...(known && { kept: known }), ...(prices && { prices }) }];
  });
  const ids = new Set(priced.map(({ line }) => line.card.id));
  const fetchedAtMs = priced.flatMap(({ kept: known, prices }) => (known && prices ? known.record.fetchedAtMs : []));
  return {
    priced,
    unclear: lines.filter(({ card }) => !card),
    known: new Set([...ids].filter((id) => kept.has(id))),
    missing: [...ids].filter((id) => !kept.has(id)),
    stale: [...ids].filter((id) => kept.get(id)?.isStale),
    sums: sumsOf(priced, currency),
    unpriced: priced.reduce(
      (sum, { line, kept: known, prices }) => sum + (known?.record.card && !prices ? line.count : 0),
      0,
    ),
    notFound: priced.flatMap(({ line, kept: known }) => (known && !known.record.card ? line.card.name : [])),
    oldestAtMs: fetchedAtMs.length > 0 ? Math.min(...fetchedAtMs) : undefined,
    guessed: lines.filter(({ isGuessed }) => isGuessed).length,
  };
}

function sumsOf(priced: readonly PricedLine[], ofOthers: string | undefined): Sums[] {
  const sums = new Map<string | undefined, Sums>();
  for (const { line, prices } of priced) {
    if (!prices) continue;
    const { currency = ofOthers } = prices;
    const sum = sums.get(currency) ?? { currency, market: 0, low: 0, cards: { market: 0, low: 0 } };
    for (const figure of ['market', 'low'] as const) {
      const price = prices[figure];
      if (price === undefined) continue;
      sum[figure] += line.count * toHundredths(price, currency);
      sum.cards[figure] += line.count;
    }
    sums.set(currency, sum);
  }
  const most = ({ cards }: Sums) => Math.max(cards.market, cards.low);
  return [...sums.values()].sort((a, b) => most(b) - most(a));
}

/** The lines with the highest prices; those of the currency of most cards first. */
export function dearest({ priced, sums }: Worth, most: number, ofOthers: string | undefined): PricedLine[] {
  const place = ({ prices }: PricedLine) =>
    sums.findIndex(({ currency }) => currency === (prices?.currency ?? ofOthers));
  const market = ({ prices }: PricedLine) => prices?.market ?? 0;
  return priced
    .filter((each) => market(each) > 0)
    .sort((a, b) => place(a) - place(b) || market(b) - market(a))
    .slice(0, most);
}

/** Two where there is no currency: most have as many. */
const DIGITS = 2;
/** What a double holds for certain: 1.005 × 100 is 100.49999999999999. */
const CERTAIN_DIGITS = 15;

function digitsOf(currency: string | undefined): number {
  if (currency === undefined) return DIGITS;
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return maximumFractionDigits ?? DIGITS;
}

export function toHundredths(price: number, currency: string | undefined): number {
  return Math.round(Number((price * 100 * 10 ** digitsOf(currency)).toPrecision(CERTAIN_DIGITS)));
}

/** @returns a sum as it is said, in full minor units */
export function fromHundredths(hundredths: number, currency: string | undefined): number {
  return Math.round(hundredths / 100) / 10 ** digitsOf(currency);
}
