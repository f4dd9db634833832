import type { APIApplicationCommand } from 'discord-api-types/v10';
import { ApplicationCommandType as CommandType, InteractionContextType as Context } from 'discord-api-types/v10';

import type { RegisteredCommand } from './command-book.ts';
import type { CommandOption } from './command-option-rules.ts';

/**
 * A command as Discord returns it. Dictionaries of translations are left out unless asked for
 * (`with_localizations`); where it can be used is told of global commands only.
 */
export function apiCommand(
  { id, version, guildId, form }: RegisteredCommand,
  applicationId: string,
  withLocalizations = true,
): APIApplicationCommand {
  const { options, contexts, integration_types, dm_permission, name_localizations, description_localizations } = form;
  const command = {
    id,
    application_id: applicationId,
    version,
    default_member_permissions: form.default_member_permissions,
    type: form.type,
    name: form.name,
    description: form.description,
    ...(withLocalizations && { name_localizations, description_localizations }),
    ...(guildId === null
      ? { dm_permission: contexts?.includes(Context.BotDM) ?? dm_permission ?? true, contexts, integration_types }
      : { guild_id: guildId }),
    nsfw: form.nsfw,
    ...(options.length > 0 && { options: options.map((option) => apiOption(option, withLocalizations)) }),
  };
  return command as APIApplicationCommand;
}

function apiOption(option: CommandOption, withLocalizations: boolean): object {
  const { choices, options, ...rest } = option;
  return {
    ...(withLocalizations ? rest : withoutTranslations(rest)),
    ...(choices && { choices: withLocalizations ? choices : choices.map(withoutTranslations) }),
    ...(options && { options: options.map((inner) => apiOption(inner, withLocalizations)) }),
  };
}

function withoutTranslations(part: object): object {
  return Object.fromEntries(Object.entries(part).filter(([key]) => !key.endsWith('_localizations')));
}

/** Whether a member sees a slash command at a place. `permissions` are the member's; they do not count in a DM. */
export function isVisible(
  { guildId, form }: RegisteredCommand,
  at: { guildId: string | null; permissions: bigint },
): boolean {
  if (form.type !== CommandType.ChatInput || (guildId !== null && guildId !== at.guildId)) return false;
  if (at.guildId === null) return form.contexts?.includes(Context.BotDM) ?? form.dm_permission ?? true;
  if (guildId === null && form.contexts && !form.contexts.includes(Context.Guild)) return false;
  return isAllowed(form.default_member_permissions, at.permissions);
}

/** "0" is for administrators only; interactions/application-commands, "Permissions". */
function isAllowed(required: string | null, permissions: bigint): boolean {
  if (required === null) return true;
  const bits = BigInt(required);
  return bits !== 0n && (permissions & bits) === bits;
}
