import type {
  APIApplicationCommandOptionChoice,
  APIEmbed,
  ChatInputCommandInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
  RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import type { CardQuery } from '../../model/card.ts';
import type { Source } from '../../model/events.ts';
import type { Reservation } from '../../replies/deferred-replies.ts';
import type { DeferredReply, Outcome } from '../../replies/deferred-reply.ts';

/** What a reply shows. */
export interface Message {
  content?: string;
  embeds?: APIEmbed[];
}

/** An interaction without its connection to Discord: who did something where, and until when a reply can be edited. */
export interface Invocation extends Omit<DeferredReply, 'command' | 'query' | 'private'> {
  /** Whether the member has Manage Server there. */
  manageGuild: boolean;
}

/** A typed command. */
export interface SlashInvocation extends Invocation {
  options: Pick<ChatInputCommandInteraction['options'], 'getString' | 'getBoolean'>;
}

/** A command from the menu of a message. */
export interface MessageInvocation extends Invocation {
  /** The content of that message. */
  text: string;
}

/** A button or a select menu. */
export interface ComponentInvocation extends Invocation {
  /** What follows the command's name and a colon in the custom id. */
  argument: string;
  /** The selected values; empty for a button. */
  values: readonly string[];
}

/** An option that is being typed. */
export interface AutocompleteInvocation extends Invocation {
  option: string;
  typed: string;
}

export type Response =
  | {
      kind: 'reply';
      message: Message;
      private: boolean;
      source: Source;
      /** Replaces the message when it resolves; `undefined` when there is nothing better to show. */
      correction?: Promise<Message | undefined>;
    }
  /** "thinking…" until the lookup that holds this reservation has ended. */
  | { kind: 'defer'; private: boolean; query: CardQuery; reservation: Reservation };

/** @throws CardServiceError, shown to the member in private */
type Handler<I extends Invocation, R = Response> = (invocation: I, services: Services) => Promise<R>;

/** What Discord is told of a command, and a handler for each way in which a member can use it. It sends nothing itself. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody | RESTPostAPIContextMenuApplicationCommandsJSONBody;
  run?: Handler<SlashInvocation>;
  runOnMessage?: Handler<MessageInvocation>;
  /** Buttons and select menus whose custom id begins with the command's name and a colon. */
  component?: Handler<ComponentInvocation>;
  /** At most 25 choices. */
  autocomplete?: Handler<AutocompleteInvocation, readonly APIApplicationCommandOptionChoice[]>;
  /** For commands that defer: what the reply shows in the end. */
  complete?(reply: DeferredReply, outcome: Outcome, services: Services): Message;
}
