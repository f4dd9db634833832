import {
  type APIUser,
  ApplicationIntegrationType as Installed,
  PermissionFlagsBits as Permission,
  type UserFlags,
} from 'discord-api-types/v10';

import type { Guild, Member, PlaceContext, Whereabouts } from './chat.ts';

/** The members, guilds and the application of the emulated Discord. */
export interface World {
  applicationId: string;
  botToken: string;
  guilds: readonly Guild[];
  /** Guilds without the bot, which is not told of them: only members who installed the app for themselves use it there. */
  foreignGuilds: readonly Guild[];
  members: readonly Member[];
}

// Those of @everyone in a new server that a command can depend on
const MEMBER_PERMISSIONS =
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.UseExternalEmojis |
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

/** A member at a place. */
export interface Place {
  member: Member;
  /** Absent in direct messages and in a group. */
  guild: Guild | undefined;
  guildId: string | null;
  context: PlaceContext;
  channelId: string;
  hasBot: boolean;
  /** The permissions of the member; not used outside guilds. */
  permissions: bigint;
  /** The installations of the app that count there. */
  installed: readonly Installed[];
}

/** The installations of the app: `{0: guild}`, `{1: user}` or both. */
export type Owners = Partial<Record<Installed, string>>;

/** @throws Error with a sentence when there is no such place or member. */
export function placeOf(at: Whereabouts, world: World): Place {
  const isPrivate = at.context === 1 || at.context === 2 || at.guildId === null;
  const guilds = [...world.guilds, ...world.foreignGuilds];
  const guild = isPrivate ? undefined : known('Discord server', at.guildId, guilds);
  const member = known('member', at.memberId, world.members);
  const context = guild ? 0 : (at.context ?? 1);
  const hasBot = guild ? world.guilds.includes(guild) : context === 1;
  const { installedFor = hasBot ? 'guild' : 'user' } = at;
  const guildId = guild?.id ?? null;
  return {
    member,
    guild,
    guildId,
    context,
    channelId: channelId({ guildId, context, memberId: member.id }),
    hasBot,
    permissions: memberPermissions({ ...at, ...guild }),
    installed: [
      ...(hasBot && installedFor !== 'user' ? [Installed.GuildInstall] : []),
      ...(installedFor === 'guild' ? [] : [Installed.UserInstall]),
    ],
  };
}

/**
 * The installations under which a command runs there; empty = it cannot be used there.
 * interactions/receiving-and-responding, "Authorizing Integration Owners Object".
 */
export function ownersOf(
  integrationTypes: readonly Installed[],
  { guildId, member, installed }: Pick<Place, 'guildId' | 'member' | 'installed'>,
): Owners {
  const counts = (type: Installed) => integrationTypes.includes(type) && installed.includes(type);
  return {
    ...(counts(Installed.GuildInstall) && { [Installed.GuildInstall]: guildId ?? '0' }),
    ...(counts(Installed.UserInstall) && { [Installed.UserInstall]: member.id }),
  };
}

/** Whether Discord shows every reply to the member alone, whatever the bot wants; topics/permissions, "USE_EXTERNAL_APPS". */
export function isForcedPrivate({ context, permissions }: Place, owners: Owners): boolean {
  return context === 0 && !(Installed.GuildInstall in owners) && (permissions & Permission.UseExternalApps) === 0n;
}

/** The channel of a guild, a member's direct messages with the bot, or the group of all members. */
export function channelId(at: { guildId: string | null; context: PlaceContext; memberId: string }): string {
  return at.context === 2 ? GROUP_CHANNEL_ID : String(BigInt(at.guildId ?? at.memberId) + 1_000n);
}

const GROUP_CHANNEL_ID = '1180000000000009000';

/** The first one for `undefined`. */
function known<T extends { id: string }>(what: string, id: string | null | undefined, all: readonly T[]): T {
  const found = id === undefined ? all[0] : all.find((each) => each.id === id);
  if (!found) throw new Error(`There is no ${what} with the id ${id}.`);
  return found;
}

const DISCORD_EPOCH_MS = 1_420_070_400_000; // 2015-01-01, reference.md "Snowflakes"
const IDS_PER_MS = 4_096; // 12 bits of increment

/** Generates Discord ids: unique, ascending, and with their creation time. */
export function snowflakes(): (nowMs?: number) => string {
  let [ms, increment] = [0, 0];
  return (nowMs = Date.now()) => {
    increment++;
    if (nowMs > ms || increment === IDS_PER_MS) [ms, increment] = [Math.max(nowMs, ms + 1), 0];
    return String((BigInt(ms - DISCORD_EPOCH_MS) << 22n) | BigInt(increment));
  };
}

/** The creation time of an id, in ms since the Unix epoch. */
export function snowflakeTimeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The shard that gets a guild's events; direct messages (null) go to shard 0. Gateway docs, "Sharding". */
export function shardOf(guildId: string | null, shardCount: number): number {
  return guildId === null ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(shardCount));
}
