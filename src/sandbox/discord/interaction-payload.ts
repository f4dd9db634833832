import type { APIApplicationCommand } from 'discord-api-types/v10';
import { ChannelType, ApplicationCommandType as CommandType, InteractionType } from 'discord-api-types/v10';

import type { Member } from './chat.ts';
import type { TypedOption } from './typed-options.ts';
import { apiUser, channelId, memberPermissions, type World } from './world.ts';

export interface TypedAt {
  id: string;
  token: string;
  member: Member;
  guildId: string | null;
  manageGuild: boolean;
  command: APIApplicationCommand;
  options: readonly TypedOption[];
}

const ATTACHMENT_LIMIT_BYTES = 10 * 1_024 * 1_024; // reference.md, "Uploading Files"
const JOINED_AT = '2026-01-01T00:00:00.000000+00:00';

/** `d` of INTERACTION_CREATE; interactions/receiving-and-responding, "Interaction Structure". */
export function interactionPayload(typed: TypedAt, { applicationId }: World): object {
  const { id, token, member, guildId, manageGuild, command, options } = typed;
  const channel = channelId(guildId, member.id);
  return {
    id,
    application_id: applicationId,
    type: InteractionType.ApplicationCommand,
    token,
    version: 1,
    data: {
      id: command.id,
      name: command.name,
      type: CommandType.ChatInput,
      ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
      ...(options.length > 0 && { options }),
    },
    channel_id: channel,
    app_permissions: String(memberPermissions()),
    locale: member.locale,
    entitlements: [],
    attachment_size_limit: ATTACHMENT_LIMIT_BYTES,
    ...(guildId === null
      ? fromDirectMessages(member, channel)
      : fromGuild(member, guildId, channel, memberPermissions(manageGuild))),
  };
}

function fromGuild(member: Member, guildId: string, channel: string, permissions: bigint): object {
  return {
    context: 0,
    authorizing_integration_owners: { 0: guildId },
    guild_id: guildId,
    guild: { id: guildId, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
    channel: {
      id: channel,
      type: ChannelType.GuildText,
      guild_id: guildId,
      name: 'general',
      permissions: String(permissions),
    },
    member: {
      user: apiUser(member),
      nick: null,
      avatar: null,
      roles: [],
      joined_at: JOINED_AT,
      premium_since: null,
      deaf: false,
      mute: false,
      pending: false,
      flags: 0,
      communication_disabled_until: null,
      permissions: String(permissions),
    },
  };
}

function fromDirectMessages(member: Member, channel: string): object {
  return {
    context: 1,
    authorizing_integration_owners: { 0: '0' },
    channel: { id: channel, type: ChannelType.DM, recipients: [apiUser(member)], flags: 0 },
    user: apiUser(member),
  };
}
