import type { APISelectMenuOption } from 'discord-api-types/v10';
import type { ServerSettings } from '../src/model/invocation.ts';
import { joined } from '../src/render/formats.ts';
import { LANGUAGES } from '../src/render/languages.ts';
import { formatMessage, menu, type PlainMessageKey } from '../src/render/messages.ts';
import { type Command, privately, type Reply, say, type Use } from './command.ts';

/** A value of the menu of languages, besides their codes. */
const AUTOMATIC = 'automatic';

export default {
  data: { name: 'settings', isForManagers: true },

  async ask(use, { settings }) {
    return serverToChange(use) === undefined
      ? say(use.locale, 'settingsRefused')
      : shown(use, await settings.of(use.requester));
  },

  /** Shows in place what is set now, which another member may have changed besides. */
  async component({ argument, values: [value = ''], ...use }, { settings }) {
    const guildId = serverToChange(use);
    if (guildId === undefined) return say(use.locale, 'settingsRefused');
    const change = changeOf(argument, value);
    if (!change) return say(use.locale, 'outOfDate');
    const changed = await settings.change(guildId, change);
    const note = changed ? undefined : formatMessage(use.locale, 'notSaved');
    return { ...shown(use, changed ?? (await settings.of(use.requester)), note), isInPlace: true };
  },
} satisfies Command;

/** Admins of a server may let others use the command; only members with Manage Server change anything. */
function serverToChange({ manageGuild, requester }: Use): string | undefined {
  return manageGuild ? requester.guildId : undefined;
}

/** @returns `undefined` for a menu or a choice that this version does not have */
function changeOf(argument: string, value: string): Partial<ServerSettings> | undefined {
  if (argument === 'language' && value === AUTOMATIC) return { language: undefined };
  if (argument === 'language' && LANGUAGES.includes(value)) return { language: value };
  if (argument === 'replies' && (value === 'private' || value === 'public')) return { isPrivate: value === 'private' };
  return undefined;
}

/** What is set in a server, with a menu for each setting. @param note above it */
function shown({ locale }: Use, { language = AUTOMATIC, isPrivate }: ServerSettings, note?: string): Reply {
  const option = (value: string, label: PlainMessageKey, description: PlainMessageKey) => {
    return { value, label: formatMessage(locale, label), description: formatMessage(locale, description) };
  };
  const choose = (label: PlainMessageKey, setting: string, chosen: string, options: APISelectMenuOption[]) => {
    const shown = options.map((option) => ({ ...option, default: option.value === chosen }));
    return menu(formatMessage(locale, label), `settings:${setting}`, shown);
  };
  return privately({
    content: joined([note, formatMessage(locale, 'settingsIntro')]),
    components: [
      ...choose('languageOfReplies', 'language', language, [
        option(AUTOMATIC, 'automaticLanguage', 'automaticLanguageMeans'),
        ...languageOptions(),
      ]),
      ...choose('whoSeesReplies', 'replies', isPrivate ? 'private' : 'public', [
        option('public', 'publicReplies', 'publicRepliesMeans'),
        option('private', 'privateReplies', 'privateRepliesMeans'),
      ]),
    ],
  });
}

/** The languages that there are texts in, each by its own name, such as Português (Brasil). */
function languageOptions(): APISelectMenuOption[] {
  const named = LANGUAGES.map((value) => {
    const name = new Intl.DisplayNames([value], { type: 'language' }).of(value) ?? value;
    return { value, label: name.charAt(0).toLocaleUpperCase(value) + name.slice(1) };
  });
  return named.sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
