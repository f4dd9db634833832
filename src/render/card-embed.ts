import type { APIEmbed } from 'discord-api-types/v10';
import { type Card, type CardRecord, isFromClockAhead, isPublicHost, type Prices } from '../model/card.ts';
import { extremes, type PriceHistory, priceCurve, weekChange } from '../model/price-history.ts';
import type { WindowQuota } from '../model/quota.ts';
import { age, formatPercent, formatPrice, formatPriceRange, plainMarkdown, plainText, rowLabel } from './formats.ts';
import { formatMessage, typedText } from './messages.ts';

/** How the operator and the card service want cards to be shown. */
export interface CardDisplay {
  /** The address of a card's page, with `{id}`, `{name}` and `{number}`, instead of the one in its answer. */
  pageUrl?: string | undefined;
  hasPictures: boolean;
  /** What the service asks for in the footer. */
  notice?: string | undefined;
}

export interface CardView {
  /** Absent: as the card says. */
  display?: CardDisplay | undefined;
  card: Card;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'history' | 'missingRow' | 'delistedAtMs'>;
  showPrices: boolean;
  quota: WindowQuota | undefined;
  /** What the cards of this reply cost, where that is told. */
  requests?: number;
  /** Why this copy is not the newest: one short line of Markdown; absent when it is fresh. */
  note?: string | undefined;
  /** The language that the reply speaks. */
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
  /** It was fetched for this reply, whose own time says how old its prices are. */
  isJustFetched?: boolean | undefined;
}

/** What the prices of a card are shown from. */
export type PricesView = Pick<CardView, 'answer' | 'locale' | 'currency' | 'isJustFetched'> & {
  card: Pick<Card, 'prices'>;
};

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
  const { card, answer, note, locale, showPrices, display } = view;
  const isStale = note !== undefined || answer.delistedAtMs !== undefined;
  const picture = display?.hasPictures === false ? undefined : publicUrl(card.imageUrl);
  const page = publicUrl(display?.pageUrl === undefined ? card.pageUrl : pageUrl(display.pageUrl, card));
  const spent = view.requests ? formatMessage(locale, 'cardsCost', { requests: view.requests }) : '';
  const line = [plainText(card.id, size.footerIdLength), spent, leftToday(locale, view.quota)];
  const notice = display?.notice && plainText(display.notice, size.footerIdLength);
  const footer = [line.filter(Boolean).join(' · '), notice].filter(Boolean).join('\n');
  const description = [
    factsLine(card, size.factLength),
    ...(showPrices ? priceLines(view, size.picture === 'thumbnail').slice(0, size.priceLines) : []),
    answer.delistedAtMs !== undefined && formatMessage(locale, 'delisted'),
    note,
  ]
    .filter(Boolean)
    .join('\n');
  const name = plainText(card.name, ALT_TEXT_LENGTH) || formatMessage(locale, 'noName');
  return {
    title: plainMarkdown(card.name, size.titleLength) || formatMessage(locale, 'noName'),
    ...(page && { url: page }),
    ...(description && { description }),
    color: isStale ? STALE_COLOUR : FRESH_COLOUR,
    ...(picture && { [size.picture]: { url: picture, description: formatMessage(locale, 'pictureOf', { name }) } }),
    ...(footer && { footer: { text: footer } }),
  };
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
  if ((market ?? low ?? high) === undefined) return [formatMessage(locale, 'noPrices')];
  const isDated = !isJustFetched && !isFromClockAhead(answer.fetchedAtMs, Date.now());
  const since = isDated ? age(answer.fetchedAtMs) : '';
  const offered = offeredFor({ low, high }, locale, currency);
  const aged = since && `-# ${formatMessage(locale, 'pricesFrom', { since })}`;
  const row = rowLabel(label);
  if (market === undefined) return [offered + row, aged].filter(Boolean);
  const price = formatMessage(locale, 'marketPrice', { market: formatPrice(locale, market, currency) }) + row;
  const history = answer.missingRow ? [] : (answer.history ?? []);
  const change = changeText(history, locale);
  if (isNarrow) return [price, change.replace(JOINED, ''), aged].filter(Boolean);
  const small = offered ? `-# ${[offered, since].filter(Boolean).join(' · ')}` : aged;
  return [[price, change].filter(Boolean).join(' '), curveLine(history, locale, currency), small].filter(Boolean);
}

/** What joins a price and that it has not changed. */
const JOINED = /^· /;

function offeredFor({ low, high }: Prices, locale: string, currency: string | undefined): string {
  if ((low ?? high) === undefined) return '';
  const [from = '', to = ''] = [low, high].map((price) =>
    price === undefined ? '' : formatPrice(locale, price, currency),
  );
  const given = high === undefined ? 'low' : low === undefined ? 'high' : 'both';
  return formatMessage(locale, 'lowAndHigh', { given, low: from, high: to });
}

/** A price that has not fallen to nothing has not fallen by 100%. */
const DEEPEST_FALL = 0.99;

function changeText(history: PriceHistory, locale: string): string {
  const change = weekChange(history);
  if (!change) return '';
  const { share, days } = change;
  const percent = formatPercent(locale, share < 0 ? Math.min(DEEPEST_FALL, -share) : share);
  const direction = percent === formatPercent(locale, 0) ? 'none' : share > 0 ? 'up' : 'down';
  return formatMessage(locale, 'priceChange', { direction, percent, days });
}

function curveLine(history: PriceHistory, locale: string, currency: string | undefined): string {
  const prices = priceCurve(history);
  if (prices.length === 0) return '';
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

/** The service knows no card of that id. @returns Markdown, at most 2,000 characters */
export function noSuchCard(locale: string, cardId: string, fetchedAtMs: number, isStale = false): string {
  const id = typedText(locale, cardId, 300);
  if (!isStale) return formatMessage(locale, 'noSuchCard', { id });
  const sentence = formatMessage(locale, 'noSuchCardBefore', { id });
  if (isFromClockAhead(fetchedAtMs, Date.now())) return sentence;
  return `${sentence}\n-# ${age(fetchedAtMs)}`;
}

/** "N of M new lookups left today", or of another window; `undefined` while that is unknown. */
export function leftToday(locale: string, quota: WindowQuota | undefined): string | undefined {
  if (quota?.remaining === undefined) return undefined;
  const { remaining, limit, per = 'day' } = quota;
  return limit === undefined
    ? formatMessage(locale, 'leftToday', { per, remaining })
    : formatMessage(locale, 'leftOfToday', { per, remaining, limit });
}

/** Such as `Wyrmfall · First Fires · 4/102 · Rare`. */
function factsLine({ game, set, number = '', rarity = '' }: Card, factLength: number): string {
  return [game ?? '', set?.name || (set?.id ?? ''), number, rarity]
    .map((fact) => plainMarkdown(fact, factLength))
    .filter(Boolean)
    .join(' · ');
}

/** @returns `undefined` when the card lacks something that its page is named after */
function pageUrl(template: string, card: Card): string | undefined {
  const values: Readonly<Record<string, string | undefined>> = { id: card.id, name: card.name, number: card.number };
  const names = Array.from(template.matchAll(PLACE), ([, name = '']) => name);
  if (names.some((name) => !values[name])) return undefined;
  return template.replace(PLACE, (_, name: string) => encodeURIComponent((values[name] ?? '').toWellFormed()));
}

const PLACE = /\{(\w+)\}/g;

/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;

/**
 * The address as Discord accepts it for an embed's picture, which it fetches, and its title: http(s), on a public host
 * name.
 *
 * @returns `undefined` for anything else: no picture and no link is shown
 */
export function publicUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null) return undefined;
  const { protocol, hostname, username, password, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username + password !== '' || !isPublicHost(hostname)) return undefined;
  return href.length <= MAX_URL_LENGTH ? href : undefined;
}
