import type { APIApplicationCommand } from 'discord-api-types/v10';

import type { Answerable } from './callback-rules.ts';
import type { ChatMessage, PlaceContext, Trigger } from './chat.ts';
import type { Conversation } from './conversation.ts';
import type { Conversations } from './conversations.ts';
import type { FileStore } from './file-store.ts';
import type { Gateway } from './gateway.ts';
import type { Lifetimes } from './interaction.ts';
import { interactionPayload } from './interaction-payload.ts';
import { isForcedPrivate, type Owners, type Place } from './place.ts';
import type { Posts } from './posts.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { apiUser, type World } from './world.ts';

/** The parts of the emulated Discord that every interaction uses. */
export interface InteractionServices {
  world: World;
  commandsAt(place: Place): APIApplicationCommand[];
  conversations: Conversations;
  posts: Pick<Posts, 'find'>;
  files: FileStore;
  gateway: Pick<Gateway, 'isKnown' | 'dispatch'>;
  nextId: () => string;
  lifetimes: Lifetimes;
  origin: string;
}

export interface NewInteraction {
  type: Answerable['type'];
  trigger: Trigger;
  /** What the chat shows of it. */
  line: string;
  place: Place;
  owners: Owners;
  data: object;
  source?: { conversation: Conversation; messageId: string; payload: object } | undefined;
  /** Fields of `interaction_metadata` besides the common ones. */
  metadata?: object;
}

/** Starts an interaction and sends it to the bot. @throws Error with a sentence when none is connected */
export function startInteraction(begun: NewInteraction, services: InteractionServices): Conversation {
  const { world, conversations, gateway, nextId, lifetimes, origin, files } = services;
  needBot(services);
  const { type, trigger, place, owners, source, data } = begun;
  const id = nextId();
  const conversation = conversations.start({
    type,
    owners,
    lifetimes,
    nextId,
    origin,
    files,
    channelId: place.channelId,
    isForcedPrivate: isForcedPrivate(place, owners),
    hasSource: source !== undefined,
    source,
    metadata: { id, type, user: apiUser(place.member), authorizing_integration_owners: owners, ...begun.metadata },
    message: {
      ...sentMessage(id, place),
      trigger,
      commandLine: begun.line,
      ...(source && { sourceMessageId: source.messageId }),
    },
  });
  const { token } = conversation.details;
  const message = source?.payload;
  const payload = interactionPayload({ id, token, type, place, owners, data, ...(message && { message }) }, world);
  gateway.dispatch('INTERACTION_CREATE', place.guildId, payload);
  return conversation;
}

/** @throws Error with a sentence */
export function needBot({ gateway }: Pick<InteractionServices, 'gateway'>): void {
  if (!gateway.isKnown) throw new Error('No bot is connected to the emulated Discord.');
}

/** The snapshot of an unanswered interaction. */
export function sentMessage(
  interactionId: string,
  { guildId, member, context }: Pick<Place, 'guildId' | 'member'> & { context: PlaceContext },
): Omit<ChatMessage, 'trigger' | 'commandLine'> {
  return {
    interactionId,
    messageId: undefined,
    guildId,
    context,
    member,
    state: 'sent',
    failure: undefined,
    ephemeral: false,
    edited: false,
    content: '',
    embeds: [],
    components: [],
    attachments: [],
    typedAtMs: snowflakeTimeMs(interactionId),
    answeredAtMs: undefined,
  };
}
