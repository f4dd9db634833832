import { describe, expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { runChaos } from '../chaos/run.ts';
import { chaosSchedule } from '../chaos/schedule.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';

/** A busy machine may take longer than Discord's 3 s over a first answer, and still loses none. */
const LIFETIMES = { ackMs: 10_000, tokenMs: 900_000 };

/** So many different faults fit into three seconds; the seeds are those of many by which most do. */
const THICK = { seconds: 3, meanBetweenFaultsMs: 200, lifetimes: LIFETIMES };

describe('chaos', () => {
  // Among these the bot is killed, and its card store locked and damaged.
  it('loses no question, whatever breaks', { timeout: 90_000 }, async () => {
    const { asked, faults, endings, failures } = await runChaos({ seed: 'short 3965', ...THICK });

    expect(failures).toEqual([]);
    expect(endings.card + endings.sentence + endings['not reached']).toBe(asked);
    expect(asked).toBeGreaterThan(50);
    expect(faults).toBeGreaterThan(15);
  });

  // Among these Redis hangs and dies, and a bot is told to stop meanwhile.
  it.skipIf(noRealRedis('chaos among processes'))(
    'of two processes and their Redis loses no question either',
    {
      timeout: 120_000,
    },
    async () => {
      const { asked, faults, endings, failures } = await runChaos({ seed: 'short 480', processes: 2, ...THICK });

      expect(failures).toEqual([]);
      expect(endings.lost + endings.twice).toBe(0);
      expect(asked).toBeGreaterThan(50);
      expect(faults).toBeGreaterThan(15);
    },
  );

  it('is the same again from the same seed', () => {
    const schedule = { cardIds: SAMPLE_CARDS.map(({ id }) => id) };

    expect(chaosSchedule('seed', 10, schedule)).toEqual(chaosSchedule('seed', 10, schedule));
    expect(chaosSchedule('seed', 10, schedule)).not.toEqual(chaosSchedule('other', 10, schedule));
  });
});
