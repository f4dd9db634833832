import { ChannelType } from 'discord-api-types/v10';

import { memberPermissions } from './world.ts';

/** `@everyone`, which has the id of its guild; topics/permissions, "Role Object". */
export function everyone(guildId: string) {
  return {
    id: guildId,
    name: '@everyone',
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position: 0,
    permissions: String(memberPermissions()),
    managed: false,
    mentionable: false,
    flags: 0,
  };
}

/** The channel of a guild in which commands are typed: the partial one of interactions. */
export function generalChannel(id: string, guildId: string, permissions: bigint) {
  return {
    id,
    type: ChannelType.GuildText,
    guild_id: guildId,
    name: 'general',
    position: 0,
    permissions: String(permissions),
    parent_id: null,
    flags: 0,
  };
}
