import { z } from 'zod';
import type { QueueSummary } from '../../lookup/fair-order.ts';

const rank = z.object({ member: z.number(), guild: z.number() });
const requester = z
  .object({ memberId: z.string(), guildId: z.string().optional() })
  .transform(({ memberId, guildId }) => ({ memberId, guildId }));
const StoredSummary: z.ZodType<QueueSummary> = z.object({
  waiting: z.array(
    z
      .object({
        lane: z.enum(['members', 'renewals']),
        rank,
        queuedAtMs: z.number(),
        payer: requester,
        requesters: z.array(requester).optional(),
      })
      // A process of an earlier version writes the payer only.
      .transform(({ requesters, ...pending }) => ({ ...pending, requesters: requesters ?? [pending.payer] })),
  ),
  served: z.object({ members: rank, renewals: rank }),
});

export const EMPTY_QUEUE: QueueSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, renewals: { member: 0, guild: 0 } },
};

/** @returns `undefined` for the summary of another version, whose process still counts as alive */
export function readQueueSummary(json: string): QueueSummary | undefined {
  try {
    return StoredSummary.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
