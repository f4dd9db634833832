import { describe, expect, it } from 'vitest';
import { RemoteClock } from '../../src/time/remote-clock.ts';

const AHEAD_MS = 300_000;

/** A clock after answers of a server that is ahead by so much, each after a round trip of that length. */
function clockAfter(...answers: { aheadMs: number; tripMs: number }[]): RemoteClock {
  const clock = new RemoteClock();
  answers.forEach(({ aheadMs, tripMs }, index) => {
    const sentAtMs = index * 1_000;
    clock.observe(sentAtMs + tripMs / 2 + aheadMs, sentAtMs, sentAtMs + tripMs);
  });
  return clock;
}

describe('RemoteClock', () => {
  it('prefers the shorter round trip', () => {
    const [slow, quick] = [
      { aheadMs: AHEAD_MS + 9, tripMs: 40 },
      { aheadMs: AHEAD_MS, tripMs: 2 },
    ];
    expect(clockAfter(slow, quick).aheadMs).toBe(AHEAD_MS);
    expect(clockAfter(quick, slow).aheadMs).toBe(AHEAD_MS);
  });

  it.each([3_600_000, -3_600_000])('follows a jump of a clock that no round trip explains (%i ms)', (byMs) => {
    expect(clockAfter({ aheadMs: AHEAD_MS, tripMs: 2 }, { aheadMs: AHEAD_MS + byMs, tripMs: 40 }).aheadMs).toBe(
      AHEAD_MS + byMs,
    );
  });

  it('ignores a round trip during which the clock of this machine was set back', () => {
    const clock = clockAfter({ aheadMs: AHEAD_MS, tripMs: 2 });
    clock.observe(AHEAD_MS + 500, 1_000, 0);
    expect(clock.aheadMs).toBe(AHEAD_MS);
  });
});
