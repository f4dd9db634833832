import type { APIEmbed } from 'discord-api-types/v10';
import type { CardServiceError } from '../model/errors.ts';
import type { Unclear } from '../model/invocation.ts';
import type { WindowQuota } from '../model/quota.ts';
import { type CardView, cardEmbed, type EmbedSize, FULL_SIZE } from './card-embed.ts';
import { MAX_ROWS, similarNames } from './card-list.ts';
import { errorMessage, formatMessage, listed, timeToCome, typedText } from './messages.ts';

/** Several cards of one reply. */
export interface CardsView {
  /** At most ten. */
  views: readonly CardView[];
  /** Ids for which there is no card. */
  notFound: readonly string[];
  failed: readonly { cardId: string; error: CardServiceError }[];
  /** What is no id, and means no card or several. */
  unclear: readonly Unclear[];
  /** What is no id as far as can be told while names cannot be searched. */
  unsearched: readonly string[];
  /** How many are still looked up. */
  toCome: number;
  /** All lookups have ended, renewals included. */
  isEnd: boolean;
  requests: number;
  /** When the last permit is expected, if that is worth a sentence. */
  permitAtMs?: number | undefined;
  quota: WindowQuota | undefined;
  locale: string;
}

/** Each of ten unclear texts, and the names that it may mean. */
const UNCLEAR_LENGTH = 60;
const UNCLEAR_NAME_LENGTH = 30;
/** In French a space comes before the colon, and in Japanese the colon is as wide as a character. */
const UNCLEAR_LINE = /^\*\*((?:\\.|[^*\\])+)\*\*\s?[:：]/gm;
/** Ten ids or names of this length leave room for the other sentences. */
const TEXT_LENGTH = 80;

/**
 * The cards as embeds, at the end the last with what all cost; in the text what is still to come, or else what was not
 * found.
 */
export function cardsMessage(cards: CardsView): { content: string; embeds: APIEmbed[] } {
  const { views, toCome, isEnd, requests, quota } = cards;
  const lines = toCome > 0 ? [onTheirWay({ ...cards, shown: views.length })] : notShown(cards);
  const shown = views.map((view, at) => (isEnd && at === views.length - 1 ? { ...view, requests, quota } : view));
  return { content: lines.filter(Boolean).join('\n'), embeds: cardEmbeds(shown, views.length + toCome > 1) };
}

function notShown({ notFound, unclear, unsearched, failed, locale }: CardsView): (string | false)[] {
  const reasons = Map.groupBy(failed, ({ error }) => errorMessage(locale, error));
  return [
    notFound.length > 0 && formatMessage(locale, 'cardsNotFound', { names: names(notFound, locale) }),
    ...unclearLines(locale, unclear),
    unsearched.length > 0 && formatMessage(locale, 'cardsUnsearched', { names: names(unsearched, locale) }),
    ...[...reasons].map(([reason, cards]) => {
      const ids = cards.map(({ cardId }) => cardId);
      return formatMessage(locale, 'cardsFailed', { names: names(ids, locale), reason });
    }),
  ];
}

/** What each of them may mean: a line of at most 180 characters. */
export function unclearLines(locale: string, unclear: readonly Unclear[]): string[] {
  return unclear.map(({ text, cards, total }) => {
    const similar = similarNames(locale, cards, UNCLEAR_NAME_LENGTH);
    const how = total > MAX_ROWS ? 'many' : total > 1 ? 'several' : similar.names ? 'similar' : 'none';
    return formatMessage(locale, 'cardUnclear', {
      text: typedText(locale, text, UNCLEAR_LENGTH),
      how,
      total,
      ...similar,
    });
  });
}

/** The texts of those lines in a message; one that was too long is cut. */
export function unclearTexts(content: string): string[] {
  return Array.from(content.matchAll(UNCLEAR_LINE), ([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

/** How many cards are still to come. @param shown how many are there already */
export function onTheirWay({
  shown = 0,
  toCome,
  permitAtMs,
  locale,
}: Pick<CardsView, 'toCome' | 'permitAtMs' | 'locale'> & { shown?: number }): string {
  if (shown === 0 && permitAtMs === undefined) return formatMessage(locale, 'stillAsking');
  return formatMessage(locale, 'cardsOnTheirWay', { cards: toCome, ...timeToCome(permitAtMs) });
}

function names(texts: readonly string[], locale: string): string {
  return listed(
    locale,
    texts.map((text) => typedText(locale, text, TEXT_LENGTH)),
    'and',
    '**',
  );
}

/** Discord's limit for all embeds of a message together. */
const MAX_TOTAL_LENGTH = 6_000;

/** Ten large pictures would be ten screens of a phone; a small one opens when it is tapped. */
const IN_LIST: EmbedSize = { ...FULL_SIZE, picture: 'thumbnail' };
/**
 * What is given up, in this order, until all cards fit: long texts and how prices moved, then more, at last the prices.
 */
const SIZES: readonly EmbedSize[] = [
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
function cardEmbeds(views: readonly CardView[], isList: boolean): APIEmbed[] {
  if (!isList) return views.map((view) => cardEmbed(view));
  const inSizes = SIZES.map((size) => () => views.map((view) => cardEmbed(view, size)));
  const fitting = inSizes.find((embeds) => totalLength(embeds()) <= MAX_TOTAL_LENGTH) ?? inSizes.at(-1);
  return fitting?.() ?? [];
}

/** The characters that count. */
export function totalLength(embeds: readonly APIEmbed[]): number {
  const texts = embeds.flatMap(({ title, description, footer }) => [title, description, footer?.text]);
  return texts.reduce((total, text) => total + (text?.length ?? 0), 0);
}
