import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import {
  backOffMs,
  nextUtcMidnightMs,
  RemoteClock,
  SingleRunner,
  Timer,
  utcDay,
  withJitter,
  withTimeout,
} from '../src/time.ts';
import { fakeTimers } from './support/fake-timers.ts';
import { table } from './table.ts';

// What is set (`s`) and passes (`+`), in seconds; `x` clears.
it.each(table`
  once, at the time that was set last | s1 s5 +4.999 | 0
  once, even long after it | s1 s5 +4.999 +10 | 1
  not once it is cleared | s1 x +2 | 0
  not at once for a time that is further away than a timer can count | s8589934 +86400 | 0
`)('a timer fires %s: %s', (_, steps = '', times) => {
  fakeTimers();
  const fired = vi.fn();
  const timer = new Timer(fired);
  for (const step of steps.split(' ')) {
    const ms = Number(step.slice(1)) * 1_000;
    if (step === 'x') timer.clear();
    else if (step.startsWith('s')) timer.set(Date.now() + ms);
    else vi.advanceTimersByTime(ms);
  }
  expect(fired).toHaveBeenCalledTimes(Number(times));
});

it('what runs singly runs once more, and not at the same time, for all calls while it runs', async () => {
  fakeTimers();
  let [running, most, runs] = [0, 0, 0];
  const runner = new SingleRunner(async () => {
    most = Math.max(most, ++running);
    runs++;
    await vi.advanceTimersByTimeAsync(10);
    running--;
  });
  await Promise.all([runner.run(), runner.run(), runner.run()]);
  expect({ most, runs }).toEqual({ most: 1, runs: 2 });
  await runner.run();
  expect(runs).toBe(3);
  void runner.run();
  await runner.run(); // ends with the run that it has asked for
  expect({ running, runs }).toEqual({ running: 0, runs: 5 });
});

it('what takes longer than its limit gives nothing', async () => {
  fakeTimers();
  const result = withTimeout(1_000, new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(result).resolves.toBeUndefined();
});

const MIDNIGHT_MS = Date.UTC(2026, 10, 22);

it('a UTC day ends before its midnight, and the next midnight is always later than the time it is given', () => {
  const times = [MIDNIGHT_MS - 1, MIDNIGHT_MS];
  expect(times.map(utcDay)).toEqual(['2026-11-21', '2026-11-22']);
  expect(times.map(nextUtcMidnightMs)).toEqual([MIDNIGHT_MS, MIDNIGHT_MS + 24 * 3600 * 1000]);
});

it('a wait after failures doubles up to its longest', () => {
  const waits = [1, 2, 3, 9, 10, 5_000].map((failures) => backOffMs(failures, { firstMs: 1_000, longestMs: 300_000 }));
  expect(waits).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
});

it('a wait with jitter is later by at most a fifth and 2 s, and never sooner', () => {
  const waits = fc.integer({ min: 0, max: 2_678_400_000 });
  fc.assert(
    fc.property(waits, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (waitMs, random) => {
      const laterMs = withJitter(waitMs, random) - waitMs;
      expect(laterMs).toBeGreaterThanOrEqual(0);
      expect(laterMs).toBeLessThanOrEqual(Math.min(2_000, waitMs * 0.2 + 1e-6));
    }),
  );
});

// Answers of a server that is ahead by so much, each after a round trip of that length; `set` is this machine's own clock.
it.each(table`
  prefers the shorter round trip | 300009 in 40, 300000 in 2 | 300000
  prefers it when it came first, too | 300000 in 2, 300009 in 40 | 300000
  follows a jump ahead that no round trip explains | 300000 in 2, 3900000 in 40 | 3900000
  follows a jump back that no round trip explains | 300000 in 2, -3300000 in 40 | -3300000
  is the same when that of this machine is set | 300000 in 2, set 3600000 | -3300000
`)("a server's clock %s: %s", (_, steps = '', aheadMs) => {
  fakeTimers({ now: 0, toFake: ['Date', 'performance'] });
  const clock = new RemoteClock();
  for (const [index, step] of steps.split(', ').entries()) {
    const [, ahead, trip, set] = /^(?:(-?\d+) in (\d+)|set (\d+))$/.exec(step) ?? [];
    const sentAtMs = index * 1_000;
    if (set) vi.setSystemTime(Number(set));
    else clock.observe(sentAtMs + Number(trip) / 2 + Number(ahead), sentAtMs, sentAtMs + Number(trip));
  }
  expect(`${clock.aheadMs}`).toBe(aheadMs);
});
