import type {
  APIEmbed,
  ChatInputCommandInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { CardLookup } from '../lookup/card-lookup.ts';
import type { Place } from '../lookup/place.ts';
import type { UsageDesk } from '../lookup/usage-desk.ts';
import type { WaitingLine } from '../lookup/waiting-line.ts';
import type { Budget } from '../quota/budget.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Pacer } from '../quota/pacer.ts';
import type { NumberFormats } from '../render/numbers.ts';
import type { CardQuestion, Debt, Outcome } from '../replies/debt.ts';

/** What a reply shows. */
export interface Message {
  content?: string;
  embeds?: APIEmbed[];
}

/** One typed command, without the wire. */
export interface Asked extends Omit<Debt, 'command' | 'question' | 'deadlineMs' | 'private'> {
  /** Whether the member has Manage Server there. */
  manageGuild: boolean;
  options: Pick<ChatInputCommandInteraction['options'], 'getString' | 'getBoolean'>;
}

/** Where an answer came from, for the log. */
export type Source = 'cache' | 'old copy' | 'service' | 'bot';

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
  | { kind: 'owe'; private: boolean; question: CardQuestion; place: Place };

/** The parts that commands may use. */
export interface Parts {
  lookup: CardLookup;
  line: WaitingLine;
  usage: UsageDesk;
  budget: Budget;
  pacer: Pacer;
  ledger: Ledger;
  numbers: NumberFormats;
  /** Nobody waits longer for a turn. */
  longestWaitMs: number;
}

/** A slash command: what Discord is told of it, and what it does. It sends nothing itself. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** @throws CardServiceError with words for the member; they are told in private. */
  run(asked: Asked, parts: Parts): Promise<Response>;
  /** For commands that owe: what to show in the end. */
  pay?(debt: Debt, outcome: Outcome, parts: Parts): Message;
}
