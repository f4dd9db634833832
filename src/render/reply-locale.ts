import type { Invocation } from '../model/invocation.ts';
import { LANGUAGES, languageOf } from './languages.ts';

/** Servers that chose no language have this one. */
const UNCHOSEN = 'en-US';

/**
 * The locale of a reply, in whose language it speaks: a private one has that of the member, a public one that of the
 * server. The region, as in `es-419`, says how its figures are written.
 *
 * @param set the language of public replies that the server has set; one that there is no more is as if it were not set
 */
export function replyLocale(
  { locale, guildLocale = UNCHOSEN }: Pick<Invocation, 'locale' | 'guildLocale'>,
  isPrivate: boolean,
  set?: string,
): string {
  if (isPrivate) return locale;
  const known = guildLocale === UNCHOSEN ? locale : guildLocale;
  return set === undefined || !LANGUAGES.includes(set) || languageOf(known) === set ? known : set;
}
