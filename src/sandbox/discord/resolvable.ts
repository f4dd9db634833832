import { type APIAttachment, type APIUser, ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';

import { apiChannel, apiRole, channelsOf, rolesOf } from './guild-contents.ts';
import { apiMember } from './interaction-payload.ts';
import type { Place } from './place.ts';
import { apiUser, botUser, type World } from './world.ts';

/** Everything that an id can refer to at a place. Outside guilds there are no members, roles and channels. */
export interface Resolvable {
  users: ReadonlyMap<string, APIUser>;
  members: ReadonlyMap<string, object>;
  roles: ReadonlyMap<string, { name: string }>;
  channels: ReadonlyMap<string, { name: string; type: number }>;
  attachments: ReadonlyMap<string, APIAttachment>;
}

/** @param attachments that come with the interaction */
export function resolvableAt(
  { guildId }: Pick<Place, 'guildId'>,
  world: World,
  attachments: readonly APIAttachment[] = [],
): Resolvable {
  const users = [...world.members.map((member) => apiUser(member)), botUser(world)];
  const { user: _, deaf: __, mute: ___, ...member } = apiMember(botUser(world), 0n);
  return {
    users: byId(users),
    members: new Map(guildId === null ? [] : users.map(({ id }) => [id, member])),
    roles: byId(guildId === null ? [] : rolesOf(guildId).map(apiRole)),
    channels: byId(guildId === null ? [] : channelsOf(guildId).map((channel) => apiChannel(channel, guildId, 0n))),
    attachments: byId(attachments),
  };
}

/** Whether an option or a select menu of this type accepts the id. */
export function isResolvable(type: OptionType, id: string, at: Resolvable): boolean {
  switch (type) {
    case OptionType.User:
      return at.users.has(id);
    case OptionType.Role:
      return at.roles.has(id);
    case OptionType.Mentionable:
      return at.users.has(id) || at.roles.has(id);
    case OptionType.Channel:
      return at.channels.has(id);
    case OptionType.Attachment:
      return at.attachments.has(id);
    default:
      return false;
  }
}

/** `data.resolved`: the objects of the chosen ids; undefined = no ids were chosen. */
export function resolved(chosen: readonly { type: OptionType; value?: unknown }[], at: Resolvable): object | undefined {
  const idsOf = (...types: OptionType[]) =>
    chosen.filter(({ type }) => types.includes(type)).map(({ value }) => String(value));
  const users = idsOf(OptionType.User, OptionType.Mentionable);
  const parts = {
    users: picked(at.users, users),
    members: picked(at.members, users),
    roles: picked(at.roles, idsOf(OptionType.Role, OptionType.Mentionable)),
    channels: picked(at.channels, idsOf(OptionType.Channel)),
    attachments: picked(at.attachments, idsOf(OptionType.Attachment)),
  };
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

function picked(from: ReadonlyMap<string, object>, ids: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const found = from.get(id);
      return found ? [[id, found]] : [];
    }),
  );
}

function byId<T extends { id: string }>(things: readonly T[]): Map<string, T> {
  return new Map(things.map((thing) => [thing.id, thing]));
}
