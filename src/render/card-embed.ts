import type { APIEmbed } from 'discord-api-types/v10';
import { type Card, type CardRecord, isFromClockAhead } from '../model/card.ts';
import { isPublicHost } from '../model/public-host.ts';
import type { QuotaState } from '../model/quota.ts';
import { age, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';
import { type PricesView, priceLines } from './price-lines.ts';

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
  return [game ?? '', set?.name || (set?.id ?? ''), number, rarity]
    .map((fact) => plainMarkdown(fact, factLength))
    .filter(Boolean)
    .join(' · ');
}

/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;

/**
 * The address as Discord accepts it for an embed image: http(s), on a public host name, since Discord fetches it.
 *
 * @returns `undefined` for anything else: no picture is shown
 */
export function imageUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null) return undefined;
  const { protocol, hostname, username, password, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username + password !== '' || !isPublicHost(hostname)) return undefined;
  return href.length <= MAX_URL_LENGTH ? href : undefined;
}
