import {
  type APIUser,
  ChannelType,
  type InteractionType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';

import { knownGuild, type Owners, type Place } from './place.ts';
import { apiUser, memberPermissions, type World } from './world.ts';

export interface SentInteraction {
  id: string;
  token: string;
  type: InteractionType;
  place: Place;
  owners: Owners;
  /** The data of the command, component or modal. */
  data: object;
  /** The message whose component started the interaction. */
  message?: object;
}

const ATTACHMENT_LIMIT_BYTES = 10 * 1_024 * 1_024; // reference.md, "Uploading Files"
const JOINED_AT = '2026-01-01T00:00:00.000000+00:00';

/** `d` of INTERACTION_CREATE; interactions/receiving-and-responding, "Interaction Structure". */
export function interactionPayload(sent: SentInteraction, world: World): object {
  const { id, token, type, place, owners, data, message } = sent;
  return {
    id,
    application_id: world.applicationId,
    type,
    token,
    version: 1,
    data,
    ...(message && { message }),
    channel_id: place.channelId,
    context: place.context,
    authorizing_integration_owners: owners,
    app_permissions: String(appPermissions(place, world)),
    locale: place.member.locale,
    entitlements: [],
    attachment_size_limit: ATTACHMENT_LIMIT_BYTES,
    ...(place.guildId === null ? fromPrivateChannel(place, world) : fromGuild(place, place.guildId, world)),
  };
}

const WITHOUT_BOT = Permission.AttachFiles | Permission.EmbedLinks;

/** interactions/receiving-and-responding, "Interaction Structure"; in foreign guilds, discord-api-docs#5316 and #7251. */
function appPermissions({ guildId, context, permissions }: Place, { guilds }: World): bigint {
  if (guilds.some(({ id }) => id === guildId)) return memberPermissions();
  if (guildId !== null) return permissions | WITHOUT_BOT;
  const anywhere = WITHOUT_BOT | Permission.MentionEveryone;
  return context === 1 ? anywhere | Permission.UseExternalEmojis : anywhere;
}

function fromGuild({ member, channelId, permissions }: Place, guildId: string, world: World): object {
  const locale = knownGuild(guildId, world)?.locale ?? 'en-US';
  return {
    guild_id: guildId,
    guild: { id: guildId, locale, features: [] },
    guild_locale: locale,
    channel: generalChannel(channelId, guildId, permissions),
    member: apiMember(apiUser(member), permissions),
  };
}

/** The channel of a guild in which commands are typed: the partial one of interactions. */
function generalChannel(id: string, guildId: string, permissions: bigint) {
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

function fromPrivateChannel({ member, channelId, context }: Place, { members }: World): object {
  const channel =
    context === 1
      ? { type: ChannelType.DM, recipients: [apiUser(member)] }
      : {
          type: ChannelType.GroupDM,
          name: null,
          icon: null,
          owner_id: members[0]?.id,
          recipients: members.map((each) => apiUser(each)),
        };
  return { channel: { id: channelId, flags: 0, ...channel }, user: apiUser(member) };
}

/** resources/guild, "Guild Member Structure", with the permissions that interactions add */
function apiMember(user: APIUser, permissions: bigint) {
  return {
    user,
    nick: null,
    avatar: null,
    banner: null,
    roles: [],
    joined_at: JOINED_AT,
    premium_since: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
    communication_disabled_until: null,
    permissions: String(permissions),
  };
}
