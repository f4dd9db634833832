import type { APISelectMenuOption } from 'discord-api-types/v10';
import { menu } from './components.ts';
import { LANGUAGES } from './languages.ts';
import { formatMessage, type PlainMessageKey } from './messages.ts';

// The menus, and their values besides the codes of languages.
export const LANGUAGE = 'language';
export const REPLIES = 'replies';
export const AUTOMATIC = 'automatic';
export const PRIVATE = 'private';
export const PUBLIC = 'public';

/** What is set in a server, with a menu for each setting. @param note above it */
export function settingsMessage(
  locale: string,
  { language = AUTOMATIC, isPrivate }: { language?: string; isPrivate: boolean },
  note?: string,
) {
  const option = (value: string, label: PlainMessageKey, description: PlainMessageKey) => {
    return { value, label: formatMessage(locale, label), description: formatMessage(locale, description) };
  };
  const choose = (label: PlainMessageKey, setting: string, chosen: string, options: APISelectMenuOption[]) => {
    const shown = options.map((option) => ({ ...option, default: option.value === chosen }));
    return menu(formatMessage(locale, label), `settings:${setting}`, shown);
  };
  return {
    content: [...(note ? [note] : []), formatMessage(locale, 'settingsIntro')].join('\n'),
    components: [
      ...choose('languageOfReplies', LANGUAGE, language, [
        option(AUTOMATIC, 'automaticLanguage', 'automaticLanguageMeans'),
        ...languageOptions(),
      ]),
      ...choose('whoSeesReplies', REPLIES, isPrivate ? PRIVATE : PUBLIC, [
        option(PUBLIC, 'publicReplies', 'publicRepliesMeans'),
        option(PRIVATE, 'privateReplies', 'privateRepliesMeans'),
      ]),
    ],
  };
}

/** The languages that there are texts in, each by its own name, such as Português (Brasil). */
function languageOptions(): { value: string; label: string }[] {
  const named = LANGUAGES.map((value) => {
    const name = new Intl.DisplayNames([value], { type: 'language' }).of(value) ?? value;
    return { value, label: name.charAt(0).toLocaleUpperCase(value) + name.slice(1) };
  });
  return named.sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
