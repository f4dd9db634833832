import { describe, expect, it } from 'vitest';
import { RedisClock } from '../../../src/storage/redis/redis-clock.ts';

const AHEAD_MS = 300_000;

/** One that has heard Redis, each time so far ahead, after trips that took so long. */
function heard(...answers: { aheadMs: number; tripMs: number }[]): RedisClock {
  const clock = new RedisClock();
  answers.forEach(({ aheadMs, tripMs }, index) => {
    const sentAtMs = index * 1_000;
    clock.heard(sentAtMs + tripMs / 2 + aheadMs, sentAtMs, sentAtMs + tripMs);
  });
  return clock;
}

describe("Redis's clock", () => {
  it('is as far ahead as the first answer says', () => {
    expect(heard({ aheadMs: AHEAD_MS, tripMs: 40 }).aheadMs).toBe(AHEAD_MS);
  });

  it('is known better by a shorter trip, and not worse by a longer', () => {
    const [rough, good] = [
      { aheadMs: AHEAD_MS + 9, tripMs: 40 },
      { aheadMs: AHEAD_MS, tripMs: 2 },
    ];
    expect(heard(rough, good).aheadMs).toBe(AHEAD_MS);
    expect(heard(good, rough).aheadMs).toBe(AHEAD_MS);
  });

  it.each([3_600_000, -3_600_000])('has jumped when it is further off than trips explain (%i ms)', (byMs) => {
    expect(heard({ aheadMs: AHEAD_MS, tripMs: 2 }, { aheadMs: AHEAD_MS + byMs, tripMs: 40 }).aheadMs).toBe(
      AHEAD_MS + byMs,
    );
  });

  it('is not taken to run backwards when ours was set back during a trip', () => {
    const clock = heard({ aheadMs: AHEAD_MS, tripMs: 2 });
    clock.heard(AHEAD_MS + 500, 1_000, 0);
    expect(clock.aheadMs).toBe(AHEAD_MS);
  });
});
