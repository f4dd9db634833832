import { IntlMessageFormat } from 'intl-messageformat';
import { LRUCache } from 'lru-cache';
import { MAX_CARD_ID_LENGTH } from '../model/card.ts';
import type { Busy, CardServiceError, KeptInReserve, KnownError, QuotaSpent } from '../model/errors.ts';
import { clockTime, dateTime, numberFormat } from './formats.ts';
import { en } from './languages/en.ts';

/** All texts of one language. */
export type Language = Record<MessageKey, string>;

export type MessageKey = keyof typeof en;

/** Messages without arguments. */
export type PlainMessageKey = { [Key in MessageKey]: Arguments<(typeof en)[Key]> extends [] ? Key : never }[MessageKey];

/** By Discord's locale codes (https://docs.discord.com/developers/reference#locales), or the language alone: `pt-BR`, `de`. */
export const LANGUAGES: Readonly<Record<string, Language>> = { en };

/** Discord has 33 locales, each of which meets every message at most. A compiled message takes about 3 kB. */
const KEPT_MESSAGES = 1_000;

/** Compiled when first shown: each takes some 70 µs, and few are shown. */
const compiled = new LRUCache<string, IntlMessageFormat>({ max: KEPT_MESSAGES });

/** The latest texts, of which most are shown again: formatting one takes 10 to 30 µs in a bot that has just been idle. */
const formatted = new LRUCache<string, string>({ max: 500 });

const MINUTE_MS = 60_000;
/** A `Date` header gives whole seconds, and a stated wait is lengthened by up to 2 s: it is the same minute for members. */
const KNOWN_TO_MS = 3_000;
const LONGEST_SHORT_BREAK_MS = 2 * MINUTE_MS;
/** Further away, a clock time could be of today or of tomorrow. */
const WITHOUT_DATE_MS = 20 * 3600 * 1000;

/**
 * A text as a member reads it: in their language if there is a file for it, otherwise in English, and with the numbers of
 * their locale either way.
 *
 * @param locale of the member in Discord; one that is not known here is no error
 * @param args what the English text names between braces: numbers where they are counted or written, otherwise text
 */
export function formatMessage<K extends MessageKey>(
  locale: string,
  key: K,
  ...args: Arguments<(typeof en)[K]>
): string {
  const [values] = args;
  const id = `${locale} ${key} ${JSON.stringify(values)}`;
  const known = formatted.get(id);
  if (known !== undefined) return known;
  const text = messageOf(locale, key).format(values) as string; // it is something else only with arguments that are objects
  formatted.set(id, text);
  return text;
}

function messageOf(locale: string, key: MessageKey): IntlMessageFormat {
  const id = `${locale} ${key}`;
  const known = compiled.get(id);
  if (known) return known;
  const message = compile(locale, key);
  compiled.set(id, message);
  return message;
}

/**
 * How a sentence speaks of a time to come: `now` when it is past, `soon` when it is not known, `date` when a clock time
 * would not do because it is over 20 hours away.
 */
export type When = 'now' | 'soon' | 'clock' | 'date';

/**
 * The arguments of a sentence about a time to come. Rounded up to a full minute, since a clock time shows no seconds and a
 * member who comes too early is refused again.
 *
 * @param atMs `undefined` when it is not known
 */
export function timeToCome(atMs: number | undefined, nowMs = Date.now()): { when: When; time: string } {
  if (atMs === undefined) return { when: 'soon', time: '' };
  if (atMs <= nowMs) return { when: 'now', time: '' };
  const minuteMs = Math.ceil((atMs - KNOWN_TO_MS) / MINUTE_MS) * MINUTE_MS;
  const when = minuteMs - nowMs > WITHOUT_DATE_MS ? 'date' : 'clock';
  return { when, time: when === 'date' ? dateTime(minuteMs) : clockTime(minuteMs) };
}

/** Alternatives in a sentence: "a, b, or c", in the language of the sentence. */
export function listed(locale: string, items: Iterable<string>): string {
  const [code] = languageOf(locale);
  return new Intl.ListFormat(code, { type: 'disjunction' }).format(items);
}

/** Since when something lasts: a clock time, with the date when that is over 20 hours ago. */
export function timePast(atMs: number, nowMs = Date.now()): string {
  return nowMs - atMs > WITHOUT_DATE_MS ? dateTime(atMs) : clockTime(atMs);
}

/** Why there is no card, as a member reads it: whole sentences, in Markdown. */
export function errorMessage(locale: string, error: CardServiceError): string {
  const known = error as KnownError; // as its name ensures
  const times = timeToCome('untilMs' in known ? known.untilMs : undefined);
  switch (known.name) {
    case 'InvalidCardId':
      return formatMessage(locale, known.name, { reason: known.reason, maxLength: MAX_CARD_ID_LENGTH });
    case 'Busy':
      return formatMessage(locale, known.name, { reason: busyReason(known), ...times });
    case 'BudgetSpent':
      return formatMessage(locale, known.name, { whose: known.whose, cap: known.cap, ...times });
    case 'QuotaSpent':
    case 'KeptInReserve':
    case 'TooManyCommands':
    case 'ServiceDown':
      return formatMessage(locale, known.name, times);
    default:
      return formatMessage(locale, known.name);
  }
}

function busyReason({ paused, untilMs }: Busy): 'queue' | 'pause' | 'longPause' {
  if (!paused) return 'queue';
  return untilMs - Date.now() > LONGEST_SHORT_BREAK_MS ? 'longPause' : 'pause';
}

/** Why a copy that is shown is not the newest: one short line, in Markdown; `undefined` when it is. */
export function copyNote(
  locale: string,
  { error, isRenewing }: { error?: CardServiceError; isRenewing?: boolean },
): string | undefined {
  if (!error) return isRenewing ? formatMessage(locale, 'renewing') : undefined;
  const { name } = error as KnownError;
  // All of the day's requests are spent, or those that renewals may use: the member reads the same.
  if (name === 'QuotaSpent' || name === 'KeptInReserve') {
    return formatMessage(locale, 'KeptInReserve', timeToCome((error as QuotaSpent | KeptInReserve).untilMs));
  }
  return formatMessage(locale, 'notRenewed', { why: name });
}

function compile(locale: string, key: MessageKey): IntlMessageFormat {
  const [code, texts] = languageOf(locale);
  const pluralRules = new Intl.PluralRules(code);
  return new IntlMessageFormat(texts[key], code, undefined, {
    ignoreTag: true, // `<t:1795226601:t>` is no markup
    formatters: {
      getNumberFormat: () => numberFormat(locale),
      getPluralRules: () => pluralRules,
      getDateTimeFormat: (...options) => new Intl.DateTimeFormat(...options),
    },
  });
}

function languageOf(locale: string): [code: string, texts: Language] {
  for (const code of [locale, locale.split('-')[0] ?? '']) {
    const texts = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
    if (texts) return [code, texts];
  }
  return ['en', en];
}

type Arguments<Text extends string> = keyof ArgumentTypes<Text> extends never ? [] : [args: ArgumentTypes<Text>];

/**
 * What an ICU message names between braces, read from its text by the compiler: `{name}`, `{name, number}`, or what begins
 * a plural or a select. The text of a case is no name, as it is empty or has a space.
 */
export type ArgumentTypes<Text extends string> = { [Argument in InText<Text> as Argument[0]]: Argument[1] };

type InText<Text extends string, Found extends [string, unknown] = never> = Text extends `${string}{${infer Rest}`
  ? InText<Rest, Found | Argument<Rest extends `${infer UpToNextBrace}{${string}` ? UpToNextBrace : Rest>>
  : Found;

type Argument<Text extends string> = Text extends `${infer Name}, ${'plural' | 'number'}${',' | '}'}${string}`
  ? [Name, number]
  : Text extends `${infer Name}, select,${string}`
    ? [Name, string]
    : Text extends `${infer Name}}${string}`
      ? Name extends '' | `${string} ${string}`
        ? never
        : [Name, string]
      : never;
