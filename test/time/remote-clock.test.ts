import { expect, it, onTestFinished, vi } from 'vitest';
import { RemoteClock } from '../../src/time/remote-clock.ts';

const AHEAD_MS = 300_000;

/** A clock after answers of a server that is ahead by so much, each after a round trip of that length. */
function clockAfter(...answers: { aheadMs: number; tripMs: number }[]): RemoteClock {
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new RemoteClock();
  answers.forEach(({ aheadMs, tripMs }, index) => {
    const sentAtMs = index * 1_000;
    clock.observe(sentAtMs + tripMs / 2 + aheadMs, sentAtMs, sentAtMs + tripMs);
  });
  return clock;
}

it("a server's clock prefers the shorter round trip", () => {
  const [slow, quick] = [
    { aheadMs: AHEAD_MS + 9, tripMs: 40 },
    { aheadMs: AHEAD_MS, tripMs: 2 },
  ];
  expect(clockAfter(slow, quick).aheadMs).toBe(AHEAD_MS);
  expect(clockAfter(quick, slow).aheadMs).toBe(AHEAD_MS);
});

it.each([3_600_000, -3_600_000])("a server's clock follows a jump that no round trip explains (%i ms)", (byMs) => {
  const clock = clockAfter({ aheadMs: AHEAD_MS, tripMs: 2 }, { aheadMs: AHEAD_MS + byMs, tripMs: 40 });
  expect(clock.aheadMs).toBe(AHEAD_MS + byMs);
});

it("a server's clock is the same when that of this machine is set", () => {
  const clock = clockAfter({ aheadMs: AHEAD_MS, tripMs: 2 });
  vi.setSystemTime(3_600_000);
  expect(clock.aheadMs).toBe(AHEAD_MS - 3_600_000);
});
