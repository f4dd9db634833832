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
  position: number;
}

const CHANNELS: readonly Omit<GuildChannel, 'id' | 'position'>[] = [
  { name: 'general', type: ChannelType.GuildText },
  { name: 'trades', type: ChannelType.GuildText },
  { name: 'news', type: ChannelType.GuildAnnouncement },
  { name: 'Lounge', type: ChannelType.GuildVoice },
  { name: 'Clubs', type: ChannelType.GuildCategory },
];
const ROLES = ['Moderators', 'Traders'];

/** The channels of every guild; commands are typed in the first. */
export function channelsOf(guildId: string): GuildChannel[] {
  return CHANNELS.map((channel, position) => ({
    ...channel,
    id: String(BigInt(guildId) + 1_000n + BigInt(position)),
    position,
  }));
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
export function apiChannel({ id, name, type, position }: GuildChannel, guildId: string, permissions: bigint) {
  return {
    id,
    type,
    guild_id: guildId,
    name,
    position,
    permissions: String(permissions),
    parent_id: null,
    flags: 0,
    ...(type === ChannelType.GuildVoice && { bitrate: 64_000, user_limit: 0, rtc_region: null }),
  };
}
