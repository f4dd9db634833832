import { ApplicationCommandType as CommandType, GatewayCloseCodes } from 'discord-api-types/v10';

import { apiCommand, isVisible } from './api-command.ts';
import { applicationRoutes } from './application-routes.ts';
import { Autocompletions } from './autocompletions.ts';
import { CommandRegistry } from './command-registry.ts';
import { commandRoutes } from './command-routes.ts';
import { completeOption } from './complete-option.ts';
import { Conversations } from './conversations.ts';
import type { EmulatedDiscord } from './emulated-discord-controls.ts';
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
import { RequestLog } from './request-log.ts';
import { restListener } from './rest.ts';
import { Snowflakes } from './snowflake.ts';
import { submitModal } from './submit-modal.ts';
import { typeCommand } from './type-command.ts';
import { typedInteraction } from './typed-interaction.ts';
import { useComponent } from './use-component.ts';
import { DEFAULT_WORLD, type World } from './world.ts';

export type { EmulatedDiscord } from './emulated-discord-controls.ts';
export type { EmulatedDiscordOptions } from './emulated-discord-options.ts';

const HEARTBEAT_INTERVAL_MS = 41_250; // as in Discord's HELLO

/** Starts a Discord on the loopback interface that enforces Discord's rules. */
export async function startEmulatedDiscord(options: EmulatedDiscordOptions = {}): Promise<EmulatedDiscord> {
  const door = new FrontDoor();
  await door.open(options.port);
  const { server, port } = door;
  const origin = `http://127.0.0.1:${port}`;

  const world: World = { ...DEFAULT_WORLD, ...given(options) };
  const ids = new Snowflakes();
  const nextId = () => ids.next();
  const book = new CommandRegistry(nextId);
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
