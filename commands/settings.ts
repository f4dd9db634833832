import type { APISelectMenuOption } from 'discord-api-types/v10';
import type { ServerSettings } from '../src/model/invocation.ts';
import { menu } from '../src/render/components.ts';
import { joined } from '../src/render/formats.ts';
import { LANGUAGES } from '../src/render/languages.ts';
import { formatMessage, type PlainMessageKey } from '../src/render/messages.ts';
import type { SettingsChange } from '../src/settings/server-settings.ts';
import { type Command, privately, type Reply, say, type Use } from './command.ts';

// The menus, and their values besides the codes of languages.
const LANGUAGE = 'language';
const REPLIES = 'replies';
const AUTOMATIC = 'automatic';
const PRIVATE = 'private';
const PUBLIC = 'public';

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
function changeOf(argument: string, value: string): SettingsChange | undefined {
  if (argument === LANGUAGE && value === AUTOMATIC) return { language: undefined };
  if (argument === LANGUAGE && LANGUAGES.includes(value)) return { language: value };
  if (argument === REPLIES && (value === PRIVATE || value === PUBLIC)) return { isPrivate: value === PRIVATE };
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
      ...choose('languageOfReplies', LANGUAGE, language, [
        option(AUTOMATIC, 'automaticLanguage', 'automaticLanguageMeans'),
        ...languageOptions(),
      ]),
      ...choose('whoSeesReplies', REPLIES, isPrivate ? PRIVATE : PUBLIC, [
        option(PUBLIC, 'publicReplies', 'publicRepliesMeans'),
        option(PRIVATE, 'privateReplies', 'privateRepliesMeans'),
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
