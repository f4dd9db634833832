import type {
  APIAttachment,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
  APIPoll,
} from 'discord-api-types/v10';

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

/** A file that a member attaches. */
export interface TypedFile {
  filename: string;
  /** Default: what the name's ending says. */
  contentType?: string;
  bytes: Uint8Array;
}

/** A user, role, channel or mentionable is given by its id; a choice by its name or value. */
export type OptionInput = string | number | boolean | TypedFile;

/** Where a command is used: 0 = a Discord server, 1 = direct messages with the bot, 2 = any other private channel. */
export type PlaceContext = 0 | 1 | 2;

/** Who does something, and where. */
export interface Whereabouts {
  /** Default: the first member. */
  memberId?: string;
  /** Default: the first guild. `null` = direct messages with the bot, or another private channel. */
  guildId?: string | null;
  /** With Manage Server; ignored outside guilds. */
  manageGuild?: boolean;
  /** Told only for a private channel that is not the bot's own (2): a group of all members. */
  context?: PlaceContext;
  /** For whom the app is installed: the guild (default), this member for themselves, or both. In a group only the user counts. */
  installedFor?: 'guild' | 'user' | 'both';
}

/** One typed command. */
export interface TypedCommand extends Whereabouts {
  /** The name; of a subcommand with what leads to it, such as `deck cards add`. */
  command: string;
  options?: Readonly<Record<string, OptionInput>>;
  /** For a command of the menu of a member, or of a message of the bot. */
  target?: { userId: string } | { messageId: string };
}

/** A command that is still being typed. Other options may be missing, and may not fit yet. */
export interface HalfTypedCommand extends Omit<TypedCommand, 'target'> {
  /** The option with the cursor; what is typed of it stands in `options`, or nothing yet. */
  focused: string;
}

/** A suggestion of the bot, with its name in the member's language. */
export interface Choice {
  name: string;
  value: string | number;
}

/** A component of one of the bot's messages is used. By default by whoever the message answers. */
export interface UsedComponent {
  messageId: string;
  customId: string;
  /** Of a select menu: the values of its options, or the ids of what was chosen. */
  values?: readonly string[];
  memberId?: string;
  manageGuild?: boolean;
}

/** A modal is sent off. */
export interface SubmittedModal {
  /** Of the interaction that the bot answered with the modal. */
  interactionId: string;
  /** By the `custom_id` of the field; a field that is missing is left empty. A checkbox is "true" or "false". */
  values: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * How far a typed command got: sent to the bot, acknowledged with "thinking…", answered,
 * or given up by Discord ("The application did not respond", "Something went wrong").
 */
export type ChatState = 'sent' | 'thinking' | 'answered' | 'failed';

/** What a message of the bot shows. */
export interface MessageBody {
  content: string;
  /** Validated, with every picture's `proxy_url` filled in as Discord does; `attachment://` is a served address. */
  embeds: APIEmbed[];
  /** Validated, with served addresses like the embeds. */
  components: APIMessageTopLevelComponent[];
  /** Files below the message: none that an embed shows. Served at their `url`. */
  attachments: APIAttachment[];
  poll?: APIPoll;
}

/** A further message of the bot to the same command. */
export interface FollowUp extends MessageBody {
  messageId: string;
  ephemeral: boolean;
  edited: boolean;
}

/** What the member did: a slash command or one of a menu, or the use of a component or modal. */
export type Trigger = 'command' | 'menu' | 'component' | 'modal';

/** One command and its one reply, as the chat shows them. A snapshot: every change is a new object. */
export interface ChatMessage extends MessageBody {
  interactionId: string;
  /** The id of the reply, from the acknowledgement on. */
  messageId: string | undefined;
  guildId: string | null;
  context: PlaceContext;
  member: Member;
  trigger: Trigger;
  /** As typed, such as `/card id:base1-4`; of a component its label, of a modal its title. */
  commandLine: string;
  state: ChatState;
  /** Discord's words when `state` is `failed`. */
  failure: string | undefined;
  ephemeral: boolean;
  edited: boolean;
  typedAtMs: number;
  answeredAtMs: number | undefined;
  /** The bot removed its reply: there is nothing to show. */
  deleted?: true;
  followUps?: readonly FollowUp[];
  /** The bot's message whose component was used, or that a menu was opened on. */
  sourceMessageId?: string;
  /** The bot changed the source message instead of sending one: there is nothing to show here but follow-ups. */
  updatesSource?: true;
  /** The bot answered with a form: there is nothing to show but the form, for the member alone, to be submitted. */
  modal?: APIModalInteractionResponseCallbackData;
}
