import { type APIUser, PermissionFlagsBits as Permission, type UserFlags } from 'discord-api-types/v10';

import type { Guild, Member } from './chat.ts';

/** The members, guilds and the application of the emulated Discord. */
export interface World {
  applicationId: string;
  botToken: string;
  guilds: readonly Guild[];
  /** Guilds without the bot, which is not told of them: only members who installed the app for themselves use it there. */
  foreignGuilds: readonly Guild[];
  members: readonly Member[];
}

const APPLICATION_ID = '1180000000000000001';

export const DEFAULT_WORLD: World = {
  applicationId: APPLICATION_ID,
  // In the format of a real token: the application id in base64, a time, a signature; valid only here
  botToken: `${Buffer.from(APPLICATION_ID).toString('base64url')}.emulat.not-a-secret-only-for-the-emulated-discord`,
  guilds: [
    { id: '1180000000000655361', name: 'Collectors' },
    { id: '1180000000004849665', name: 'Trading Post' },
  ],
  foreignGuilds: [
    { id: '1180000000009043969', name: 'Book Club' },
    { id: '1180000000013238273', name: 'Library', externalApps: false },
  ],
  members: [
    { id: '1180000000000000101', name: 'Alice', locale: 'en-US' },
    { id: '1180000000000000102', name: 'Björn', locale: 'de' },
    { id: '1180000000000000103', name: 'Chloé', locale: 'fr' },
    { id: '1180000000000000104', name: '大輔', locale: 'ja' },
  ],
};

// The permissions of @everyone in a new server
const MEMBER_PERMISSIONS =
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.SendMessagesInThreads |
  Permission.CreatePublicThreads |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.AddReactions |
  Permission.UseExternalEmojis |
  Permission.UseExternalStickers |
  Permission.ReadMessageHistory |
  Permission.ChangeNickname |
  Permission.CreateInstantInvite |
  Permission.Connect |
  Permission.Speak |
  Permission.UseApplicationCommands |
  Permission.UseExternalApps;

export function memberPermissions({ manageGuild = false, manageMessages = false, externalApps = true } = {}): bigint {
  const more = (manageGuild ? Permission.ManageGuild : 0n) | (manageMessages ? Permission.ManageMessages : 0n);
  const permissions = MEMBER_PERMISSIONS | more;
  return externalApps ? permissions : permissions & ~Permission.UseExternalApps;
}

const NO_FLAGS = 0 as UserFlags;

export function apiUser({ id, name }: Pick<Member, 'id' | 'name'>): APIUser {
  return {
    id,
    username: `${name.toLowerCase().replaceAll(/[^a-z0-9._]/g, '')}${id.slice(-3)}`,
    global_name: name,
    discriminator: '0',
    avatar: null,
    public_flags: NO_FLAGS,
    flags: NO_FLAGS,
    primary_guild: null,
  };
}

/** The bot's own account has the id of its application. */
export function botUser({ applicationId }: Pick<World, 'applicationId'>): APIUser {
  return { ...apiUser({ id: applicationId, name: 'Cards' }), username: 'cards', discriminator: '0001', bot: true };
}

/** The same with what only the account itself is told. */
export function ownUser(world: Pick<World, 'applicationId'>): APIUser {
  return { ...botUser(world), verified: true, mfa_enabled: false, email: null, locale: 'en-US' };
}
