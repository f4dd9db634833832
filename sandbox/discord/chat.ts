import type {
  APIActionRowComponent,
  APIAttachment,
  APIButtonComponent,
  APIEmbed,
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  APIStringSelectComponent,
  APITextInputComponent,
  ApplicationCommandOptionType as OptionType,
} from 'discord-api-types/v10';

/** A person who types commands in the emulated Discord. */
export interface Member {
  id: string;
  name: string;
  /** Discord locale, such as `en-US` or `de`. */
  locale: string;
}

export interface Guild {
  id: string;
  name: string;
  /** What the server chose; default `en-US`, which Discord also states for a server that chose none. */
  locale?: string;
  /** Whether members have Use External Apps; default true. */
  externalApps?: boolean;
}

export type OptionValue = string | number | boolean;

/** Where a command is used: 0 = a Discord server, 1 = direct messages with the bot, 2 = any other private channel. */
export type PlaceContext = 0 | 1 | 2;

/** A member, and the place where they act. */
export interface Whereabouts {
  /** Default: the first member. */
  memberId?: string;
  /** Default: the first guild. `null` = direct messages with the bot, or another private channel. */
  guildId?: string | null;
  /** Whether the member has Manage Server; ignored outside guilds. */
  manageGuild?: boolean;
  /** Whether the member has Manage Messages; ignored outside guilds. */
  manageMessages?: boolean;
  /** Only needed for a private channel without the bot (2): a group of all members. */
  context?: PlaceContext;
  /** For whom the app is installed; only the member's own counts in a foreign guild and in a group. Default: all that is needed there. */
  installedFor?: 'guild' | 'user' | 'both';
}

export type Translations = Readonly<Record<string, string>> | null;

/** An option of a command as Discord stores it: `required` and `autocomplete` only when true. */
export interface CommandOption {
  type: OptionType.String | OptionType.Integer | OptionType.Boolean | OptionType.Number;
  name: string;
  description: string;
  name_localizations: Translations;
  description_localizations: Translations;
  required?: true;
  autocomplete?: true;
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

/** One typed command. */
export interface TypedCommand extends Whereabouts {
  command: string;
  options?: Readonly<Record<string, OptionValue>>;
  /** For the context menu command of a message. */
  target?: { messageId: string } | undefined;
}

/** A command that is still being typed. Other options may be missing or invalid. */
export interface HalfTypedCommand extends Omit<TypedCommand, 'target'> {
  /** The option with the cursor; its text so far is in `options`, if any. */
  focused: string;
}

/** A suggestion of the bot; the name is in the member's language. */
export interface Choice {
  name: string;
  value: string;
}

/** A component that a member can use: all except links have a `custom_id`. */
export type UsableComponent = APIButtonComponent | APIStringSelectComponent;

/** What a message has of them. */
export type Row = APIActionRowComponent<UsableComponent>;

/** What a form has of them. */
export type Field = APILabelComponent & { component: APITextInputComponent };

/** A form with which a bot answers. */
export type Modal = Omit<APIModalInteractionResponseCallbackData, 'components'> & { components: Field[] };

/** The use of a component of a bot message. Default: by the member whom the message answers. */
export interface UsedComponent {
  messageId: string;
  customId: string;
  /** For a select menu: the values of its options. */
  values?: readonly string[];
  memberId?: string;
  manageGuild?: boolean;
  manageMessages?: boolean;
}

/** The submission of a modal. */
export interface SubmittedModal {
  /** The interaction that the bot answered with the modal. */
  interactionId: string;
  /** By the `custom_id` of the field; missing fields are empty. */
  values: Readonly<Record<string, string>>;
}

/**
 * The state of a typed command: sent to the bot, acknowledged with "thinking…", answered,
 * or given up by Discord ("The application did not respond", "Something went wrong").
 */
export type ChatState = 'sent' | 'thinking' | 'answered' | 'failed';

/** The visible content of a bot message. */
export interface MessageBody {
  content: string;
  /** Validated, with the `proxy_url` of every picture as Discord sets it; `attachment://` is replaced by a served address. */
  embeds: APIEmbed[];
  /** Validated. */
  components: Row[];
  /** Files below the message, without those that an embed shows. Served at their `url`. */
  attachments: APIAttachment[];
}

/** A follow-up message to the same command. */
export interface FollowUp extends MessageBody {
  messageId: string;
  ephemeral: boolean;
  edited: boolean;
}

/**
 * What the member did: a slash command, a context menu command, or the use of a component or modal; wrote a message: `post`,
 * of which the bot is told only when somebody uses its menu; nothing: `message`, which the bot sent by itself.
 */
export type Trigger = 'command' | 'menu' | 'component' | 'modal' | 'message' | 'post';

/** A snapshot of one command and its reply in the chat: every change is a new object. */
export interface ChatMessage extends MessageBody {
  interactionId: string;
  /** The id of the reply, from the acknowledgement on. */
  messageId: string | undefined;
  guildId: string | null;
  context: PlaceContext;
  member: Member;
  trigger: Trigger;
  /** What was typed, such as `/card id:base1-4`, or the label of a component, or the title of a modal; otherwise empty. */
  commandLine: string;
  state: ChatState;
  /** Discord's sentence when `state` is `failed`. */
  failure: string | undefined;
  ephemeral: boolean;
  edited: boolean;
  typedAtMs: number;
  answeredAtMs: number | undefined;
  /** The bot deleted its reply. */
  deleted?: true;
  followUps?: readonly FollowUp[];
  /** The bot changed the source message instead of sending one: only follow-ups are shown here. */
  updatesSource?: true;
  /** The bot answered with a form, which is shown to the member alone until it is submitted. */
  modal?: Modal;
}
