import { z } from 'zod';
import { CardQuery, optional, orUndefined } from './card.ts';

/**
 * A command that a member used, without its connection to Discord: who did what where, and how the reply is reached.
 */
export const Invocation = z.object({
  interactionId: z.string(),
  /** What the reply is reached by. Kept apart, so that it is handed to nobody who wants to know who asks. */
  webhook: z.object({
    applicationId: z.string(),
    /** Secret: it suffices to write the reply. Valid for 15 minutes. */
    token: z.string(),
  }),
  /** The command's name, also when a button or a menu of its reply was used. */
  command: z.string(),
  requester: z.object({
    memberId: z.string(),
    /** Absent in direct messages. */
    guildId: orUndefined(z.string()),
    /** The channel of direct messages, also those of a group; absent in servers. */
    channelId: orUndefined(z.string()).optional(),
    /** Whether the install of a server counts; otherwise a member brought the bot along. */
    isInstalled: z.boolean(),
  }),
  /** Otherwise Discord shows every reply to the member alone: a foreign server keeps *Use External Apps* from them. */
  canReplyPublicly: z.boolean(),
  /** The member's Discord locale: what is said to them alone. What a public reply shows is rendered for its server. */
  locale: z.string(),
  /** The server's Discord locale; absent in direct messages. */
  guildLocale: optional(z.string()),
  receivedAtMs: z.number(),
  /** When the reply can no longer be edited. */
  deadlineMs: z.number(),
});
export type Invocation = z.output<typeof Invocation>;

/** What those who manage a Discord server have set for everyone in it. */
export interface ServerSettings {
  /** The code of the language that public replies speak; absent: automatic. */
  language?: string | undefined;
  /** Whether a reply is private when the member does not say. */
  isPrivate: boolean;
}

export const NOTHING_SET: ServerSettings = { isPrivate: false };

const optionalText = optional(z.string());

/** A card as a list shows it: it need not have been looked up. `knownAs`: another name of it, which was typed. */
export const ListedCard = z.object({
  id: z.string(),
  name: z.string(),
  set: optionalText,
  number: optionalText,
  knownAs: optionalText,
});
export type ListedCard = z.output<typeof ListedCard>;

/** At most 25 of the cards that may be meant. */
export interface CardPage {
  cards: readonly ListedCard[];
  /** From 0. */
  page: number;
  /** How many cards there are on all pages. */
  total: number;
  /** What all of them are called; absent when they have different names, and no further pages. */
  name?: string;
}

/** A text that means no known card, or several, and the first cards that it may mean. */
export const Unclear = z.object({
  text: z.string(),
  cards: z.array(ListedCard).readonly(),
  /** How many cards it means; 0 when those that are given are only similar. */
  total: z.number(),
});
export type Unclear = z.output<typeof Unclear>;

/** The cards that a command wants to show. One card is a list of one. */
export const Asked = z.object({
  queries: z.array(CardQuery).min(1),
  /** What was asked for besides. */
  unclear: z.array(Unclear),
  /** What could not be looked up among the names, and is more likely one than an id. */
  unsearched: z.array(z.string()),
  /** Only the member sees the reply. */
  isPrivate: z.boolean(),
  /** The language of public replies that the server has set; absent: automatic. */
  language: optional(z.string()),
});
export type Asked = Omit<z.output<typeof Asked>, 'queries'> & {
  queries: readonly CardQuery[];
  /** The cards are those of a pasted list, which is shown instead. */
  list?: AskedList | undefined;
};

/** A pasted list, of which there may be no card to look up. */
export const AskedList = z.object({
  id: z.string(),
  /** How many requests its lookups may cost from now on: it goes down with each. */
  left: z.number(),
});
export type AskedList = z.infer<typeof AskedList>;
