import { createServer } from 'node:http';
import { GatewayCloseCodes } from 'discord-api-types/v10';

import { closeServer, KEEP_ALIVE_MS, listen } from '../listen.ts';
import type { Whereabouts } from './chat.ts';
import { CommandRegistry } from './command-registry.ts';
import { DISCORD_LIFETIMES, type Lifetimes } from './conversation.ts';
import { Autocompletions, Conversations } from './conversations.ts';
import { Faults } from './faults.ts';
import { FileStore, type ServedFile } from './file-store.ts';
import { Gateway, type GatewayFaults } from './gateway.ts';
import { Members } from './members.ts';
import type { Moderation } from './message-rules.ts';
import { Rest, type SeenRestRequest } from './rest.ts';
import {
  applicationRoutes,
  ChannelOpenings,
  directMessageRoutes,
  interactionRoutes,
  type OpeningLimit,
} from './routes.ts';
import { snowflakes, type World } from './world.ts';

export type { TypedInteraction } from './conversation.ts';

export interface EmulatedDiscordOptions extends Partial<Omit<World, 'applicationId'>> {
  /** Its address when it has no server: it is asked through `answer`, and bots join its gateway. */
  withoutServerAt?: string | undefined;
  /** Default 0: any free port. */
  port?: number;
  /** Default: 3 s to answer, tokens of 15 minutes. */
  lifetimes?: Lifetimes;
  /** Default 41,250, as in Discord's HELLO. */
  heartbeatIntervalMs?: number;
  /** The recommended number of shards. Default 1. */
  shards?: number;
  /** Shards that may identify at once. Default 16, as for a large bot, because with 1 a bot waits 5 s between shards. */
  maxConcurrency?: number;
  /** Time between two identifies with the same rate limit key. Default 0, no limit; Discord's is 5,000. */
  identifyWindowMs?: number;
  /** Serves an external image; undefined = 404. */
  image?: (url: string) => ServedFile | undefined;
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

/** Controls of the emulated Discord: actions of members, observation, and faults. */
export type EmulatedDiscord = Awaited<ReturnType<typeof startEmulatedDiscord>>;

/** Starts a Discord that enforces Discord's rules, on the loopback interface unless it shall have no server. */
export async function startEmulatedDiscord(options: EmulatedDiscordOptions = {}) {
  const { shards = 1, maxConcurrency = 16, identifyWindowMs = 0, image = () => undefined, ...others } = options;
  const { withoutServerAt, port: wanted = 0, lifetimes = DISCORD_LIFETIMES, ...more } = others;
  const { heartbeatIntervalMs = 41_250, ...changed } = more;
  const world: World = { ...DEFAULT_WORLD, ...changed };
  const server = withoutServerAt ? undefined : createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const port = server ? await listen(server, wanted) : 0;
  const origin = withoutServerAt ?? `http://127.0.0.1:${port}`;
  const ids = snowflakes();
  const nextId = () => ids();
  const files = new FileStore(origin, nextId);
  const moderation: Moderation = { refuses: () => false, blocks: () => false };
  const around = { world, lifetimes, files, moderation, nextId, origin };
  const conversations = new Conversations(around);
  const autocompletions = new Autocompletions();
  const commands = new CommandRegistry(world, nextId);
  const openings = new ChannelOpenings();
  const refusing = new Set<string>();
  const url = origin.replace('http', 'ws');
  const gateway = new Gateway({ world, url, heartbeatIntervalMs, maxConcurrency, identifyWindowMs });
  const faults = new Faults();
  const rest = new Rest({
    routes: {
      ...interactionRoutes(conversations, autocompletions),
      ...directMessageRoutes(world, conversations, openings, refusing),
      ...applicationRoutes(world, gateway, { shards, maxConcurrency }),
      ...commands.routes(),
    },
    isBotToken: (token) => gateway.isBotToken(token),
    faults,
    image,
    files,
  });
  server?.on('request', rest.listener);
  if (server) gateway.listenOn(server);

  return {
    ...world,
    ...new Members({ around, commands, conversations, autocompletions, gateway }),
    /** `http://127.0.0.1:PORT` */
    origin,
    /** For discord.js' `rest.api`. */
    apiUrl: `${origin}/api`,
    /** Like `fetch` for this Discord, without a socket. */
    answer: rest.answer,
    /** Deletes a message of the bot by Discord's own means, of which the bot is not told. */
    dismiss: (messageId: string) => conversations.holder(messageId)?.dismiss(messageId),
    /** Writes a member's message. @throws Error with a sentence. */
    post: (posted: Whereabouts & { content: string }) => ({ messageId: conversations.write(posted) }),
    /** Whether a member takes direct messages of the bot; by default everyone does. */
    takesMessages: (memberId: string, takes: boolean) => void refusing[takes ? 'delete' : 'add'](memberId),
    /** Limits how many channels of direct messages may be opened at a time, or ends that. */
    limitOpenings(limit: OpeningLimit | undefined) {
      openings.limit = limit;
    },
    openings: openings.counts as Readonly<ChannelOpenings['counts']>,
    /** Removes all that members wrote and all uses of commands; the bot stays connected. */
    clearChat: () => conversations.clear(),
    message: (interactionId: string) => conversations.find(interactionId)?.message,
    /** The last thousand messages and all open ones, oldest first. */
    messages: () => conversations.messages(),
    /** Every new snapshot of every message. Returns an unsubscribe. */
    onMessage: conversations.onMessage,
    /** The last thousand REST requests, oldest first. */
    requests: rest.requests as readonly SeenRestRequest[],
    onRequest: rest.onRequest,
    gateway,
    /** Faults of REST requests. */
    faults,
    /** What it refuses in replies from now on; omitted is unchanged. */
    moderate: (changed: Partial<Moderation>) => void Object.assign(moderation, changed),
    /** Sets faults of the gateway; omitted ones are unchanged. */
    setGatewayFaults: (changed: Partial<GatewayFaults>) => void Object.assign(gateway.faults, changed),
    /** From now on the bot's token is refused everywhere, and every gateway connection is closed with 4004. */
    revokeToken() {
      gateway.faults.tokenRevoked = true;
      gateway.drop(GatewayCloseCodes.AuthenticationFailed);
    },
    /** Breaks every connection and refuses new ones, or accepts them again. */
    async refuseConnections(refused: boolean) {
      if (!refused) {
        if (server && !server.listening) await listen(server, port);
        return;
      }
      server?.close();
      server?.closeAllConnections();
      gateway.drop(1_006);
    },
    /** Does not wait for open connections. */
    async close() {
      conversations.close();
      autocompletions.close();
      gateway.close();
      if (server?.listening) await closeServer(server);
    },
  };
}
