import type { ServerSettings } from '../src/model/invocation.ts';
import { LANGUAGES } from '../src/render/languages.ts';
import { formatMessage } from '../src/render/messages.ts';
import { AUTOMATIC, LANGUAGE, PRIVATE, PUBLIC, REPLIES, settingsMessage } from '../src/render/settings-message.ts';
import type { SettingsChange } from '../src/settings/server-settings.ts';
import { type Command, privately, type Reply, say, type Use } from './command.ts';

export default {
  data: { name: 'settings', isForManagers: true },

  async ask(use, { settings }) {
    return serverToChange(use) === undefined ? refused(use) : shown(use, await settings.of(use.requester));
  },

  /** Shows in place what is set now, which another member may have changed besides. */
  async component({ argument, values: [value = ''], ...use }, { settings }) {
    const guildId = serverToChange(use);
    if (guildId === undefined) return refused(use);
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

function refused({ locale }: Use): Reply {
  return say(locale, 'settingsRefused');
}

function shown({ locale }: Use, settings: ServerSettings, note?: string): Reply {
  return privately(settingsMessage(locale, settings, note));
}

/** @returns `undefined` for a menu or a choice that this version does not have */
function changeOf(argument: string, value: string): SettingsChange | undefined {
  if (argument === LANGUAGE && value === AUTOMATIC) return { language: undefined };
  if (argument === LANGUAGE && LANGUAGES.includes(value)) return { language: value };
  if (argument === REPLIES && (value === PRIVATE || value === PUBLIC)) return { isPrivate: value === PRIVATE };
  return undefined;
}
