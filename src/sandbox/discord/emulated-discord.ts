import { type APIApplicationCommand, GatewayCloseCodes } from 'discord-api-types/v10';

import { apiCommand, isVisible } from './api-command.ts';
import { applicationRoutes } from './application-routes.ts';
import type { ChatMessage, Guild, Member, TypedCommand } from './chat.ts';
import { CommandBook } from './command-book.ts';
import { commandRoutes } from './command-routes.ts';
import { Conversations } from './conversations.ts';
import type { EmulatedDiscordOptions } from './emulated-discord-options.ts';
import { Faults } from './faults.ts';
import { FrontDoor } from './front-door.ts';
import { Gateway } from './gateway.ts';
import { type GatewayFaults, NO_GATEWAY_FAULTS } from './gateway-faults.ts';
import { DISCORD_LIFETIMES } from './interaction.ts';
import { interactionRoutes } from './interaction-routes.ts';
import { RequestLog, type SeenRestRequest } from './request-log.ts';
import { restListener } from './rest.ts';
import { Snowflakes } from './snowflake.ts';
import { typeCommand } from './type-command.ts';
import { type TypedInteraction, typedInteraction } from './typed-interaction.ts';
import { DEFAULT_WORLD, memberPermissions, type World } from './world.ts';

export type { EmulatedDiscordOptions } from './emulated-discord-options.ts';

export interface EmulatedDiscord {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** For discord.js' `rest.api`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly applicationId: string;
  readonly guilds: readonly Guild[];
  readonly members: readonly Member[];
  /** Slash commands that a member sees there: global ones and the guild's, so a name may show up twice. */
  commandsFor(at: { guildId: string | null; manageGuild?: boolean }): APIApplicationCommand[];
  /** Sends a command to the bot. @throws Error in plain words when it cannot be typed, or no bot is connected. */
  type(typed: TypedCommand): TypedInteraction;
  message(interactionId: string): ChatMessage | undefined;
  /** The open ones and the last thousand finished, oldest first. */
  messages(): ChatMessage[];
  /** Every new snapshot of every message. Returns an unsubscribe. */
  onMessage(listener: (message: ChatMessage) => void): () => void;
  /** The last thousand REST requests, oldest first. */
  readonly requests: readonly SeenRestRequest[];
  onRequest(listener: (request: SeenRestRequest) => void): () => void;
  readonly gateway: Pick<
    Gateway,
    | 'sessions'
    | 'drop'
    | 'requestReconnect'
    | 'send'
    | 'whenReady'
    | 'whenAllReady'
    | 'identifies'
    | 'refusedIdentifies'
    | 'resumes'
    | 'lastEventAtMs'
    | 'invalidate'
  >;
  /** Spoils REST requests. */
  readonly faults: Pick<Faults, 'script' | 'met' | 'pending' | 'clear'>;
  /** Faults of the gateway; those that are not named stay as they are. */
  setGatewayFaults(faults: Partial<GatewayFaults>): void;
  /** From here on the bot's token is refused everywhere, and every gateway connection closed with 4004. */
  revokeToken(): void;
  /** Breaks every connection and refuses new ones, or lets them in again. */
  refuseConnections(refused: boolean): Promise<void>;
  /** Quick, also with open connections. */
  close(): Promise<void>;
}

const HEARTBEAT_INTERVAL_MS = 41_250; // what Discord's own HELLO says

/** Starts a Discord on the loopback interface that enforces Discord's rules. */
export async function startEmulatedDiscord(options: EmulatedDiscordOptions = {}): Promise<EmulatedDiscord> {
  const door = new FrontDoor();
  await door.open(options.port);
  const { server, port } = door;
  const origin = `http://127.0.0.1:${port}`;

  const world: World = { ...DEFAULT_WORLD, ...given(options) };
  const ids = new Snowflakes();
  const nextId = () => ids.next();
  const book = new CommandBook(nextId);
  const conversations = new Conversations();
  const log = new RequestLog();
  const faults = new Faults();
  const gatewayFaults: GatewayFaults = { ...NO_GATEWAY_FAULTS };
  const { shards = 1, maxConcurrency = 16 } = options;
  const gateway = new Gateway(server, {
    world,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS,
    url: `ws://127.0.0.1:${port}`,
    faults: gatewayFaults,
    limits: { maxConcurrency, windowMs: options.identifyWindowMs ?? 0 },
  });
  const routes = [
    ...interactionRoutes(conversations, world),
    ...applicationRoutes(world, () => ({ url: gateway.url, identifies: gateway.identifies, shards, maxConcurrency })),
    ...commandRoutes(book, world),
  ];
  server.on(
    'request',
    restListener({
      routes,
      isBotToken: (token) => !gatewayFaults.tokenRevoked && token === world.botToken,
      faults,
      image: options.image ?? (() => undefined),
      log,
    }),
  );

  const commandsFor: EmulatedDiscord['commandsFor'] = ({ guildId, manageGuild }) =>
    [...book.list(null), ...(guildId === null ? [] : book.list(guildId))]
      .filter((command) => isVisible(command, { guildId, permissions: memberPermissions(manageGuild) }))
      .map((command) => apiCommand(command, world.applicationId));
  const lifetimes = options.lifetimes ?? DISCORD_LIFETIMES;

  return {
    ...world,
    origin,
    apiUrl: `${origin}/api`,
    commandsFor,
    type: (typed) =>
      typedInteraction(typeCommand(typed, { world, commandsFor, conversations, gateway, nextId, lifetimes, origin })),
    message: (interactionId) => conversations.find(interactionId)?.message,
    messages: () => conversations.messages(),
    onMessage: (listener) => conversations.onMessage(listener),
    requests: log.seen,
    onRequest: (listener) => log.onRequest(listener),
    gateway,
    faults,
    setGatewayFaults: (changed) => void Object.assign(gatewayFaults, changed),
    revokeToken() {
      gatewayFaults.tokenRevoked = true;
      gateway.drop(GatewayCloseCodes.AuthenticationFailed);
    },
    async refuseConnections(refused) {
      if (!refused) return door.open();
      door.shut();
      gateway.drop(1_006);
    },
    async close() {
      conversations.close();
      gateway.close();
      await door.close();
    },
  };
}

function given({ botToken, guilds, members }: EmulatedDiscordOptions): Partial<World> {
  return { ...(botToken !== undefined && { botToken }), ...(guilds && { guilds }), ...(members && { members }) };
}
