import { z } from 'zod';
import { CardQuery, orUndefined } from './card.ts';
import type { Source } from './events.ts';

/** A command that a member used, without its connection to Discord: who did what where, and how the reply is reached. */
export const Invocation = z.object({
  interactionId: z.string(),
  applicationId: z.string(),
  /** Secret: it suffices to write the reply. Valid for 15 minutes. */
  token: z.string(),
  /** The command's name, also when a button or a menu of its reply was used. */
  command: z.string(),
  memberId: z.string(),
  /** Absent in direct messages. */
  guildId: orUndefined(z.string()),
  /** The member's Discord locale. */
  locale: z.string(),
  receivedAtMs: z.number(),
  /** When the reply can no longer be edited. */
  deadlineMs: z.number(),
});
export type Invocation = z.output<typeof Invocation>;

/** The cards that a command wants to show. One card is a list of one. */
export const Asked = z.object({
  queries: z.array(CardQuery).min(1),
  /** What was asked for besides, and means no card or several. */
  unclear: z.array(z.string()).default([]),
  /** What could not be looked up among the names, and is more likely one than an id. */
  unsearched: z.array(z.string()).default([]),
  /** Only the member sees the reply. */
  isPrivate: z.boolean(),
});
export type Asked = z.output<typeof Asked>;

/** What a command shows at once. */
export interface ImmediateReply<Message> {
  message: Message;
  isPrivate: boolean;
  source: Source;
  /** It replaces the message whose button was used. */
  isInPlace?: boolean;
  /** Replaces the message when it resolves. */
  correction?: Promise<Message>;
}
