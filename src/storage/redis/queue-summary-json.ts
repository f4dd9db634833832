import { z } from 'zod';
import type { QueueSummary } from '../../lookup/fair-order.ts';

const rank = z.object({ member: z.number(), guild: z.number() });
const requester = z
  .object({ memberId: z.string(), guildId: z.string().optional() })
  .transform(({ memberId, guildId }) => ({ memberId, guildId }));
const Line: z.ZodType<QueueSummary> = z.object({
  waiting: z.array(
    z
      .object({
        lane: z.enum(['members', 'renewals']),
        rank,
        queuedAtMs: z.number(),
        payer: requester,
        requesters: z.array(requester).optional(),
      })
      // A process of an earlier version tells only who pays.
      .transform(({ requesters, ...pending }) => ({ ...pending, requesters: requesters ?? [pending.payer] })),
  ),
  served: z.object({ members: rank, renewals: rank }),
});

export const EMPTY_QUEUE: QueueSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, renewals: { member: 0, guild: 0 } },
};

/** `undefined` for a line of another version: its process still counts as alive. */
export function readQueueSummary(line: string): QueueSummary | undefined {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
