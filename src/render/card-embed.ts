import type { APIEmbed } from 'discord-api-types/v10';
import { type Card, type CardRecord, isFromClockAhead, type Prices } from '../model/card.ts';
import { extremes, type PriceHistory, priceCurve, weekChange } from '../model/price-history.ts';
import type { QuotaState } from '../model/quota.ts';
import { age, formatPercent, formatPrice, formatPriceRange, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';

/** What the prices of a card are shown from. */
export interface PricesView {
  card: Pick<Card, 'prices'>;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'history'>;
  /** The language that the reply speaks. */
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
  /** It was fetched for this reply, whose own time says how old its prices are. */
  isJustFetched?: boolean;
}

export interface CardView extends PricesView {
  card: Card;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'delistedAtMs' | 'history'>;
  showPrices: boolean;
  quota: QuotaState | undefined;
  /** Why this copy is not the newest: one short line of Markdown; absent when it is fresh. */
  note?: string | undefined;
}

// Discord allows 256 in a title, 4,096 in the description, 2,048 in the footer, 1,024 in an alt text and 6,000 in the
// whole embed (https://docs.discord.com/developers/resources/message#embed-object-embed-limits). With these lengths the
// sum stays under 6,000 whatever the service sends.
/** How much of a card is shown. */
export interface EmbedSize {
  titleLength: number;
  /** The limit of each of the four facts. */
  factLength: number;
  footerIdLength: number;
  /** How many lines of prices are shown at most. */
  priceLines: number;
  /** Large below the text, or small beside it. */
  picture: 'image' | 'thumbnail';
}
export const FULL_SIZE: EmbedSize = {
  titleLength: 256,
  factLength: 256,
  footerIdLength: 200,
  priceLines: Number.POSITIVE_INFINITY,
  picture: 'image',
};
const ALT_TEXT_LENGTH = 200;

/** Blue and orange, so that everyone can tell them apart; with a contrast of 3 on Discord's dark and light grounds. */
export const FRESH_COLOUR = 0x6a77f0;
export const STALE_COLOUR = 0xd9771a;

/** The card as an embed that Discord accepts, whatever its fields hold: one screen of a phone, the picture large. */
export function cardEmbed(view: CardView, size = FULL_SIZE): APIEmbed {
  const { card, answer, note, locale, showPrices } = view;
  const isStale = note !== undefined || answer.delistedAtMs !== undefined;
  const url = imageUrl(card.imageUrl);
  const footer = [plainText(card.id, size.footerIdLength), leftToday(locale, view.quota)].filter(Boolean).join(' · ');
  const description = [
    factsLine(card, size.factLength),
    ...(showPrices ? priceLines(view).slice(0, size.priceLines) : []),
    answer.delistedAtMs !== undefined && formatMessage(locale, 'delisted'),
    note,
  ]
    .filter(Boolean)
    .join('\n');
  const name = plainText(card.name, ALT_TEXT_LENGTH) || formatMessage(locale, 'noName');
  return {
    title: plainMarkdown(card.name, size.titleLength) || formatMessage(locale, 'noName'),
    ...(description && { description }),
    color: isStale ? STALE_COLOUR : FRESH_COLOUR,
    ...(url && { [size.picture]: { url, description: formatMessage(locale, 'pictureOf', { name }) } }),
    ...(footer && { footer: { text: footer } }),
  };
}

/** The service knows no card of that id. @returns Markdown, at most 2,000 characters */
export function noSuchCard(locale: string, cardId: string, fetchedAtMs: number, isStale = false): string {
  const id = plainMarkdown(cardId, 300) || formatMessage(locale, 'invisibleId');
  if (!isStale) return formatMessage(locale, 'noSuchCard', { id });
  const sentence = formatMessage(locale, 'noSuchCardBefore', { id });
  if (isFromClockAhead(fetchedAtMs, Date.now())) return sentence;
  return `${sentence}\n-# ${formatMessage(locale, 'lastCheck', { since: age(fetchedAtMs) })}`;
}

/** "N of M left today", of the day's requests; `undefined` while that is unknown. */
export function leftToday(locale: string, quota: QuotaState | undefined): string | undefined {
  if (quota?.remaining === undefined) return undefined;
  const { remaining, limit } = quota;
  return limit === undefined
    ? formatMessage(locale, 'leftToday', { remaining })
    : formatMessage(locale, 'leftOfToday', { remaining, limit });
}

/** Such as `Wyrmfall · First Fires · 4/102 · Rare`. */
function factsLine({ game, set, number = '', rarity = '' }: Card, factLength: number): string {
  return [game, set.name || set.id, number, rarity]
    .map((fact) => plainMarkdown(fact, factLength))
    .filter(Boolean)
    .join(' · ');
}

/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;
/** Host names of private networks, and numeric addresses: as parsed, those of version 6 have no dot. */
const NOT_PUBLIC = /(?:^[^.]+|\.(?:\d+|localhost|local|internal|lan|home|corp|home\.arpa))\.?$/i;

/**
 * The address as Discord accepts it for an embed image: http(s), on a public host name, since Discord fetches it.
 *
 * @returns `undefined` for anything else: no picture is shown
 */
export function imageUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null) return undefined;
  const { protocol, hostname, username, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username !== '' || NOT_PUBLIC.test(hostname)) return undefined;
  return href.length <= MAX_URL_LENGTH ? href : undefined;
}

/**
 * What a card costs and how that has moved, its curve, and small what it is offered for and how old that is, if that is
 * known and worth saying; or that it has no prices. Lines of Markdown.
 */
export function priceLines({ card, answer, locale, currency, isJustFetched = false }: PricesView): string[] {
  const { market, low, high } = card.prices ?? {};
  if (market === undefined && low === undefined && high === undefined) return [formatMessage(locale, 'noPrices')];
  const isDated = !isJustFetched && !isFromClockAhead(answer.fetchedAtMs, Date.now());
  const since = isDated && age(answer.fetchedAtMs);
  const offered = offeredFor({ low, high }, locale, currency);
  const aged = since && formatMessage(locale, 'pricesFrom', { since });
  if (market === undefined) return shownLines(offered, aged && `-# ${aged}`);
  const price = formatMessage(locale, 'marketPrice', { market: formatPrice(locale, market, currency) });
  const history = market > 0 ? (answer.history ?? []) : [];
  const small = offered ? shownLines(offered, since).join(' · ') : aged;
  return shownLines(
    shownLines(price, changeText(history, locale)).join(' '),
    curveLine(history, locale, currency),
    small && `-# ${small}`,
  );
}

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
  const { share, days } = weekChange(history) ?? {};
  if (share === undefined || days === undefined) return undefined;
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
