import { z } from 'zod';
import type { DeferredReply } from './deferred-reply.ts';

/** A debt as an earlier process, maybe of another version, has written it down. */
export const StoredReply = z
  .object({
    interactionId: z.string(),
    applicationId: z.string(),
    token: z.string(),
    command: z.string(),
    query: z.object({ cardId: z.string(), showPrices: z.boolean() }),
    private: z.boolean().default(false),
    memberId: z.string(),
    guildId: z.string().optional(),
    locale: z.string(),
    receivedAtMs: z.number(),
    deadlineMs: z.number(),
  })
  .transform(({ guildId, ...deferred }): DeferredReply => ({ ...deferred, guildId }));
