import { z } from 'zod';
import type { ShownBot } from './bot.ts';
import { type CardServiceState, type SeenRequest, Switches } from './card-service-controls.ts';
import type { ChatMessage, Guild, Member, Post } from './discord/chat.ts';
import type { CommandOption } from './discord/command-option-rules.ts';
import type { ShownGuide } from './guide.ts';

/** A member and the place where they act; `guildId: null` = direct messages, or with the context 2 a group. */
const WHEREABOUTS = {
  ...{ memberId: z.string(), guildId: z.string().nullable(), manageGuild: z.boolean() },
  context: z.literal([0, 1, 2]).exactOptional(),
};

// Discord's own limit of a string option (max_length up to 6000)
const Options = z.record(z.string(), z.union([z.string().max(6000), z.number(), z.boolean()])).default({});

/** `POST /api/commands`: a typed command, or one picked in the context menu of a message. */
export const TypeCommand = z.strictObject({
  command: z.string().min(1).max(32),
  options: Options,
  target: z.strictObject({ messageId: z.string() }).optional(),
  ...WHEREABOUTS,
});
export type TypeCommand = z.infer<typeof TypeCommand>;

/** `POST /api/choices`: the bot's suggestions for the option with the cursor. */
export const CompleteOption = TypeCommand.omit({ target: true }).extend({ focused: z.string() });
export type CompleteOption = z.infer<typeof CompleteOption>;

/** `POST /api/components`: a click on a button or, with `values`, a choice in a select menu. */
export const UseComponent = z.strictObject({
  messageId: z.string(),
  customId: z.string().min(1).max(100),
  values: z.array(z.string()).max(25).optional(),
  memberId: z.string(),
  manageGuild: z.boolean(),
});
export type UseComponent = z.infer<typeof UseComponent>;

/** `POST /api/forms`: the submission of the form with which the bot answered an interaction. */
export const SubmitForm = z.strictObject({
  interactionId: z.string(),
  values: z.record(z.string(), z.string().max(4_000)),
});
export type SubmitForm = z.infer<typeof SubmitForm>;

/** `POST /api/switches`: the storm has its own route, because its end is on the server's clock. */
export const ChangeSwitches = Switches.omit({ stormUntilMs: true }).partial();
export type ChangeSwitches = z.infer<typeof ChangeSwitches>;

/** `POST /api/storm`: 0 ends a storm. */
export const StartStorm = z.strictObject({ durationMs: z.int().min(0).max(86_400_000) });
export type StartStorm = z.infer<typeof StartStorm>;

/** `POST /api/posts`: a message that is no command. */
export const WritePost = z.strictObject({ content: z.string(), ...WHEREABOUTS });
export type WritePost = z.infer<typeof WritePost>;

/** `POST /api/guide`: begins a step of the guided minute, and ends the one that runs. */
export const PressStep = z.strictObject({ step: z.string() });

/** The empty body of a `POST`. */
export const Nothing = z.strictObject({});

/**
 * `GET /api/commands?memberId=…&guildId=…&context=0&manageGuild=true`: what a member can use there; no `guildId` = direct
 * messages, or with the context 2 a group.
 */
export interface ShownCommands {
  /** Those that they see after typing `/`. */
  commands: ShownCommand[];
  /** The names of the context menu commands of a message. */
  menu: string[];
}

export interface ShownCommand {
  name: string;
  description: string;
  /** As they were registered. */
  options: CommandOption[];
}

export interface ShownRequest extends SeenRequest {
  /** Why it was sent, such as `for Alice`; `undefined`: the bot's log does not say. */
  reason: string | undefined;
}

/** One Server-Sent Event of `GET /api/events`: the complete state of the page. */
export interface Snapshot {
  guilds: readonly Guild[];
  /** Those without the bot. */
  foreignGuilds: readonly Guild[];
  members: readonly Member[];
  /** The latest, oldest first. */
  messages: ChatMessage[];
  /** What members wrote, oldest first. */
  posts: readonly Post[];
  service: CardServiceState;
  /** The latest, oldest first. */
  requests: ShownRequest[];
  requestCount: number;
  gatewaySessions: number;
  /** `undefined`: the bot is not the sandbox's own. */
  bot: ShownBot | undefined;
  guide: ShownGuide | undefined;
}
