import { ApplicationIntegrationType as Installed } from 'discord-api-types/v10';

import type { Member, PlaceContext, Whereabouts } from './chat.ts';
import { memberPermissions, type World } from './world.ts';

/** A member at a place. */
export interface Place {
  member: Member;
  guildId: string | null;
  context: PlaceContext;
  channelId: string;
  /** The permissions of the member; not used outside guilds. */
  permissions: bigint;
  installedFor: 'guild' | 'user' | 'both';
}

/** The installations of the app: `{0: guild}`, `{1: user}` or both. */
export type Owners = Partial<Record<Installed, string>>;

/** @throws Error with a sentence when there is no such place or member. */
export function placeOf(at: Whereabouts, world: World): Place {
  const guildId = at.context === 1 || at.context === 2 ? null : knownGuild(at.guildId, world);
  const member = knownMember(at.memberId, world);
  const context = guildId === null ? (at.context ?? 1) : 0;
  return {
    member,
    guildId,
    context,
    channelId: channelId({ guildId, context, memberId: member.id }),
    permissions: memberPermissions(guildId !== null && at.manageGuild === true),
    installedFor: context === 2 ? 'user' : (at.installedFor ?? 'guild'),
  };
}

/**
 * The installations under which a command runs there; empty = it cannot be used there.
 * interactions/receiving-and-responding, "Authorizing Integration Owners Object".
 */
export function ownersOf(
  integrationTypes: readonly Installed[],
  { guildId, member, installedFor }: Pick<Place, 'guildId' | 'member' | 'installedFor'>,
): Owners {
  const counts = (type: Installed, name: 'guild' | 'user') =>
    integrationTypes.includes(type) && (installedFor === name || installedFor === 'both');
  return {
    ...(counts(Installed.GuildInstall, 'guild') && { [Installed.GuildInstall]: guildId ?? '0' }),
    ...(counts(Installed.UserInstall, 'user') && { [Installed.UserInstall]: member.id }),
  };
}

/** The first channel of a guild, a member's direct messages with the bot, or the group of all members. */
export function channelId(at: { guildId: string | null; context: PlaceContext; memberId: string }): string {
  if (at.context === 2) return GROUP_CHANNEL_ID;
  return String(BigInt(at.guildId ?? at.memberId) + 1_000n);
}

const GROUP_CHANNEL_ID = '1180000000000009000';

function knownGuild(guildId: string | null | undefined, { guilds }: World): string | null {
  if (guildId === null) return null;
  const found = guildId === undefined ? guilds[0] : guilds.find(({ id }) => id === guildId);
  if (!found) throw new Error(`There is no Discord server with the id ${guildId}.`);
  return found.id;
}

function knownMember(memberId: string | undefined, { members }: World): Member {
  const found = memberId === undefined ? members[0] : members.find(({ id }) => id === memberId);
  if (!found) throw new Error(`There is no member with the id ${memberId}.`);
  return found;
}
