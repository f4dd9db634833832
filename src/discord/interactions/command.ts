import type {
  APIEmbed,
  ChatInputCommandInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import type { Reservation } from '../../lookup/admission.ts';
import type { CardQuery } from '../../model/card.ts';
import type { DeferredReply, Outcome } from '../../replies/deferred-reply.ts';

/** What a reply shows. */
export interface Message {
  content?: string;
  embeds?: APIEmbed[];
}

/** One typed command, without the wire. */
export interface Invocation extends Omit<DeferredReply, 'command' | 'query' | 'private'> {
  /** Whether the member has Manage Server there. */
  manageGuild: boolean;
  options: Pick<ChatInputCommandInteraction['options'], 'getString' | 'getBoolean'>;
}

/** Where an answer came from, for the log. */
export type Source = 'cache' | 'stale' | 'service' | 'bot';

export type Response =
  | {
      kind: 'reply';
      message: Message;
      private: boolean;
      source: Source;
      /** Replaces the message when it comes; nothing when there is nothing better to show. */
      correction?: Promise<Message | undefined>;
    }
  /** Nothing to show yet: "thinking…" until the question had its turn, for which it holds a place. */
  | { kind: 'defer'; private: boolean; query: CardQuery; reservation: Reservation };

/** A slash command: what Discord is told of it, and what it does. It sends nothing itself. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** @throws CardServiceError with words for the member; they are told in private. */
  run(invocation: Invocation, services: Services): Promise<Response>;
  /** For commands that owe: what to show in the end. */
  complete?(deferred: DeferredReply, outcome: Outcome, services: Services): Message;
}
