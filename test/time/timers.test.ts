import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SingleRunner, Timer, withTimeout } from '../../src/time/timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Timer', () => {
  it('fires once, at the time that was set last', () => {
    const callback = vi.fn();
    const timer = new Timer(callback);
    timer.set(Date.now() + 1_000);
    timer.set(Date.now() + 5_000);
    vi.advanceTimersByTime(4_999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('does not fire once it is cleared', () => {
    const callback = vi.fn();
    const timer = new Timer(callback);
    timer.set(Date.now() + 1_000);
    timer.clear();
    vi.advanceTimersByTime(2_000);
    expect(callback).not.toHaveBeenCalled();
  });

  it('does not fire at once for a time that is further away than a timer can count', () => {
    const callback = vi.fn();
    new Timer(callback).set(Date.now() + 2 ** 33);
    vi.advanceTimersByTime(24 * 3600 * 1000);
    expect(callback).not.toHaveBeenCalled();
    vi.clearAllTimers();
  });
});

describe('SingleRunner', () => {
  it('runs once more, and not at the same time, for all calls while it runs', async () => {
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
});

describe('withTimeout', () => {
  it('gives nothing after the limit', async () => {
    const result = withTimeout(1_000, new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(result).resolves.toBeUndefined();
  });
});
