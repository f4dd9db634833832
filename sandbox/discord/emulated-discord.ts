import { ApplicationCommandType as CommandType, GatewayCloseCodes } from 'discord-api-types/v10';

import { apiCommand, isVisible } from './api-command.ts';
import { applicationRoutes } from './application-routes.ts';
import { Autocompletions } from './autocompletions.ts';
import { ChannelOpenings, type OpeningLimit } from './channel-openings.ts';
import type { HalfTypedCommand, SubmittedModal, TypedCommand, UsedComponent, Whereabouts } from './chat.ts';
import { CommandRegistry, commandRoutes } from './command-registry.ts';
import { Conversations } from './conversations.ts';
import { directMessageRoutes } from './direct-message-routes.ts';
import type { EmulatedDiscordOptions } from './emulated-discord-options.ts';
import { Faults } from './faults.ts';
import { FileStore } from './file-store.ts';
import { FrontDoor } from './front-door.ts';
import { Gateway } from './gateway.ts';
import { type GatewayFaults, noGatewayFaults } from './gateway-faults.ts';
import { DISCORD_LIFETIMES } from './interaction.ts';
import { interactionRoutes } from './interaction-routes.ts';
import type { Moderation } from './moderation.ts';
import { type Place, placeOf } from './place.ts';
import { Posts } from './posts.ts';
import { RequestLog, type SeenRestRequest } from './request-log.ts';
import { answersRequests, restAnswers, restListener } from './rest.ts';
import { Snowflakes } from './snowflake.ts';
import { submitModal } from './submit-modal.ts';
import { completeOption, typeCommand } from './type-command.ts';
import { typedInteraction } from './typed-interaction.ts';
import { useComponent } from './use-component.ts';
import { DEFAULT_WORLD, type World } from './world.ts';

export type { EmulatedDiscordOptions } from './emulated-discord-options.ts';

/** Controls of the emulated Discord: actions of members, observation, and faults. */
export type EmulatedDiscord = Awaited<ReturnType<typeof startEmulatedDiscord>>;

const HEARTBEAT_INTERVAL_MS = 41_250; // as in Discord's HELLO

/** Starts a Discord that enforces Discord's rules, on the loopback interface unless it shall have no server. */
export async function startEmulatedDiscord(options: EmulatedDiscordOptions = {}) {
  const door = options.withoutServerAt ? undefined : new FrontDoor();
  await door?.open(options.port);
  const origin = options.withoutServerAt ?? `http://127.0.0.1:${door?.port}`;

  const { applicationId, botToken, guilds, foreignGuilds, members } = { ...DEFAULT_WORLD, ...options };
  const world: World = { applicationId, botToken, guilds, foreignGuilds, members };
  const ids = new Snowflakes();
  const nextId = () => ids.next();
  const book = new CommandRegistry(nextId);
  const conversations = new Conversations();
  const autocompletions = new Autocompletions();
  const files = new FileStore(origin, nextId);
  const posts = new Posts(world, nextId);
  const log = new RequestLog();
  const faults = new Faults();
  const refusing = new Set<string>();
  const openings = new ChannelOpenings();
  const gatewayFaults = noGatewayFaults();
  const moderation: Moderation = { refuses: () => false, blocks: () => false };
  const { shards = 1, maxConcurrency = 16 } = options;
  const gateway = new Gateway({
    world,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS,
    url: origin.replace('http', 'ws'),
    faults: gatewayFaults,
    limits: { maxConcurrency, windowMs: options.identifyWindowMs ?? 0 },
  });
  const routes = {
    ...interactionRoutes(conversations, autocompletions, world, moderation),
    ...directMessageRoutes({ world, conversations, refusing, openings, files, nextId, origin }),
    ...applicationRoutes(world, gateway, { shards, maxConcurrency }),
    ...commandRoutes(book, world),
  };
  const answer = restAnswers({
    routes,
    isBotToken: (token) => !gatewayFaults.tokenRevoked && token === world.botToken,
    faults,
    image: options.image ?? (() => undefined),
    files,
    log,
  });
  door?.server.on('request', restListener(answer));
  if (door) gateway.listenOn(door.server);

  const commandsAt = (place: Place) =>
    [...book.list(null), ...(place.guildId === null ? [] : book.list(place.guildId))]
      .filter((command) => isVisible(command, place))
      .map((command) => apiCommand(command, world.applicationId));
  const { lifetimes = DISCORD_LIFETIMES } = options;
  const services = { world, commandsAt, conversations, posts, files, gateway, nextId, lifetimes, origin };

  return {
    ...world,
    /** `http://127.0.0.1:PORT` */
    origin,
    /** For discord.js' `rest.api`. */
    apiUrl: `${origin}/api`,
    /** Like `fetch` for this Discord, without a socket. */
    answer: answersRequests(answer),
    /** Slash commands visible to a member there: global ones and the guild's, so a name may occur twice. */
    commandsFor: (at: Whereabouts) =>
      commandsAt(placeOf(at, world)).filter(({ type }) => type === CommandType.ChatInput),
    /** Context menu commands of messages that are visible to a member there. */
    menuCommandsFor: (at: Whereabouts) =>
      commandsAt(placeOf(at, world)).filter(({ type }) => type === CommandType.Message),
    /** Sends a command to the bot. @throws Error with a sentence when it is invalid or no bot is connected. */
    type: (typed: TypedCommand) => typedInteraction(typeCommand(typed, services)),
    /** Resolves to the bot's choices for the focused option. Rejects with a sentence, such as "Loading options failed" after 3 s. */
    complete: (typed: HalfTypedCommand) => completeOption(typed, services, autocompletions),
    /** Clicks a button. @throws Error with a sentence. */
    click: (used: Omit<UsedComponent, 'values'>) => typedInteraction(useComponent(used, services)),
    /** Chooses in a select menu. @throws Error with a sentence. */
    choose: (used: UsedComponent & { values: readonly string[] }) => typedInteraction(useComponent(used, services)),
    /** Submits the modal with which the bot answered an interaction. @throws Error with a sentence. */
    submit: (modal: SubmittedModal) => typedInteraction(submitModal(modal, services)),
    /** Deletes a message of the bot by Discord's own means, of which the bot is not told. */
    dismiss: (messageId: string) => conversations.holder(messageId)?.dismiss(messageId),
    /** Writes a message. @throws Error with a sentence. */
    post: (posted: Whereabouts & { content: string }) => posts.add(posted),
    /** The last hundred messages that members wrote, oldest first. */
    posts: () => posts.last,
    onPost: posts.onChange,
    /** Whether a member takes direct messages of the bot; by default everyone does. */
    takesMessages: (memberId: string, takes: boolean) => void refusing[takes ? 'delete' : 'add'](memberId),
    /** Limits how many channels of direct messages may be opened at a time, or ends that. */
    limitOpenings: (limit: OpeningLimit | undefined) => openings.limit(limit),
    openings: openings.counts as Readonly<ChannelOpenings['counts']>,
    /** Removes all that members wrote and all uses of commands; the bot stays connected. */
    clearChat() {
      conversations.clear();
      posts.clear();
    },
    message: (interactionId: string) => conversations.find(interactionId)?.message,
    /** All open messages and the last thousand finished ones, oldest first. */
    messages: () => conversations.messages(),
    /** Every new snapshot of every message. Returns an unsubscribe. */
    onMessage: conversations.onMessage,
    /** The last thousand REST requests, oldest first. */
    requests: log.seen as readonly SeenRestRequest[],
    onRequest: log.onRequest,
    gateway,
    /** Faults of REST requests. */
    faults,
    /** What it refuses in replies from now on; omitted is unchanged. */
    moderate: (changed: Partial<Moderation>) => void Object.assign(moderation, changed),
    /** Sets faults of the gateway; omitted ones are unchanged. */
    setGatewayFaults: (changed: Partial<GatewayFaults>) => void Object.assign(gatewayFaults, changed),
    /** From now on the bot's token is refused everywhere, and every gateway connection is closed with 4004. */
    revokeToken() {
      gatewayFaults.tokenRevoked = true;
      gateway.drop(GatewayCloseCodes.AuthenticationFailed);
    },
    /** Breaks every connection and refuses new ones, or accepts them again. */
    async refuseConnections(refused: boolean) {
      if (!refused) return door?.open();
      door?.shut();
      gateway.drop(1_006);
    },
    /** Does not wait for open connections. */
    async close() {
      conversations.close();
      autocompletions.close();
      gateway.close();
      await door?.close();
    },
  };
}
