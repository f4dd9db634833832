import { type Card, type CardRecord, isFromClockAhead, type Prices } from '../model/card.ts';
import { extremes, type PriceHistory, priceCurve, weekChange } from '../model/price-history.ts';
import { age, formatPercent, formatPrice, formatPriceRange, rowLabel } from './formats.ts';
import { formatMessage } from './messages.ts';

/** What the prices of a card are shown from. */
export interface PricesView {
  card: Pick<Card, 'prices'>;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'history' | 'missingRow'>;
  /** The language that the reply speaks. */
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
  /** It was fetched for this reply, whose own time says how old its prices are. */
  isJustFetched?: boolean | undefined;
}

/**
 * What a card costs and how that has moved, its curve, and small what it is offered for and how old that is, if that is
 * known and worth saying; or that it has no prices. Lines of Markdown.
 *
 * @param isNarrow beside a small picture a phone has room for some 20 characters: price and change are a line each, and
 *   curve and offers are left to the card by itself
 */
export function priceLines(
  { card, answer, locale, isJustFetched = false, ...view }: PricesView,
  isNarrow = false,
): string[] {
  const { market, low, high, label, currency = view.currency } = card.prices ?? {};
  if (market === undefined && low === undefined && high === undefined) return [formatMessage(locale, 'noPrices')];
  const isDated = !isJustFetched && !isFromClockAhead(answer.fetchedAtMs, Date.now());
  const since = isDated && age(answer.fetchedAtMs);
  const offered = offeredFor({ low, high }, locale, currency);
  const aged = since && formatMessage(locale, 'pricesFrom', { since });
  if (market === undefined) return shownLines(offered && offered + rowLabel(label), aged && `-# ${aged}`);
  const price =
    formatMessage(locale, 'marketPrice', { market: formatPrice(locale, market, currency) }) + rowLabel(label);
  const history = answer.missingRow ? [] : (answer.history ?? []);
  const change = changeText(history, locale);
  if (isNarrow) return shownLines(price, change?.replace(JOINED, ''), aged && `-# ${aged}`);
  const small = offered ? shownLines(offered, since).join(' · ') : aged;
  return shownLines(shownLines(price, change).join(' '), curveLine(history, locale, currency), small && `-# ${small}`);
}

/** What joins a price and that it has not changed. */
const JOINED = /^· /;

function shownLines(...lines: (string | false | undefined)[]): string[] {
  return lines.filter((line) => typeof line === 'string');
}

function offeredFor({ low, high }: Prices, locale: string, currency: string | undefined): string | undefined {
  if (low === undefined && high === undefined) return undefined;
  const shown = (price: number | undefined) => (price === undefined ? '' : formatPrice(locale, price, currency));
  const given = high === undefined ? 'low' : low === undefined ? 'high' : 'both';
  return formatMessage(locale, 'lowAndHigh', { given, low: shown(low), high: shown(high) });
}

/** A price that has not fallen to nothing has not fallen by 100%. */
const DEEPEST_FALL = 0.99;

function changeText(history: PriceHistory, locale: string): string | undefined {
  const change = weekChange(history);
  if (!change) return undefined;
  const { share, days } = change;
  const percent = formatPercent(locale, share < 0 ? Math.min(DEEPEST_FALL, -share) : share);
  const direction = percent === formatPercent(locale, 0) ? 'none' : share > 0 ? 'up' : 'down';
  return formatMessage(locale, 'priceChange', { direction, percent, days });
}

function curveLine(history: PriceHistory, locale: string, currency: string | undefined): string | undefined {
  const prices = priceCurve(history);
  if (prices.length === 0) return undefined;
  const { first, lowest, highest } = extremes(history);
  const range = formatPriceRange(locale, lowest[1], highest[1], currency);
  return formatMessage(locale, 'priceCurve', { curve: sparkline(prices), range, since: first[0] });
}

const BARS = '▁▂▃▄▅▆▇█';

/** One bar for each price, from the lowest to the highest; all in the middle when they are equal. */
export function sparkline(prices: readonly number[]): string {
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)];
  const level = (price: number) => (highest === lowest ? 0.5 : (price - lowest) / (highest - lowest));
  return prices.map((price) => BARS[Math.min(BARS.length - 1, Math.floor(level(price) * BARS.length))]).join('');
}
