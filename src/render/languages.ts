import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import en from './languages/en.json' with { type: 'json' };

/**
 * The texts of one language, by key; what is missing is read in English. ICU messages
 * (https://unicode-org.github.io/icu/userguide/format_parse/messages) in an Application Resource Bundle, of which
 * en.json explains each text and its arguments to translators.
 */
export type Texts = { readonly [Key in MessageKey]?: string };

export type MessageKey = Exclude<keyof typeof en, `@${string}`>;

/** What en.json explains of a text names its arguments; `never` without any. */
export type ArgumentNames<Key extends MessageKey> = Key extends MessageKey // of each, where it is one of several
  ? (typeof en)[`@${Key}`] extends { placeholders: infer Placeholders }
    ? keyof Placeholders & string
    : never
  : never;

const FOLDER = join(import.meta.dirname, 'languages');

/**
 * By Discord's locale codes (https://docs.discord.com/developers/reference#locales), or the language alone: `pt-BR`,
 * `de`.
 */
export const LANGUAGES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

/** Most bots speak few of them. */
const read = new Map<string, Texts>([['en', en]]);

/** @param language one of `LANGUAGES`. @throws when its file is no JSON */
export function textsOf(language: string): Texts {
  const known = read.get(language);
  if (known) return known;
  const texts: Texts = JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8'));
  read.set(language, texts);
  return texts;
}

/** The language of a Discord locale: `pt-BR`, or `es` for `es-419`; English when there is no file for it. */
export function languageOf(locale: string): string {
  return [locale, locale.replace(/-.*/, '')].find((code) => LANGUAGES.includes(code)) ?? 'en';
}

/** Any of Discord's locales, and nothing that Intl throws at. */
const WITH_REGION = /^[a-z]{2}-(?:[A-Z]{2}|\d{3})$/;

/**
 * The locale by which a text writes its numbers, prices and dates for readers of this one: theirs, if the text is in
 * their language.
 */
export function figuresLocale(locale: string): string {
  const language = languageOf(locale);
  return WITH_REGION.test(locale) && (language !== 'en' || locale.startsWith('en')) ? locale : language;
}

export function argumentNames(key: MessageKey): string[] {
  const explained: { description: string; placeholders?: object } = en[`@${key}`];
  return Object.keys(explained.placeholders ?? {});
}
