import { IntlMessageFormat } from 'intl-messageformat';
import { LRUCache } from 'lru-cache';
import { MAX_CARD_ID_LENGTH } from '../model/card.ts';
import type { CardServiceError, KnownError } from '../model/errors.ts';
import { clockTime, numberFormat } from './formats.ts';
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

const MINUTE_MS = 60_000;
/** A `Date` header gives whole seconds, so a reset is known to one. */
const KNOWN_TO_MS = 1_000;
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
  const id = `${locale} ${key}`;
  let message = compiled.get(id);
  if (!message) {
    message = compile(locale, key);
    compiled.set(id, message);
  }
  return message.format(args[0]) as string; // it is something else only with arguments that are objects
}

/**
 * From when on something is possible, with its preposition: "at 14:05", with the date when that is over 20 hours away,
 * "now" when it is past. Rounded up to a full minute, since a clock time shows no seconds and a member who comes too early
 * is refused again.
 */
export function fromTime(locale: string, atMs: number, nowMs = Date.now()): string {
  if (atMs <= nowMs) return formatMessage(locale, 'now');
  const minuteMs = Math.ceil((atMs - KNOWN_TO_MS) / MINUTE_MS) * MINUTE_MS;
  return minuteMs - nowMs > WITHOUT_DATE_MS
    ? formatMessage(locale, 'onDate', { time: `<t:${minuteMs / 1000}:f>` })
    : formatMessage(locale, 'atTime', { time: clockTime(minuteMs) });
}

/** Why there is no card, or no newer one, as a member reads it: whole sentences, in Markdown. */
export function errorMessage(locale: string, error: CardServiceError): string {
  const known = error as KnownError; // as its name ensures
  const untilMs = 'untilMs' in known ? known.untilMs : undefined;
  const from = untilMs === undefined ? formatMessage(locale, 'inAMinute') : fromTime(locale, untilMs);
  switch (known.name) {
    case 'InvalidCardId':
      return formatMessage(locale, known.name, { reason: known.reason, maxLength: MAX_CARD_ID_LENGTH });
    case 'Busy':
      return formatMessage(locale, known.name, { reason: known.paused ? 'pause' : 'queue', from });
    case 'BudgetSpent':
      return formatMessage(locale, known.name, { whose: known.whose, cap: known.cap, from });
    case 'QuotaSpent':
    case 'KeptInReserve':
    case 'ServiceDown':
      return formatMessage(locale, known.name, { from });
    default:
      return formatMessage(locale, known.name);
  }
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
