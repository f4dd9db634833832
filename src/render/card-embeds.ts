import type { APIEmbed } from 'discord-api-types/v10';
import { type CardView, cardEmbed, type EmbedSize, FULL_SIZE } from './card-embed.ts';

/** Discord's limit for all embeds of a message together. */
const MAX_TOTAL_LENGTH = 6_000;

/** Ten large pictures would be ten screens of a phone; a small one opens when it is tapped. */
const IN_LIST: EmbedSize = { ...FULL_SIZE, picture: 'thumbnail' };
/** What is given up, in this order, until all cards fit: long texts and the curve, then more, at last the prices. */
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
export function cardEmbeds(views: readonly CardView[], isList: boolean): APIEmbed[] {
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
