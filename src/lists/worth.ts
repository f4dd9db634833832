import type { CardRecord, Prices } from '../model/card.ts';
import { type Finish, finishOf } from '../model/finish.ts';
import type { ListedCard } from '../model/invocation.ts';

/** A line of a pasted list, and the card that it means. */
export interface WorthLine {
  text: string;
  count: number;
  finish?: Finish | undefined;
  /** Absent: the line is not clear. */
  card?: ListedCard | undefined;
  /** Whether the name is that of several cards, of which one was taken that the line does not say. */
  isGuessed: boolean;
}

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
  kept: KeptPrice | undefined;
  /** Absent: it has no price, or none of the finish that the line says. */
  prices: Prices | undefined;
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
    const known = card && kept.get(card.id);
    return card ? [{ line: { ...line, card }, kept: known, prices: known && pricesFor(line, known.record) }] : [];
  });
  const ids = [...new Set(priced.map(({ line }) => line.card.id))];
  const [oldestAtMs] = priced
    .flatMap((each) => (each.kept && each.prices ? each.kept.record.fetchedAtMs : []))
    .sort((a, b) => a - b);
  return {
    priced,
    unclear: lines.filter(({ card }) => !card),
    known: new Set(ids.filter((id) => kept.has(id))),
    missing: ids.filter((id) => !kept.has(id)),
    stale: ids.filter((id) => kept.get(id)?.isStale),
    sums: sumsOf(priced, currency),
    unpriced: priced.reduce(
      (sum, { line, prices, ...of }) => sum + (of.kept?.record.card && !prices ? line.count : 0),
      0,
    ),
    notFound: priced.flatMap(({ line, ...of }) => (of.kept && !of.kept.record.card ? line.card.name : [])),
    oldestAtMs,
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
      sum[figure] += line.count * toHundredths(prices[figure] ?? 0, currency);
      sum.cards[figure] += prices[figure] === undefined ? 0 : line.count;
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

/** What a double holds for certain: 1.005 × 100 is 100.49999999999999. */
const CERTAIN_DIGITS = 15;

/** Two where there is no currency: most have as many. */
function digitsOf(currency = 'USD'): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

export function toHundredths(price: number, currency: string | undefined): number {
  return Math.round(Number((price * 100 * 10 ** digitsOf(currency)).toPrecision(CERTAIN_DIGITS)));
}

/** @returns a sum as it is said, in full minor units */
export function fromHundredths(hundredths: number, currency: string | undefined): number {
  return Math.round(hundredths / 100) / 10 ** digitsOf(currency);
}
