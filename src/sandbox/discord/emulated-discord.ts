import {
  type APIApplicationCommand,
  ApplicationCommandType as CommandType,
  GatewayCloseCodes,
} from 'discord-api-types/v10';

import { apiCommand, isVisible } from './api-command.ts';
import { applicationRoutes } from './application-routes.ts';
import { Autocompletions } from './autocompletions.ts';
import type {
  ChatMessage,
  Choice,
  Guild,
  HalfTypedCommand,
  Member,
  SubmittedModal,
  TypedCommand,
  UsedComponent,
  Whereabouts,
} from './chat.ts';
import { CommandBook } from './command-book.ts';
import { commandRoutes } from './command-routes.ts';
import { completeOption } from './complete-option.ts';
import { Conversations } from './conversations.ts';
import type { EmulatedDiscordOptions } from './emulated-discord-options.ts';
import { Faults } from './faults.ts';
import { FileStore } from './file-store.ts';
import { FrontDoor } from './front-door.ts';
import { Gateway } from './gateway.ts';
import { type GatewayFaults, NO_GATEWAY_FAULTS } from './gateway-faults.ts';
import { channelsOf, rolesOf } from './guild-contents.ts';
import { DISCORD_LIFETIMES } from './interaction.ts';
import { interactionRoutes } from './interaction-routes.ts';
import { type Place, placeOf } from './place.ts';
import { RequestLog, type SeenRestRequest } from './request-log.ts';
import { restListener } from './rest.ts';
import { Snowflakes } from './snowflake.ts';
import { submitModal } from './submit-modal.ts';
import { typeCommand } from './type-command.ts';
import { type TypedInteraction, typedInteraction } from './typed-interaction.ts';
import { useComponent } from './use-component.ts';
import { DEFAULT_WORLD, type World } from './world.ts';

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
  readonly rolesOf: typeof rolesOf;
  readonly channelsOf: typeof channelsOf;
  /** Slash commands that a member sees there: global ones and the guild's, so a name may show up twice. */
  commandsFor(at: Whereabouts): APIApplicationCommand[];
  /** The commands of a member's menu (`type` 2) and of a message's (3) that a member sees there. */
  menuCommandsFor(at: Whereabouts): APIApplicationCommand[];
  /** Sends a command to the bot. @throws Error in plain words when it cannot be typed, or no bot is connected. */
  type(typed: TypedCommand): TypedInteraction;
  /** The bot's choices for the focused option. Rejects with a sentence, such as "Loading options failed" after 3 s. */
  complete(typed: HalfTypedCommand): Promise<Choice[]>;
  /** Clicks a button. @throws Error in plain words. */
  click(used: Omit<UsedComponent, 'values'>): TypedInteraction;
  /** Chooses in a select menu. @throws Error in plain words. */
  choose(used: UsedComponent & { values: readonly string[] }): TypedInteraction;
  /** Sends off the modal that the bot answered an interaction with. @throws Error in plain words. */
  submit(modal: SubmittedModal): TypedInteraction;
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
    | 'reset'
    | 'requestReconnect'
    | 'send'
    | 'whenReady'
    | 'whenUp'
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
  const autocompletions = new Autocompletions();
  const files = new FileStore(origin, nextId);
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
    ...interactionRoutes(conversations, autocompletions, world),
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
      files,
      log,
    }),
  );

  const commandsAt = (place: Place) =>
    [...book.list(null), ...(place.guildId === null ? [] : book.list(place.guildId))]
      .filter((command) => isVisible(command, place))
      .map((command) => apiCommand(command, world.applicationId));
  const { lifetimes = DISCORD_LIFETIMES } = options;
  const services = { world, commandsAt, conversations, files, gateway, nextId, lifetimes, origin };

  return {
    ...world,
    origin,
    apiUrl: `${origin}/api`,
    rolesOf,
    channelsOf,
    commandsFor: (at) => commandsAt(placeOf(at, world)).filter(({ type }) => type === CommandType.ChatInput),
    menuCommandsFor: (at) => commandsAt(placeOf(at, world)).filter(({ type }) => isMenu(type)),
    type: (typed) => typedInteraction(typeCommand(typed, services)),
    complete: (typed) => completeOption(typed, services, autocompletions),
    click: (used) => typedInteraction(useComponent(used, services)),
    choose: (used) => typedInteraction(useComponent(used, services)),
    submit: (modal) => typedInteraction(submitModal(modal, services)),
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
      autocompletions.close();
      gateway.close();
      await door.close();
    },
  };
}

function given({ botToken, guilds, members }: EmulatedDiscordOptions): Partial<World> {
  return { ...(botToken !== undefined && { botToken }), ...(guilds && { guilds }), ...(members && { members }) };
}

function isMenu(type: CommandType): boolean {
  return type === CommandType.User || type === CommandType.Message;
}
