import { type CardRecord, type Finish, finishOf, type Known, type Prices } from '../model/card.ts';
import type { ListedCard } from '../model/invocation.ts';

/** A line of a pasted list. */
export interface WorthLine {
  typed: string;
  count: number;
  finish?: Finish | undefined;
  /** The printings that it may mean, the newest first; none: the line is not clear. */
  cards: readonly ListedCard[];
}

/** What is known of cards, by their ids. */
type KnownCards = ReadonlyMap<string, Known>;

export interface PricedLine extends WorthLine {
  /** The one of its printings that it is taken for. */
  card: ListedCard;
  /** `undefined`: nothing is known of the card. */
  kept: CardRecord | undefined;
  /** `undefined`: it has no price, or none of the finish that the line says. */
  prices: Prices | undefined;
}

/** The prices of a card that count for a line; a foil is not worth what another printing is. */
export function pricesFor(
  { finish }: Pick<WorthLine, 'finish'>,
  { card, others = [] }: CardRecord,
): Prices | undefined {
  return [card?.prices ?? {}, ...others].find(
    ({ market, low, label = '' }) => (market ?? low) !== undefined && (!finish || finish === finishOf(label)),
  );
}

/**
 * Which of several printings a line that names none is taken for: the cheapest whose price is known, else the newest.
 * Prices in another currency than the first one's are not compared.
 *
 * @param ofOthers the currency of prices that name none
 * @returns `undefined` for a line that means no card
 */
export function choosePrinting(line: WorthLine, known: KnownCards, ofOthers?: string): PricedLine | undefined {
  const printings = line.cards.map((card): PricedLine => {
    const kept = known.get(card.id)?.answer;
    const prices = kept && pricesFor(line, kept);
    return { ...line, card, kept, prices: prices && { ...prices, currency: prices.currency ?? ofOthers } };
  });
  const priced = printings.filter(({ prices }) => prices?.market !== undefined);
  const [cheapest = printings[0]] = priced
    .filter(({ prices }) => prices?.currency === priced[0]?.prices?.currency)
    .sort((a, b) => marketOf(a) - marketOf(b));
  return cheapest;
}

function marketOf({ prices }: PricedLine): number {
  return prices?.market ?? 0;
}

/** What a list is worth as far as its prices are known. */
export type Worth = ReturnType<typeof worthOf>;

/** @param currency of prices that name none */
export function worthOf(lines: readonly WorthLine[], known: KnownCards, currency: string | undefined) {
  const priced = lines.flatMap((line) => choosePrinting(line, known, currency) ?? []);
  const ids = [...new Set(priced.map(({ card }) => card.id))];
  const dates = priced.flatMap(({ kept, prices }) => (kept && prices ? kept.fetchedAtMs : []));
  return {
    priced,
    unclear: lines.filter(({ cards }) => cards.length === 0),
    /** Different cards of which nothing is known, and whose prices are old. */
    missing: ids.filter((id) => !known.get(id)?.answer),
    stale: ids.filter((id) => known.get(id)?.kind === 'stale'),
    sums: sumsOf(priced),
    /** Cards that are known and have no price, with their counts. */
    unpriced: priced.reduce((sum, { count, kept, prices }) => sum + (kept?.card && !prices ? count : 0), 0),
    /** The names of those that there are not. */
    notFound: priced.flatMap(({ card, kept }) => (kept && !kept.card ? card.name : [])),
    /** Lines that do not say which of several printings they mean. */
    guessed: lines.filter(({ cards }) => cards.length > 1).length,
    oldestAtMs: dates.length > 0 ? Math.min(...dates) : undefined,
  };
}

/**
 * One for each currency, that of most cards first, in hundredths of its minor unit: so no fraction of a cent appears,
 * and many small ones are not lost.
 */
function sumsOf(priced: readonly PricedLine[]) {
  const byCurrency = Map.groupBy(
    priced.filter(({ prices }) => prices),
    ({ prices }) => prices?.currency,
  );
  const sums = [...byCurrency].map(([currency, lines]) => {
    const sumOf = (figureOf: (prices: Prices) => number) =>
      lines.reduce((sum, { count, prices = {} }) => sum + count * figureOf(prices), 0);
    const worth = (figure: 'market' | 'low') => sumOf((prices) => toHundredths(prices[figure] ?? 0, currency));
    const cards = (figure: 'market' | 'low') => sumOf((prices) => (prices[figure] === undefined ? 0 : 1));
    return {
      currency,
      market: worth('market'),
      low: worth('low'),
      cards: { market: cards('market'), low: cards('low') },
    };
  });
  const most = ({ cards }: (typeof sums)[number]) => Math.max(cards.market, cards.low);
  return sums.sort((a, b) => most(b) - most(a));
}

const MOST_DEAREST = 10;

/** The ten lines with the highest prices; those of the currency of most cards first. */
export function dearest({ priced, sums }: Worth): PricedLine[] {
  const place = ({ prices }: PricedLine) => sums.findIndex(({ currency }) => currency === prices?.currency);
  return priced
    .filter((each) => marketOf(each) > 0)
    .sort((a, b) => place(a) - place(b) || marketOf(b) - marketOf(a))
    .slice(0, MOST_DEAREST);
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
