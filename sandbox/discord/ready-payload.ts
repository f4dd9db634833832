import { GatewayIntentBits } from 'discord-api-types/v10';

import type { Guild } from './chat.ts';
import type { Identify } from './gateway-rules.ts';
import type { GatewaySession } from './gateway-session.ts';
import { everyone, generalChannel } from './guild-contents.ts';
import { apiMember } from './interaction-payload.ts';
import { channelId } from './place.ts';
import { botUser, memberPermissions, ownUser, type World } from './world.ts';

/** `d` of READY; events/gateway-events, "Ready". */
export function readyPayload(
  session: GatewaySession,
  { world, resumeUrl, version }: { world: World; resumeUrl: string; version: number },
): object {
  return {
    v: version,
    user: ownUser(world),
    private_channels: [], // not documented, but always there
    guilds: world.guilds.filter(({ id }) => session.serves(id)).map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: { id: world.applicationId, flags: 0 },
  };
}

/** resources/guild, "Guild Structure": the settings of a guild that nobody has changed. */
const NEW_GUILD = {
  banner: null,
  splash: null,
  discovery_splash: null,
  home_header: null,
  vanity_url_code: null,
  region: 'deprecated',
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw: false,
  nsfw_level: 0,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  max_presences: null,
  max_members: 500_000,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
  incidents_data: null,
};

/** The guilds that are described after READY: none without the intent for them. */
export function announcedGuilds(identify: Identify, session: GatewaySession, world: World): object[] {
  if ((identify.intents & GatewayIntentBits.Guilds) === 0) return [];
  return world.guilds.filter(({ id }) => session.serves(id)).map((guild) => guildPayload(guild, world));
}

function guildPayload({ id, name, locale = 'en-US' }: Guild, world: World): object {
  const { members, applicationId } = world;
  const { permissions: _, ...bot } = apiMember(botUser(world), 0n);
  return {
    id,
    name,
    icon: null,
    description: null,
    owner_id: members[0]?.id ?? applicationId,
    application_id: null,
    preferred_locale: locale,
    features: [],
    ...NEW_GUILD,
    roles: [everyone(id)],
    channels: [{ ...generalChannel(channelId({ guildId: id }), id, memberPermissions()), permission_overwrites: [] }],
    emojis: [],
    stickers: [],
    members: [bot], // other members need an intent; events/gateway-events, "Guild Create"
    threads: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    member_count: members.length + 1,
    large: false,
    unavailable: false,
    joined_at: '2026-01-01T00:00:00.000000+00:00',
  };
}
