import { describe, expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { runChaos } from '../chaos/run.ts';
import { chaosSchedule } from '../chaos/schedule.ts';

/** Longer than Discord's 3 s for a first answer, because a busy machine may exceed them without losing an answer. */
const LIFETIMES = { ackMs: 10_000, tokenMs: 900_000 };

/** As many faults as fit into three seconds; the seeds were chosen for the most different kinds. */
const DENSE = { seconds: 3, meanBetweenFaultsMs: 200, lifetimes: LIFETIMES };

describe('chaos', () => {
  // Includes a killed bot, and a locked and a damaged card store.
  it('loses no lookup, and answers none twice, whatever breaks', { timeout: 240_000 }, async () => {
    const { commands, faults, endings, failures } = await runChaos({ seed: 'short 714', ...DENSE });
    expect(failures.join('\n')).toBe(''); // the report of a list would leave out its lines
    expect(endings.card + endings.sentence + endings['not received']).toBe(commands);
    expect(commands).toBeGreaterThan(50);
    expect(faults).toBeGreaterThan(15);
  });

  it('plays the same schedule for the same seed', () => {
    const schedule = { cardIds: SAMPLE_CARDS.map(({ id }) => id) };
    expect(chaosSchedule('seed', 10, schedule)).toEqual(chaosSchedule('seed', 10, schedule));
    expect(chaosSchedule('seed', 10, schedule)).not.toEqual(chaosSchedule('other', 10, schedule));
  });
});
