import type { APISelectMenuOption } from 'discord-api-types/v10';
import { IntlMessageFormat } from 'intl-messageformat';
import { LRUCache } from 'lru-cache';
import { MAX_CARD_ID_LENGTH } from '../model/card-id.ts';
import type { Busy, CardServiceError, KnownError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { clip, numberFormat, plainMarkdown, timestamp } from './formats.ts';
import { type ArgumentNames, argumentNames, figuresLocale, languageOf, type MessageKey, textsOf } from './languages.ts';

/** Messages without arguments. */
export type PlainMessageKey = { [Key in MessageKey]: Arguments<Key> extends [] ? Key : never }[MessageKey];

/**
 * Compiled when first shown: each takes some 70 µs, and few are shown. Most of those of six languages, of about 3 kB.
 */
const compiled = new LRUCache<string, IntlMessageFormat>({ max: 1_000 });

/**
 * The latest texts, of which most are shown again: formatting one takes 10 to 30 µs in a bot that has just been idle.
 */
const formatted = new LRUCache<string, string>({ max: 500 });

const MINUTE_MS = 60_000;
/**
 * A `Date` header gives whole seconds, and a stated wait is lengthened by up to 2 s: it is the same minute for members.
 */
const KNOWN_TO_MS = 3_000;
/** A member may sit a shorter wait out, and sees its end to the second. */
const SHORT_WAIT_MS = 2 * MINUTE_MS;
/** Further away, a clock time could be of today or of tomorrow. */
const WITHOUT_DATE_MS = 20 * 3600 * 1000;

/**
 * A text as a member reads it: in the language of this locale if it has the text, with the numbers of its region, and
 * otherwise in English, with English numbers.
 *
 * @param locale one of Discord's, or a language; one that is not known here is no error
 * @param args what en.json explains as the text's placeholders; a count is a number, so that it chooses the plural
 */
export function formatMessage<K extends MessageKey>(locale: string, key: K, ...args: Arguments<K>): string {
  const [values] = args;
  const id = `${locale} ${key} ${JSON.stringify(values)}`;
  const known = formatted.get(id);
  if (known !== undefined) return known;
  // Half a sentence is better than none.
  const missing = Object.fromEntries(argumentNames(key).map((name) => [name, '']));
  // It is something else than a text only with arguments that are objects.
  const text = messageOf(locale, key).format({ ...missing, ...values }) as string;
  formatted.set(id, text);
  return text;
}

function messageOf(locale: string, key: MessageKey): IntlMessageFormat {
  const figures = figuresLocale(locale);
  const id = `${figures} ${key}`;
  const known = compiled.get(id);
  if (known) return known;
  const text = textsOf(languageOf(figures))[key];
  const message = text === undefined ? messageOf('en', key) : compile(figures, text);
  compiled.set(id, message);
  return message;
}

function compile(locale: string, text: string): IntlMessageFormat {
  const pluralRules = new Intl.PluralRules(locale);
  let dates: Intl.DateTimeFormat | undefined; // making one takes longer than the rest; all of a text are written alike
  return new IntlMessageFormat(text, locale, undefined, {
    ignoreTag: true, // `<t:1795226601:t>` is no markup
    formatters: {
      getNumberFormat: () => numberFormat(locale),
      getPluralRules: () => pluralRules,
      getDateTimeFormat: (_, options) => {
        dates ??= new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
        return dates;
      },
    },
  });
}

/**
 * How a sentence speaks of a time to come: `now` when it is past, `soon` when it is not known, `date` when a clock time
 * would not do because it is over 20 hours away.
 */
export type When = 'now' | 'soon' | 'clock' | 'date';

/**
 * The arguments of a sentence about a time to come: every reply that speaks of one has them from here. With its seconds
 * within two minutes, later as a full minute: never too early, since a member who comes too early is refused again.
 *
 * @param atMs `undefined` when it is not known
 */
export function timeToCome(atMs: number | undefined, nowMs = Date.now()): { when: When; time: string } {
  if (atMs === undefined) return { when: 'soon', time: '' };
  if (atMs <= nowMs) return { when: 'now', time: '' };
  if (atMs - nowMs < SHORT_WAIT_MS) return { when: 'clock', time: timestamp(Math.ceil(atMs / 1000) * 1000, 'T') };
  const minuteMs = fullMinuteMs(atMs);
  const isFar = minuteMs - nowMs > WITHOUT_DATE_MS;
  return { when: isFar ? 'date' : 'clock', time: timestamp(minuteMs, isFar ? 'f' : 't') };
}

/** How many cards are still to come. @param shown how many are there already */
export function onTheirWay(locale: string, cards: number, permitAtMs: number | undefined, shown = 0) {
  if (shown === 0 && permitAtMs === undefined) return formatMessage(locale, 'stillAsking');
  return formatMessage(locale, 'cardsOnTheirWay', { cards, ...timeToCome(permitAtMs) });
}

/** The full minute by which it is that time: what Discord, or a text, shows without seconds is rounded down. */
export function fullMinuteMs(atMs: number): number {
  return Math.ceil((atMs - KNOWN_TO_MS) / MINUTE_MS) * MINUTE_MS;
}

/**
 * A list in a sentence, in the language of the sentence: "a, b, and c", or "a, b, or c" for alternatives.
 *
 * @param mark what stands around each of them: Spanish joins by the first letter, and says "e Ivysaur"
 */
export function listed(locale: string, items: Iterable<string>, joined: 'and' | 'or', mark = ''): string {
  const type = joined === 'and' ? 'conjunction' : 'disjunction';
  return new Intl.ListFormat(languageOf(locale), { type })
    .formatToParts(items)
    .map(({ type, value }) => (type === 'element' ? mark + value + mark : value))
    .join('');
}

/** A text that a member typed, in Markdown. */
export function typedText(locale: string, text: string, maxLength: number): string {
  return plainMarkdown(text, maxLength) || formatMessage(locale, 'invisibleId');
}

/** A card's name. @param plain how it is shown where there is no Markdown */
export function nameText(locale: string, name: string, maxLength: number, plain = plainMarkdown): string {
  return plain(name, maxLength) || formatMessage(locale, 'noName');
}

/** Since when something lasts: a clock time, with the date when that is over 20 hours ago. */
export function timePast(atMs: number, nowMs = Date.now()): string {
  return timestamp(atMs, nowMs - atMs > WITHOUT_DATE_MS ? 'f' : 't');
}

/** What texts tell of errors. */
type Facts = Pick<KnownError, 'name'> & { whose?: string; cap?: number; reason?: string; per?: string | undefined };

/** Why there is no card, as a member reads it: whole sentences, in Markdown. */
export function errorMessage(locale: string, error: CardServiceError): string {
  const known = error as KnownError; // as its name ensures
  const { whose = '', cap = 0, reason = '', per = '' }: Facts = known;
  return formatMessage(locale, known.name, {
    ...{ whose, cap, per, reason: known.name === 'Busy' ? busyReason(known) : reason },
    ...timeToCome(untilMsOf(error)),
    maxLength: MAX_CARD_ID_LENGTH,
  });
}

/** When it is worth another try; `undefined` when that is not known. */
export function untilMsOf(error: CardServiceError): number | undefined {
  const known = error as KnownError;
  return 'untilMs' in known ? known.untilMs : undefined;
}

function busyReason({ paused, untilMs }: Busy): 'queue' | 'pause' | 'longPause' {
  if (!paused) return 'queue';
  return untilMs - Date.now() > SHORT_WAIT_MS ? 'longPause' : 'pause';
}

/** Why a copy that is shown is not the newest: one short line, in Markdown; `undefined` when it is. */
export function copyNote(
  locale: string,
  { error, isRenewing }: { error?: CardServiceError; isRenewing?: boolean },
): string | undefined {
  if (!error) return isRenewing ? formatMessage(locale, 'renewing') : undefined;
  // All of the day's requests are spent, or those that renewals may use: the member reads the same.
  const isSpent = error.name === 'QuotaSpent' || error.name === 'KeptInReserve';
  return isSpent
    ? formatMessage(locale, 'KeptInReserve', timeToCome(untilMsOf(error)))
    : formatMessage(locale, 'notRenewed', { why: error.name });
}

export type Arguments<K extends MessageKey> = [ArgumentNames<K>] extends [never]
  ? []
  : [args: Record<ArgumentNames<K>, string | number>];

/**
 * Discord's limit of a custom id, a label, a value, a description and the name of a choice
 * (https://docs.discord.com/developers/components/reference). In UTF-16 units, which are never fewer than characters.
 */
export const MAX_LENGTH = 100;
const MAX_BUTTON_LABEL = 80;
/** Discord's limit of an embed's description. */
export const MAX_DESCRIPTION = 4_096;

// discord-api-types has these as enums, which render/ does not load.
const ACTION_ROW = 1;
const BUTTON = 2;
const STRING_SELECT = 3;
const STYLES = { plain: 2, danger: 4 } as const;

/** At most one. */
type Rows = Required<Message>['components'];

/**
 * One row of buttons; none when no custom id fits, since Discord refuses an empty row.
 *
 * @param customIds by the message that is the label; one that does not fit has no button
 * @param name of the card of `showCard`
 */
export function buttons(
  locale: string,
  customIds: Partial<Record<PlainMessageKey | 'showCard', string | false>>,
  { style = 'plain', name = '' }: { style?: keyof typeof STYLES; name?: string } = {},
): Rows {
  const components = Object.entries(customIds).flatMap(([key, custom_id]) => {
    if (custom_id === false || custom_id.length > MAX_LENGTH) return [];
    const text = formatMessage(locale, key as 'showCard', { name });
    const label = text.length > MAX_BUTTON_LABEL ? clip(text, MAX_BUTTON_LABEL) : text;
    return { type: BUTTON, style: STYLES[style], custom_id, label } as const;
  });
  return components.length === 0 ? [] : [{ type: ACTION_ROW, components }];
}

/** One menu; none without options, since Discord refuses an empty one. */
export function menu(placeholder: string, custom_id: string, options: APISelectMenuOption[]): Rows {
  if (options.length === 0) return [];
  return [{ type: ACTION_ROW, components: [{ type: STRING_SELECT, custom_id, placeholder, options }] }];
}
