import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import type { Card, CardRecord, Prices } from '../model/card.ts';
import { type QuotaState, spentShare, WARNING_SHARES } from '../model/quota.ts';
import { imageUrl } from './image-url.ts';
import type { NumberFormats } from './numbers.ts';
import { plainMarkdown, plainText } from './text.ts';
import { age } from './times.ts';

export interface CardView {
  card: Card;
  answer: Pick<CardRecord, 'fetchedAtMs' | 'delistedAtMs'>;
  showPrices: boolean;
  /** The member's Discord locale. */
  locale: string;
  numbers: NumberFormats;
  quota: QuotaState | undefined;
  /** Our own words on the state of this copy, in Markdown. */
  note?: string | undefined;
}

// Discord: title 256, field name 256 and value 1024, footer 2048, 6000 over the whole embed. With these shares the
// sum stays under 6000 whatever the service sends.
const TITLE_LENGTH = 256;
const FIELD_LENGTH = 256;
const FOOTER_ID_LENGTH = 200;

const CURRENT_COLOUR = 0x5865f2;
const OLD_COLOUR = 0xf0b232;

/** The card as an embed that Discord accepts, whatever its fields hold. */
export function cardEmbed(view: CardView): APIEmbed {
  const { card, answer, note } = view;
  const image = imageUrl(card.imageUrl);
  const footer = [plainText(card.id, FOOTER_ID_LENGTH), remainingWords(view)].filter(Boolean).join(' · ');
  const description = [answer.delistedAtMs && unlistedNote(answer.delistedAtMs), note].filter(Boolean).join('\n');
  const game = plainText(card.game, FIELD_LENGTH);
  return {
    ...(game && { author: { name: game } }),
    title: plainMarkdown(card.name, TITLE_LENGTH) || '(no name)',
    ...(description && { description }),
    color: description ? OLD_COLOUR : CURRENT_COLOUR,
    fields: [...factFields(card), ...(view.showPrices ? priceFields(view) : [])],
    ...(image && { image: { url: image } }),
    ...(footer && { footer: { text: footer } }),
  };
}

/** "N of M requests left today", more urgent as they run low; nothing while that is unknown. */
export function remainingWords({
  quota,
  locale,
  numbers,
}: Pick<CardView, 'quota' | 'locale' | 'numbers'>): string | undefined {
  if (quota?.remaining === undefined) return undefined;
  const of = quota.limit === undefined ? '' : ` of ${numbers.count(quota.limit, locale)}`;
  const left = `${numbers.count(quota.remaining, locale)}${of} requests left today`;
  const spent = spentShare(quota) ?? 0;
  const [low, veryLow, gone] = WARNING_SHARES;
  if (spent >= gone) return `${left}, known cards only`;
  if (spent >= veryLow) return `only ${left}, the last ones`;
  return spent >= low ? `only ${left}` : left;
}

function unlistedNote(delistedAtMs: number): string {
  return `No longer listed by the card service, as of ${age(delistedAtMs)}. This is our last copy.`;
}

function factFields({ set, number, rarity }: Card): APIEmbedField[] {
  const half = FIELD_LENGTH / 2;
  const setName = plainMarkdown(set.name, half);
  const setId = plainMarkdown(set.id, half);
  return [
    field('Set', [setName, setId && `(${setId})`].filter(Boolean).join(' ')),
    field('Number', number && plainMarkdown(number, FIELD_LENGTH)),
    field('Rarity', rarity && plainMarkdown(rarity, FIELD_LENGTH)),
  ].filter((present) => present !== undefined);
}

function priceFields({ card, answer, locale, numbers }: CardView): APIEmbedField[] {
  const named: [string, keyof Prices][] = [
    ['Market', 'market'],
    ['Low', 'low'],
    ['High', 'high'],
  ];
  const given = named.flatMap(([name, key]) => {
    const price = card.prices?.[key];
    return price === undefined ? [] : [{ name, value: numbers.price(price, locale), inline: true }];
  });
  const prices = given.length > 0 ? given : [{ name: 'Prices', value: 'no prices', inline: true }];
  return [...prices, { name: 'Prices as of', value: age(answer.fetchedAtMs), inline: false }];
}

function field(name: string, value: string | undefined): APIEmbedField | undefined {
  return value ? { name, value, inline: true } : undefined;
}
