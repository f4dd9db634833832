import { z } from 'zod';
import type { CardRecord } from '../model/card.ts';
import type { CardServiceError } from '../model/errors.ts';

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
    query: z.object({ cardId: z.string(), showPrices: z.boolean() }),
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
