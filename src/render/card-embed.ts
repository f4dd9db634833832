import type { APIEmbed } from 'discord-api-types/v10';
import { type Card, type CardRecord, isFromClockAhead } from '../model/card.ts';
import { isPublicHost } from '../model/public-host.ts';
import type { WindowQuota } from '../model/quota.ts';
import { age, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';
import { type PricesView, priceLines } from './price-lines.ts';

/** How the operator and the card service want cards to be shown. */
export interface CardDisplay {
  /** The address of a card's page, with `{id}`, `{name}` and `{number}`, instead of the one in its answer. */
  pageUrl?: string | undefined;
  hasPictures: boolean;
  /** What the service asks for in the footer. */
  notice?: string | undefined;
}

export interface CardView extends PricesView {
  /** Absent: as the card says. */
  display?: CardDisplay | undefined;
  card: Card;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'delistedAtMs' | 'history'>;
  showPrices: boolean;
  quota: WindowQuota | undefined;
  /** What the cards of this reply cost, where that is told. */
  requests?: number;
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
  const { card, answer, note, locale, showPrices, display } = view;
  const isStale = note !== undefined || answer.delistedAtMs !== undefined;
  const picture = display?.hasPictures === false ? undefined : publicUrl(card.imageUrl);
  const page = publicUrl(display?.pageUrl === undefined ? card.pageUrl : pageUrl(display.pageUrl, card));
  const spent = view.requests ? formatMessage(locale, 'cardsCost', { requests: view.requests }) : '';
  const line = [plainText(card.id, size.footerIdLength), spent, leftToday(locale, view.quota)];
  const notice = plainText(display?.notice ?? '', size.footerIdLength);
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

/** The service knows no card of that id. @returns Markdown, at most 2,000 characters */
export function noSuchCard(locale: string, cardId: string, fetchedAtMs: number, isStale = false): string {
  const id = plainMarkdown(cardId, 300) || formatMessage(locale, 'invisibleId');
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
