import { ApplicationIntegrationType as Installed, PermissionFlagsBits as Permission } from 'discord-api-types/v10';

import type { Guild, Member, PlaceContext, Whereabouts } from './chat.ts';
import { memberPermissions, type World } from './world.ts';

/** A member at a place. */
export interface Place {
  member: Member;
  guildId: string | null;
  context: PlaceContext;
  channelId: string;
  /** The permissions of the member; not used outside guilds. */
  permissions: bigint;
  /** The installations of the app that count there. */
  installed: readonly Installed[];
}

/** The installations of the app: `{0: guild}`, `{1: user}` or both. */
export type Owners = Partial<Record<Installed, string>>;

/** @throws Error with a sentence when there is no such place or member. */
export function placeOf(at: Whereabouts, world: World): Place {
  const guild = at.context === 1 || at.context === 2 ? undefined : knownGuild(at.guildId, world);
  const member = knownMember(at.memberId, world);
  const context = guild ? 0 : (at.context ?? 1);
  const hasBot = guild ? world.guilds.includes(guild) : context === 1;
  const { installedFor = hasBot ? 'guild' : 'user' } = at;
  const guildId = guild?.id ?? null;
  return {
    member,
    guildId,
    context,
    channelId: channelId({ guildId, context, memberId: member.id }),
    permissions: memberPermissions({
      ...guild,
      manageGuild: guild !== undefined && at.manageGuild === true,
      manageMessages: guild !== undefined && at.manageMessages === true,
    }),
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
export function channelId(at: { guildId: string | null; context?: PlaceContext; memberId?: string }): string {
  if (at.context === 2) return GROUP_CHANNEL_ID;
  return String(BigInt(at.guildId ?? at.memberId ?? 0) + 1_000n);
}

const GROUP_CHANNEL_ID = '1180000000000009000';

/** Undefined for `null`; the first guild for `undefined`. */
export function knownGuild(
  guildId: string | null | undefined,
  { guilds, foreignGuilds }: Pick<World, 'guilds' | 'foreignGuilds'>,
): Guild | undefined {
  if (guildId === null) return undefined;
  const found = guildId === undefined ? guilds[0] : [...guilds, ...foreignGuilds].find(({ id }) => id === guildId);
  if (!found) throw new Error(`There is no Discord server with the id ${guildId}.`);
  return found;
}

function knownMember(memberId: string | undefined, { members }: World): Member {
  const found = memberId === undefined ? members[0] : members.find(({ id }) => id === memberId);
  if (!found) throw new Error(`There is no member with the id ${memberId}.`);
  return found;
}
