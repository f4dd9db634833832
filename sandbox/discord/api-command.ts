import type { APIApplicationCommand } from 'discord-api-types/v10';
import { InteractionContextType as Context } from 'discord-api-types/v10';
import type { CommandForm } from './command-rules.ts';
import { ownersOf, type Place } from './place.ts';

/** A registered command. `guildId: null` = a global one. */
export interface RegisteredCommand {
  id: string;
  /** Changes with every change of the content. */
  version: string;
  guildId: string | null;
  form: CommandForm;
}

/**
 * A command as Discord returns it. Translations are omitted unless requested (`with_localizations`); contexts and
 * integration types are returned for global commands only.
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
    ...(options.length > 0 && { options: withLocalizations ? options : options.map(withoutTranslations) }),
  };
  return command as APIApplicationCommand;
}

function withoutTranslations(part: object): object {
  return Object.fromEntries(Object.entries(part).filter(([key]) => !key.endsWith('_localizations')));
}

/** Whether a member can use a command at a place. Permissions apply only in guilds. */
export function isVisible(
  { guildId, form }: RegisteredCommand,
  place: Pick<Place, 'guildId' | 'context' | 'member' | 'installed' | 'permissions'>,
): boolean {
  if (guildId !== null && guildId !== place.guildId) return false;
  if (guildId === null) {
    // In direct messages also commands are shown that fail when they are used; discord-api-docs#6699
    const isInstalled = Object.keys(ownersOf(form.integration_types, place)).length > 0;
    if (!isInstalled && place.context !== Context.BotDM) return false;
    const anywhere = place.context === Context.Guild || (form.dm_permission ?? true);
    if (!(form.contexts?.includes(place.context) ?? anywhere)) return false;
  }
  return place.guildId === null || isAllowed(form.default_member_permissions, place.permissions);
}

/** "0" is for administrators only; interactions/application-commands, "Permissions". */
function isAllowed(required: string | null, permissions: bigint): boolean {
  if (required === null) return true;
  const bits = BigInt(required);
  return bits !== 0n && (permissions & bits) === bits;
}
