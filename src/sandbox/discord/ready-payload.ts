import { GatewayIntentBits } from 'discord-api-types/v10';

import type { Guild } from './chat.ts';
import type { Identify } from './gateway-rules.ts';
import type { GatewaySession } from './gateway-session.ts';
import { apiChannel, apiRole, channelsOf, rolesOf } from './guild-contents.ts';
import { apiMember } from './interaction-payload.ts';
import { botUser, memberPermissions, type World } from './world.ts';

/** `d` of READY; events/gateway-events, "Ready". */
export function readyPayload(
  session: GatewaySession,
  { world, resumeUrl, version }: { world: World; resumeUrl: string; version: number },
): object {
  return {
    v: version,
    user: { ...botUser(world), verified: true, mfa_enabled: false, email: null, flags: 0 },
    guilds: world.guilds.filter(({ id }) => session.serves(id)).map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: { id: world.applicationId, flags: 0 },
  };
}

/** The guilds that are described after READY: none without the intent for them. */
export function announcedGuilds(identify: Identify, session: GatewaySession, world: World): object[] {
  if ((identify.intents & GatewayIntentBits.Guilds) === 0) return [];
  return world.guilds.filter(({ id }) => session.serves(id)).map((guild) => guildPayload(guild, world));
}

function guildPayload({ id, name }: Guild, world: World): object {
  const { members, applicationId } = world;
  const { permissions: _, ...bot } = apiMember(botUser(world), 0n);
  return {
    id,
    name,
    icon: null,
    owner_id: members[0]?.id ?? applicationId,
    preferred_locale: 'en-US',
    features: [],
    roles: rolesOf(id).map(apiRole),
    channels: channelsOf(id).map((channel, position) => ({
      ...apiChannel(channel, id, memberPermissions()),
      position,
      permission_overwrites: [],
    })),
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
