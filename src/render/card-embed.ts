import type { APIEmbed } from 'discord-api-types/v10';
import { type Card, type CardRecord, isFromClockAhead, isPublicHost, type Prices } from '../model/card.ts';
import { extremes, type PriceHistory, priceCurve, weekChange } from '../model/price-history.ts';
import type { WindowQuota } from '../model/quota.ts';
import {
  age,
  formatPercent,
  formatPrice,
  formatPriceRange,
  joined,
  type Line,
  plainMarkdown,
  plainText,
  ROW_LENGTH,
  rowLabel,
} from './formats.ts';
import { formatMessage, nameText, typedText } from './messages.ts';

/** How the operator and the card service want cards to be shown. */
interface CardDisplay {
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
  answer: Omit<CardRecord, 'card'>;
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

// Discord allows 256 in a title, 4,096 in the description, 2,048 in the footer, 1,024 in an alt text and 6,000 in the
// whole embed (https://docs.discord.com/developers/resources/message#embed-object-embed-limits). With these lengths the
// sum stays under 6,000 whatever the service sends.
/** How much of a card is shown. */
const FULL_SIZE = {
  titleLength: 256,
  /** The limit of each of the four facts. */
  factLength: 256,
  footerIdLength: 200,
  /** How many lines of prices are shown at most. */
  priceLines: Infinity,
  /** The picture is small beside the text, not large below it. */
  isNarrow: false,
};

/** Blue and orange, so that everyone can tell them apart; with a contrast of 3 on Discord's dark and light grounds. */
export const FRESH_COLOUR = 0x6a77f0;
export const STALE_COLOUR = 0xd9771a;

/** The card as an embed that Discord accepts, whatever its fields hold: one screen of a phone, the picture large. */
export function cardEmbed(view: CardView, size = FULL_SIZE): APIEmbed {
  const { card, answer, note, locale, showPrices, display } = view;
  const isDelisted = answer.delistedAtMs !== undefined;
  const page = publicUrl(display?.pageUrl === undefined ? card.pageUrl : pageUrl(display.pageUrl, card));
  const notice = display?.notice && plainText(display.notice, size.footerIdLength);
  const line = [plainText(card.id, size.footerIdLength), ...costs(view)].filter(Boolean).join(' · ');
  const footer = joined([line, notice]);
  const facts = [card.game, card.set?.name || card.set?.id, card.number, card.rarity]
    .map((fact = '') => plainMarkdown(fact, size.factLength))
    .filter(Boolean);
  const description = joined([
    facts.join(' · '), // such as `Wyrmfall · First Fires · 4/102 · Rare`
    ...(showPrices ? priceLines(view, size.isNarrow).slice(0, size.priceLines) : []),
    isDelisted && formatMessage(locale, 'delisted'),
    note,
  ]);
  return {
    title: nameText(locale, card.name, size.titleLength),
    ...(page && { url: page }),
    ...(description && { description }),
    color: note !== undefined || isDelisted ? STALE_COLOUR : FRESH_COLOUR,
    ...(display?.hasPictures !== false && picturesOf(view, size.isNarrow)),
    ...(footer && { footer: { text: footer } }),
  };
}

/** The front large, and small beside the text the other side; or the front alone, small. */
function picturesOf({ card, locale }: CardView, isNarrow: boolean): Pick<APIEmbed, 'image' | 'thumbnail'> {
  const name = nameText(locale, card.name, 200, plainText);
  const front = publicUrl(card.imageUrl);
  const back = publicUrl(card.backImageUrl);
  return {
    ...(front && {
      [isNarrow ? 'thumbnail' : 'image']: { url: front, description: formatMessage(locale, 'pictureOf', { name }) },
    }),
    ...(back && { thumbnail: { url: back, description: formatMessage(locale, 'otherSideOf', { name }) } }),
  };
}

/** Discord's limit for all embeds of a message together. */
const MAX_TOTAL_LENGTH = 6_000;

/** Ten large pictures would be ten screens of a phone; a small one opens when it is tapped. */
const IN_LIST = { ...FULL_SIZE, isNarrow: true };
/**
 * What is given up, in this order, until all cards fit: long texts and how prices moved, then more, at last the prices.
 */
const SIZES = [
  IN_LIST,
  { ...IN_LIST, titleLength: 120, factLength: 60, footerIdLength: 100, priceLines: 1 },
  { ...IN_LIST, titleLength: 80, factLength: 40, footerIdLength: 60, priceLines: 1 },
  { ...IN_LIST, titleLength: 60, factLength: 20, footerIdLength: 40, priceLines: 0 },
];

/**
 * At most ten cards as embeds of one message, all in the first size in which they fit.
 *
 * @param isList false for a single card, which is shown as usual
 */
export function cardEmbeds(views: readonly CardView[], isList: boolean): APIEmbed[] {
  let embeds: APIEmbed[] = [];
  for (const size of isList ? SIZES : [FULL_SIZE]) {
    embeds = views.map((view) => cardEmbed(view, size));
    if (totalLength(embeds) <= MAX_TOTAL_LENGTH) break;
  }
  return embeds;
}

/** The characters that count. */
export function totalLength(embeds: readonly APIEmbed[]): number {
  return embeds.flatMap(({ title, description, footer }) => [title, description, footer?.text]).join('').length;
}

/**
 * What a card costs and how that has moved, its curve, and small what it is offered for and how old that is, if that is
 * known and worth saying, with the prices of its other rows below; or that it has no prices. Lines of Markdown.
 *
 * @param isNarrow beside a small picture a phone has room for some 20 characters: price and change are a line each, and
 *   curve, offers and other rows are left to the card by itself
 */
function priceLines({ card, answer, locale, isJustFetched, ...view }: CardView, isNarrow: boolean): Line[] {
  const { market, low, high, label, currency = view.currency } = card.prices ?? {};
  if ((market ?? low ?? high) === undefined) return [formatMessage(locale, 'noPrices')];
  const isDated = !isJustFetched && !isFromClockAhead(answer.fetchedAtMs, Date.now());
  const since = isDated ? age(answer.fetchedAtMs) : '';
  const offered = offeredFor({ low, high }, locale, currency);
  const aged = since && `-# ${formatMessage(locale, 'pricesFrom', { since })}`;
  const row = label ? rowLabel(label) : '';
  if (market === undefined) return [offered + row, aged];
  const price = formatMessage(locale, 'marketPrice', { market: formatPrice(locale, market, currency) }) + row;
  const history = answer.missingRow ? [] : (answer.history ?? []);
  const change = changeText(history, locale);
  if (isNarrow) return [price, change.replace(/^· /, ''), aged]; // joins a price and that it has not changed
  const small = offered ? `-# ${offered}${since && ` · ${since}`}` : aged;
  const others = answer.others?.map((each) => otherPrice(each, locale, view.currency)) ?? [];
  return [price + (change && ` ${change}`), curveLine(history, locale, currency), small, ...others];
}

/** What another row of the card costs, and which that is. */
function otherPrice(
  { label = '', market = 0, currency }: Prices,
  locale: string,
  ofOthers: string | undefined,
): string {
  const row = plainMarkdown(label, ROW_LENGTH);
  const price = formatPrice(locale, market, currency ?? ofOthers);
  return formatMessage(locale, 'otherPrice', { named: row ? 'yes' : 'no', row, price });
}

function offeredFor({ low, high }: Prices, locale: string, currency: string | undefined): string {
  if ((low ?? high) === undefined) return '';
  const [from = '', to = ''] = [low, high].map((price) => price && formatPrice(locale, price, currency));
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
  const sentence = formatMessage(locale, isStale ? 'noSuchCardBefore' : 'noSuchCard', { id });
  return isStale && !isFromClockAhead(fetchedAtMs, Date.now()) ? `${sentence}\n-# ${age(fetchedAtMs)}` : sentence;
}

/** What a reply has cost, and "N of M new lookups left today", or of another window; as far as that is known. */
export function costs({ requests = 0, quota, locale }: Pick<CardView, 'requests' | 'quota' | 'locale'>): Line[] {
  const { remaining, limit, per = 'day' } = quota ?? {};
  const key = limit === undefined ? 'leftToday' : 'leftOfToday';
  const left = remaining !== undefined && formatMessage(locale, key, { per, remaining, limit: limit ?? '' });
  return [requests > 0 && formatMessage(locale, 'cardsCost', { requests }), left];
}

/** @returns `undefined` when the card lacks something that its page is named after */
function pageUrl(template: string, card: Card): string | undefined {
  const address = template.replace(/\{(id|name|number)\}/g, (place, name: 'id' | 'name' | 'number') => {
    return card[name] ? encodeURIComponent(card[name].toWellFormed()) : place;
  });
  return address.includes('{') ? undefined : address;
}

/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;

/**
 * The address as Discord accepts it for an embed's picture, which it fetches, and its title: http(s), on a public host
 * name.
 *
 * @returns `undefined` for anything else: no picture and no link is shown
 */
export function publicUrl(text: string | undefined): string | undefined {
  const { protocol = '', hostname = '', username, password, href = '' } = URL.parse(text ?? '') ?? {};
  const isUsable = /^https?:$/.test(protocol) && !username && !password && isPublicHost(hostname);
  return isUsable && href.length <= MAX_URL_LENGTH ? href : undefined;
}
