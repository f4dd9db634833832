import { z } from 'zod';
import type { LineSummary } from '../lookup/peers.ts';

const rank = z.object({ member: z.number(), guild: z.number() });
const asker = z
  .object({ memberId: z.string(), guildId: z.string().optional() })
  .transform(({ memberId, guildId }) => ({ memberId, guildId }));
const Line: z.ZodType<LineSummary> = z.object({
  waiting: z.array(
    z
      .object({
        lane: z.enum(['members', 'background']),
        rank,
        place: z.number(),
        payer: asker,
        askers: z.array(asker).optional(),
      })
      // A process of an earlier version tells only who pays.
      .transform(({ askers, ...flight }) => ({ ...flight, askers: askers ?? [flight.payer] })),
  ),
  served: z.object({ members: rank, background: rank }),
});

export const EMPTY_LINE: LineSummary = {
  waiting: [],
  served: { members: { member: 0, guild: 0 }, background: { member: 0, guild: 0 } },
};

/** `undefined` for a line of another version: its process still counts as alive. */
export function readLine(line: string): LineSummary | undefined {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
