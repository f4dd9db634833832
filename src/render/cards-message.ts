import type { APIEmbed } from 'discord-api-types/v10';
import type { CardServiceError } from '../model/errors.ts';
import type { QuotaState } from '../model/quota.ts';
import type { CardView } from './card-embed.ts';
import { leftToday } from './card-embed.ts';
import { cardEmbeds } from './card-embeds.ts';
import { plainMarkdown } from './formats.ts';
import { errorMessage, formatMessage, timeToCome } from './messages.ts';

/** A card that is not shown; without an error there is none. */
export interface MissingCard {
  text: string;
  error?: CardServiceError | undefined;
  /** The text is no id, and means no card or several. */
  isUnclear?: boolean;
  /** The text is no id as far as can be told while names cannot be searched. */
  isUnsearched?: boolean;
}

/** Several cards of one reply. */
export interface CardsView {
  /** At most ten. */
  views: readonly CardView[];
  missing: readonly MissingCard[];
  /** How many are still looked up. */
  toCome: number;
  /** All lookups have ended. */
  isEnd: boolean;
  fromMemory: number;
  requested: number;
  requests: number;
  /** When the last permit is expected, if that is worth a sentence. */
  permitAtMs?: number | undefined;
  quota: QuotaState | undefined;
  locale: string;
}

/** Ten ids or names of this length leave room for the other sentences. */
const TEXT_LENGTH = 80;

/** The cards as embeds; in the text what is still to come, what was not found, and at the end what it cost. */
export function cardsMessage(cards: CardsView): { content: string; embeds: APIEmbed[] } {
  const { views, toCome, isEnd } = cards;
  const lines = isEnd ? [...notShown(cards), views.length > 0 && cost(cards)] : [onTheirWay(cards)];
  return { content: lines.filter(Boolean).join('\n'), embeds: cardEmbeds(views, views.length + toCome > 1) };
}

function notShown({ missing, locale }: CardsView): string[] {
  const failed = missing.filter(({ error }) => error);
  const none = missing.filter(({ error, isUnclear, isUnsearched }) => !error && !isUnclear && !isUnsearched);
  const unclear = missing.filter(({ isUnclear }) => isUnclear);
  const unsearched = missing.filter(({ isUnsearched }) => isUnsearched);
  const reasons = Map.groupBy(failed, ({ error }) => (error ? errorMessage(locale, error) : ''));
  return [
    none.length > 0 ? formatMessage(locale, 'cardsNotFound', { names: names(none, locale) }) : '',
    unclear.length > 0 ? formatMessage(locale, 'cardsUnclear', { names: names(unclear, locale) }) : '',
    unsearched.length > 0 ? formatMessage(locale, 'cardsUnsearched', { names: names(unsearched, locale) }) : '',
    ...[...reasons].map(([reason, group]) =>
      formatMessage(locale, 'cardsFailed', { names: names(group, locale), reason }),
    ),
  ];
}

function onTheirWay({ toCome, permitAtMs, locale }: CardsView): string | undefined {
  if (toCome === 0) return undefined; // only renewals, which say so themselves
  return formatMessage(locale, 'cardsOnTheirWay', { cards: toCome, ...timeToCome(permitAtMs) });
}

function cost({ fromMemory, requested, requests, quota, locale }: CardsView): string {
  const known = requests === 0 ? 'memory' : fromMemory === 0 ? 'service' : 'both';
  const spent = formatMessage(locale, 'cardsCost', { known, memory: fromMemory, cards: requested, requests });
  return [spent, leftToday(locale, quota)].filter(Boolean).join(' · ');
}

function names(missing: readonly MissingCard[], locale: string): string {
  const shown = missing.map(({ text }) => plainMarkdown(text, TEXT_LENGTH) || formatMessage(locale, 'invisibleId'));
  return shown.map((name) => `**${name}**`).join(', ');
}
