import type { APISelectMenuOption } from 'discord-api-types/v10';
import { type MenuRow, menu } from './components.ts';
import { LANGUAGES } from './languages.ts';
import { formatMessage, type PlainMessageKey } from './messages.ts';

// Values of the menus, besides the codes of languages.
export const AUTOMATIC = 'automatic';
export const PRIVATE = 'private';
export const PUBLIC = 'public';

/**
 * What is set in a server, with a menu for each setting.
 *
 * @param customIds of the menus
 * @param note above it
 */
export function settingsMessage(
  locale: string,
  { language = AUTOMATIC, isPrivate }: { language?: string; isPrivate: boolean },
  customIds: { language: string; replies: string },
  note?: string,
): { content: string; components: MenuRow[] } {
  const option = (value: string, label: PlainMessageKey, description: PlainMessageKey) => {
    return { value, label: formatMessage(locale, label), description: formatMessage(locale, description) };
  };
  const languages = [option(AUTOMATIC, 'automaticLanguage', 'automaticLanguageMeans'), ...languageOptions()];
  const replies = [
    option(PUBLIC, 'publicReplies', 'publicRepliesMeans'),
    option(PRIVATE, 'privateReplies', 'privateRepliesMeans'),
  ];
  const chosen = (options: APISelectMenuOption[], value: string) =>
    options.map((option) => ({ ...option, default: option.value === value }));
  return {
    content: [...(note ? [note] : []), formatMessage(locale, 'settingsIntro')].join('\n'),
    components: [
      ...menu(formatMessage(locale, 'languageOfReplies'), customIds.language, chosen(languages, language)),
      ...menu(
        formatMessage(locale, 'whoSeesReplies'),
        customIds.replies,
        chosen(replies, isPrivate ? PRIVATE : PUBLIC),
      ),
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
