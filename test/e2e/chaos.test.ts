import { describe, expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { runChaos } from '../chaos/run.ts';
import { chaosSchedule } from '../chaos/schedule.ts';

describe('chaos', () => {
  it('loses no question, whatever breaks', { timeout: 90_000 }, async () => {
    const { asked, faults, endings, lost, alarms } = await runChaos('short', 6);

    expect(lost).toEqual([]);
    expect(alarms).toEqual([]);
    expect(endings.card + endings.sentence + endings['not reached']).toBe(asked);
    expect(asked).toBeGreaterThan(50);
    expect(faults).toBeGreaterThan(3);
  });

  it('is the same again from the same seed', () => {
    const ids = SAMPLE_CARDS.map(({ id }) => id);

    expect(chaosSchedule('seed', 10, ids)).toEqual(chaosSchedule('seed', 10, ids));
    expect(chaosSchedule('seed', 10, ids)).not.toEqual(chaosSchedule('other', 10, ids));
  });
});
