import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Card, CardRecord, Prices } from '../model/card.ts';
import { type QuotaState, spentShare, WARNING_SHARES } from '../model/quota.ts';
import { age, formatPrice, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';

export interface CardView {
  card: Card;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'delistedAtMs'>;
  showPrices: boolean;
  /** The member's Discord locale. */
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
  quota: QuotaState | undefined;
  /** On the state of this copy, in Markdown; absent when it is fresh. */
  note?: string | undefined;
}

// Discord allows 256 in a title and a field's name, 1024 in its value, 2048 in the footer and 6000 in the whole embed
// (https://docs.discord.com/developers/resources/message#embed-object-embed-limits). With these lengths the sum stays
// under 6000 whatever the service sends.
const TITLE_LENGTH = 256;
const FIELD_LENGTH = 256;
const FOOTER_ID_LENGTH = 200;

const PRICES = ['market', 'low', 'high'] as const satisfies (keyof Prices)[];

const CURRENT_COLOUR = 0x5865f2;
const OLD_COLOUR = 0xf0b232;

/** The card as an embed that Discord accepts, whatever its fields hold. */
export function cardEmbed(view: CardView): APIEmbed {
  const { card, answer, note, locale } = view;
  const image = imageUrl(card.imageUrl);
  const footer = [plainText(card.id, FOOTER_ID_LENGTH), requestsLeft(locale, view.quota)].filter(Boolean).join(' · ');
  const description = [
    answer.delistedAtMs && formatMessage(locale, 'delisted', { since: age(answer.delistedAtMs) }),
    note,
  ]
    .filter(Boolean)
    .join('\n');
  const game = plainText(card.game, FIELD_LENGTH);
  return {
    ...(game && { author: { name: game } }),
    title: plainMarkdown(card.name, TITLE_LENGTH) || formatMessage(locale, 'noName'),
    ...(description && { description }),
    color: description ? OLD_COLOUR : CURRENT_COLOUR,
    fields: [...factFields(view), ...(view.showPrices ? priceFields(view) : [])],
    ...(image && { image: { url: image } }),
    ...(footer && { footer: { text: footer } }),
  };
}

/** The service knows no card of that id. @returns Markdown, at most 2,000 characters */
export function noSuchCard(locale: string, cardId: string, fetchedAtMs: number): string {
  const id = plainMarkdown(cardId, 300) || formatMessage(locale, 'invisibleId');
  return formatMessage(locale, 'noSuchCard', { id, since: age(fetchedAtMs) });
}

/** "N of M requests left today", more urgent as they run low; `undefined` while that is unknown. */
export function requestsLeft(locale: string, quota: QuotaState | undefined): string | undefined {
  if (quota?.remaining === undefined) return undefined;
  const { remaining, limit } = quota;
  if (limit === undefined) return formatMessage(locale, 'requestsLeft', { remaining });
  const [low, veryLow, gone] = WARNING_SHARES;
  const spent = spentShare(quota) ?? 0;
  const level = spent >= gone ? 'gone' : spent >= veryLow ? 'veryLow' : spent >= low ? 'low' : 'enough';
  return formatMessage(locale, 'requestsLeftOf', { remaining, limit, level });
}

function factFields({ card: { set, number, rarity }, locale }: CardView): APIEmbedField[] {
  const half = FIELD_LENGTH / 2;
  const setName = plainMarkdown(set.name, half);
  const setId = plainMarkdown(set.id, half);
  return [
    field(formatMessage(locale, 'set'), [setName, setId && `(${setId})`].filter(Boolean).join(' ')),
    field(formatMessage(locale, 'number'), number && plainMarkdown(number, FIELD_LENGTH)),
    field(formatMessage(locale, 'rarity'), rarity && plainMarkdown(rarity, FIELD_LENGTH)),
  ].filter((present) => present !== undefined);
}

function priceFields({ card, answer, locale, currency }: CardView): APIEmbedField[] {
  const given = PRICES.flatMap((name) => {
    const price = card.prices?.[name];
    return price === undefined
      ? []
      : [{ name: formatMessage(locale, name), value: formatPrice(locale, price, currency), inline: true }];
  });
  const none = { name: formatMessage(locale, 'prices'), value: formatMessage(locale, 'noPrices'), inline: true };
  const asOf = { name: formatMessage(locale, 'pricesAsOf'), value: age(answer.fetchedAtMs), inline: false };
  return [...(given.length > 0 ? given : [none]), asOf];
}

function field(name: string, value: string | undefined): APIEmbedField | undefined {
  return value ? { name, value, inline: true } : undefined;
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
