import { z } from 'zod';
import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';

const CardQuery = z.object({ cardId: z.string(), showPrices: z.boolean(), isResolved: z.boolean().optional() });

/** The cards of a reply that shows several. */
const CardList = z.object({
  queries: z.array(CardQuery).min(1),
  /** What was asked for besides, and means no card or several. */
  unclear: z.array(z.string()),
  /** What could not be looked up among the names, and is more likely one than an id. */
  unsearched: z.array(z.string()).optional(),
});
export type CardList = z.output<typeof CardList>;

/**
 * A deferred reply: all that is needed to complete it, in this process or a later one, which may be of another version.
 * Plain data.
 */
export const DeferredReply = z
  .object({
    interactionId: z.string(),
    applicationId: z.string(),
    /** Secret: it suffices to write the reply. Valid for 15 minutes. */
    token: z.string(),
    /** The command that completes it. */
    command: z.string(),
    /** Of a list, the first. */
    query: CardQuery,
    list: CardList.optional(),
    /** Only the member sees the reply. */
    private: z.boolean().default(false),
    memberId: z.string(),
    /** Absent in direct messages. */
    guildId: z.string().optional(),
    /** The member's Discord locale. */
    locale: z.string(),
    receivedAtMs: z.number(),
    deadlineMs: z.number(),
  })
  .transform(({ guildId, ...reply }) => ({ ...reply, guildId }));
export type DeferredReply = z.output<typeof DeferredReply>;

/** How the lookup of a deferred reply ended. */
export type Outcome = { answer: CardRecord } | { error: CardServiceError };

/** An interaction's token expires 15 minutes after the command; half a minute is kept for the last edit. */
export const REPLY_DEADLINE_MS = 14.5 * 60_000;

/**
 * Deferred replies that outlive their process. Replies are completed from memory; the journal is read only by the process
 * that takes over. No method rejects: a reply that cannot be journaled is completed all the same.
 */
export interface ReplyJournal {
  /**
   * Journals a reply before it is deferred.
   *
   * @returns `false` when another process has journaled it and will complete it
   */
  add(reply: DeferredReply): Promise<boolean>;
  /** @returns whether the reply is journaled, if only now, so that another process will complete it */
  keeps(reply: DeferredReply): Promise<boolean>;
  /** Whether this process is certain to be the only one that completes the reply. Costs nothing. */
  owns(interactionId: string): boolean;
  /** The reply is completed, or cannot be. */
  remove(interactionId: string): Promise<void>;
  /** From now on `complete` is given each reply whose process has ended, also one that is past its deadline. */
  takeOver(complete: (reply: DeferredReply) => void): void;
  /** Leaves the remaining replies to other processes or the next start. */
  close(): Promise<void>;
}

/** What a reply shows. Only commands and Discord look inside an embed or a component. */
export interface ReplyMessage {
  content?: string;
  embeds?: readonly object[];
  /** Rows of buttons and menus. */
  components?: readonly object[];
  /** An embed shows one by the address `attachment://` and its name. */
  files?: readonly ReplyFile[];
}

export interface ReplyFile {
  name: string;
  contentType: string;
  data: Uint8Array;
  /** For those who cannot see it; at most 1,024 characters. */
  description: string;
}

/** What became of a defer. */
export type DeferResult =
  /** The member sees "thinking…". `err`: Discord may have accepted it; completing the reply will show. */
  | { shown: true; err?: unknown }
  /** The member sees no reply to complete; `outcome` is for the log. */
  | { shown: false; outcome: string; err?: unknown };

/**
 * `shown`, `replaced`: the reply shows the message, or a plain sentence because Discord refused the message. `lost`:
 * the reply cannot be changed any more. `failed`: Discord could not be reached; another try may succeed.
 */
export type CompleteResult = 'shown' | 'replaced' | 'lost' | 'failed';

/** Shows deferred replies in Discord, by their token alone: without the gateway or the interaction. No method rejects. */
export interface ReplyEditor {
  /** Shows "thinking…". */
  defer(reply: DeferredReply): Promise<DeferResult>;
  /** Shows when the permit is expected, in place of "thinking…". */
  showWait(reply: DeferredReply, permitAtMs: number): Promise<void>;
  /** Makes the reply show `message` and nothing else. */
  complete(reply: DeferredReply, message: ReplyMessage): Promise<CompleteResult>;
  /** Whether the reply shows an embed, which only an answer has. Costs a request to Discord; `false` when it fails. */
  hasEmbed(reply: DeferredReply): Promise<boolean>;
}
