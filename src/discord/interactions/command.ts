import type {
  APIActionRowComponent,
  APIApplicationCommandOptionChoice,
  APIComponentInMessageActionRow,
  APIEmbed,
  ChatInputCommandInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
  RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import type { CardQuery } from '../../model/card.ts';
import type { CommandEvent, Source } from '../../model/events.ts';
import type { ListedLookup, ListOutcome, Reservation } from '../../replies/deferred-replies.ts';
import type { CardList, DeferredReply, Outcome, ReplyFile } from '../../replies/deferred-reply.ts';

export type { CardList } from '../../replies/deferred-reply.ts';

/** What a reply shows. */
export interface Message {
  content?: string;
  embeds?: APIEmbed[];
  /** At most 5 rows. Custom ids begin with the command's name and a colon; they outlive this process and version. */
  components?: APIActionRowComponent<APIComponentInMessageActionRow>[];
  files?: readonly ReplyFile[];
}

/** An interaction without its connection to Discord: who did something where, and until when a reply can be edited. */
export interface Invocation extends Omit<DeferredReply, 'command' | 'query' | 'list' | 'private'> {
  /** Whether the member has Manage Server there. */
  manageGuild: boolean;
}

/** A typed command. */
export interface SlashInvocation extends Invocation {
  options: Pick<ChatInputCommandInteraction['options'], 'getString' | 'getBoolean'>;
}

export type Response =
  | {
      kind: 'reply';
      message: Message;
      private: boolean;
      source: Source;
      /** The id of the card that it is about, for the log. */
      card?: string;
      /** How a list ended, for the log; `answered` without it. */
      end?: Pick<CommandEvent, 'outcome' | 'shown' | 'asked'>;
      /** Replaces the message when it resolves; `undefined` when there is nothing better to show. */
      correction?: Promise<Message | undefined>;
    }
  /** "thinking…" until the lookup that holds this reservation has ended. */
  | { kind: 'defer'; private: boolean; query: CardQuery; reservation: Reservation };

/** What came of the cards that are known, until the lookups of the others have ended. */
export interface ListDeferral {
  kind: 'deferList';
  private: boolean;
  list: CardList;
  /** Of each query. */
  lookups: readonly ListedLookup[];
  /** Gives up what was not started. */
  cancel(): void;
}

/** The message whose button was used goes away. */
export interface Deletion {
  kind: 'delete';
}

/** @throws CardServiceError, shown to the member in private */
type Handler<Given, R = Response> = (invocation: Invocation & Given, services: Services) => Promise<R>;

/** How a button or a select menu of a message was used. */
export interface ComponentUse {
  argument: string;
  /** What is selected; empty for a button. */
  values: readonly string[];
  /** The id of the member whom the message answers; absent when Discord does not say. */
  askedBy?: string | undefined;
  /** Whether whoever used it has Manage Messages there. */
  manageMessages: boolean;
}

/** What Discord is told of a command, and a handler for each way in which a member can use it. It sends nothing itself. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody | RESTPostAPIContextMenuApplicationCommandsJSONBody;
  /** It is typed. */
  run?: Handler<SlashInvocation, Response | ListDeferral>;
  /** It is chosen from the menu of a message with that text, that of its embeds included. */
  runOnMessage?: Handler<{ text: string }, Response | ListDeferral>;
  /**
   * A button or a select menu is used whose custom id is the command's name, a colon and the argument.
   */
  component?: Handler<ComponentUse, Response | Deletion>;
  /** The id of the card that such an argument is about, for the log; `undefined` without one. */
  cardOf?(argument: string): string | undefined;
  /** An option is being typed. At most 25 choices. */
  autocomplete?: Handler<{ option: string; typed: string }, readonly APIApplicationCommandOptionChoice[]>;
  /** For commands that defer: what the reply shows in the end. */
  complete?(reply: DeferredReply, outcome: Outcome, services: Services): Message;
  /** For commands that defer a list: what the reply shows so far, and in the end. */
  completeList?(reply: DeferredReply, outcome: ListOutcome, services: Services): Message;
}
