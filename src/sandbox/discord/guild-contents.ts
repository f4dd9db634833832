import { ChannelType } from 'discord-api-types/v10';

import { memberPermissions } from './world.ts';

export interface GuildRole {
  id: string;
  name: string;
}

export interface GuildChannel {
  id: string;
  name: string;
  type: ChannelType;
}

const CHANNELS: readonly Omit<GuildChannel, 'id'>[] = [
  { name: 'general', type: ChannelType.GuildText },
  { name: 'trades', type: ChannelType.GuildText },
  { name: 'news', type: ChannelType.GuildAnnouncement },
  { name: 'Lounge', type: ChannelType.GuildVoice },
  { name: 'Clubs', type: ChannelType.GuildCategory },
];
const ROLES = ['Moderators', 'Traders'];

/** The channels of every guild; commands are typed in the first. */
export function channelsOf(guildId: string): GuildChannel[] {
  return CHANNELS.map((channel, index) => ({ ...channel, id: String(BigInt(guildId) + 1_000n + BigInt(index)) }));
}

/** `@everyone` has the id of its guild. */
export function rolesOf(guildId: string): GuildRole[] {
  const named = ROLES.map((name, index) => ({ name, id: String(BigInt(guildId) + 2_000n + BigInt(index)) }));
  return [{ id: guildId, name: '@everyone' }, ...named];
}

/** topics/permissions, "Role Object" */
export function apiRole({ id, name }: GuildRole, position: number) {
  return {
    id,
    name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position,
    permissions: String(memberPermissions()),
    managed: false,
    mentionable: false,
    flags: 0,
  };
}

/** The partial channel of resolved data and of interactions. */
export function apiChannel({ id, name, type }: GuildChannel, guildId: string, permissions: bigint) {
  return { id, type, guild_id: guildId, name, permissions: String(permissions), parent_id: null, flags: 0 };
}
