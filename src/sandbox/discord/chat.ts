import type { APIEmbed } from 'discord-api-types/v10';

/** Somebody who types commands in the emulated Discord. */
export interface Member {
  id: string;
  name: string;
  /** Discord locale, such as `en-US` or `de`. */
  locale: string;
}

export interface Guild {
  id: string;
  name: string;
}

/** One typed command. `guildId: null` is the member's direct messages with the bot. */
export interface TypedCommand {
  command: string;
  options?: Record<string, string | number | boolean>;
  memberId?: string;
  guildId?: string | null;
  /** With Manage Server; ignored in direct messages. */
  manageGuild?: boolean;
}

/**
 * How far a typed command got: sent to the bot, acknowledged with "thinking…", answered,
 * or given up by Discord ("The application did not respond", "Something went wrong").
 */
export type ChatState = 'sent' | 'thinking' | 'answered' | 'failed';

/** A further message of the bot to the same command. */
export interface FollowUp {
  messageId: string;
  ephemeral: boolean;
  edited: boolean;
  content: string;
  embeds: APIEmbed[];
}

/** One command and its one reply, as the chat shows them. A snapshot: every change is a new object. */
export interface ChatMessage {
  interactionId: string;
  /** The id of the reply, from the acknowledgement on. */
  messageId: string | undefined;
  guildId: string | null;
  member: Member;
  /** As typed, such as `/card id:base1-4`. */
  commandLine: string;
  state: ChatState;
  /** Discord's words when `state` is `failed`. */
  failure: string | undefined;
  ephemeral: boolean;
  edited: boolean;
  content: string;
  /** Validated, with `image.proxy_url` filled in as Discord does. */
  embeds: APIEmbed[];
  typedAtMs: number;
  answeredAtMs: number | undefined;
  /** The bot removed its reply: there is nothing to show. */
  deleted?: true;
  followUps?: readonly FollowUp[];
}
