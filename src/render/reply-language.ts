import type { Invocation } from '../model/invocation.ts';
import { LANGUAGES, languageOf } from './languages.ts';

/** Servers that chose no language have this one. */
const UNCHOSEN = 'en-US';

/**
 * The language that a reply speaks: a private one that of the member, a public one that of the server.
 *
 * @param set the language of public replies that the server has set; one that there is no more is as if it were not set
 */
export function replyLanguage(
  { locale, guildLocale = UNCHOSEN }: Pick<Invocation, 'locale' | 'guildLocale'>,
  isPrivate: boolean,
  set?: string,
): string {
  if (isPrivate) return languageOf(locale);
  if (set !== undefined && LANGUAGES.includes(set)) return set;
  return languageOf(guildLocale === UNCHOSEN ? locale : guildLocale);
}
