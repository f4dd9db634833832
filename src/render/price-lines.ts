import { type Card, type CardRecord, isFromClockAhead, type Prices } from '../model/card.ts';
import { type PriceCurve, priceCurve, weekChange } from '../model/price-history.ts';
import { age, date, formatPercent, formatPrice } from './formats.ts';
import { formatMessage } from './messages.ts';

export interface PricesView {
  card: Pick<Card, 'prices'>;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'history'>;
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
}

/** What a card costs, how that has moved, and how old it is if that is known; or that it has no prices. Lines of Markdown. */
export function priceLines({ card, answer, locale, currency }: PricesView): string[] {
  const shown = (price: number | undefined) => (price === undefined ? '' : formatPrice(locale, price, currency));
  const { market, low, high } = card.prices ?? {};
  const prices = { market: shown(market), low: shown(low), high: shown(high) };
  const given = givenPrices(prices);
  const line = formatMessage(locale, 'prices', { given, ...prices });
  if (given === '') return [line];

  const history = market === undefined ? [] : (answer.history ?? []);
  const change = weekChange(history);
  const curve = priceCurve(history);
  const isDated = !isFromClockAhead(answer.fetchedAtMs, Date.now());
  return [
    change ? `${line} · ${changeText(change, locale)}` : line,
    ...(curve ? [curveLine(curve, locale, shown)] : []),
    ...(isDated ? [`-# ${formatMessage(locale, 'pricesFrom', { since: age(answer.fetchedAtMs) })}`] : []),
  ];
}

/** Which of them there are, as the message's cases are called: `marketLowHigh`, `lowHigh`, `low`; empty for none. */
function givenPrices({ market, low, high }: Record<keyof Prices, string>): string {
  const names = [market && 'Market', low && 'Low', high && 'High'].join('');
  return names.charAt(0).toLowerCase() + names.slice(1);
}

/** A price that has not fallen to nothing has not fallen by 100 %. */
const DEEPEST_FALL = 0.999;

function changeText({ share, days }: NonNullable<ReturnType<typeof weekChange>>, locale: string): string {
  const percent = formatPercent(locale, share > -1 && share < -DEEPEST_FALL ? DEEPEST_FALL : Math.abs(share));
  const direction = percent === formatPercent(locale, 0) ? 'none' : share > 0 ? 'up' : 'down';
  return formatMessage(locale, 'priceChange', { direction, percent, days });
}

function curveLine(curve: PriceCurve, locale: string, shown: (price: number) => string): string {
  const [lowest, highest] = [shown(curve.lowest), shown(curve.highest)];
  const shape = lowest === highest ? 'flat' : 'moving';
  return formatMessage(locale, 'priceCurve', {
    shape,
    curve: sparkline(curve),
    lowest,
    highest,
    since: date(curve.sinceMs),
  });
}

const BARS = '▁▂▃▄▅▆▇█';

/** One bar for each price, from the lowest to the highest; all in the middle when they are equal. */
export function sparkline({ prices, lowest, highest }: Omit<PriceCurve, 'sinceMs'>): string {
  const level = (price: number) =>
    highest === lowest ? 0.5 : price / (highest - lowest) - lowest / (highest - lowest);
  return prices
    .map((price) => BARS[Math.max(0, Math.min(BARS.length - 1, Math.floor(level(price) * BARS.length)))])
    .join('');
}
