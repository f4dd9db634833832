import { describe, expect, it } from 'vitest';
import { broken, reconnectWaitMs } from '../../src/discord/reconnect-wait.ts';

const DAY_MS = 86_400_000;

describe('the wait before a reconnection', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1_000],
    [3, 2_000],
    [8, 64_000],
    [9, 100_000],
    [5_000, 100_000],
  ])('after %i failures is %i ms, and up to a fifth more', (failures, waitMs) => {
    expect(reconnectWaitMs(failures, () => 0)).toBe(waitMs);
    expect(reconnectWaitMs(failures, () => 1)).toBe(waitMs * 1.2);
  });

  it('leaves a day of failures under the identifies that Discord allows', () => {
    let tries = 0;
    for (let elapsedMs = 0; elapsedMs < DAY_MS; elapsedMs += reconnectWaitMs(tries, () => 0)) tries++;

    expect(tries).toBeLessThan(1_000);
  });
});

describe('a connection that breaks', () => {
  it.each([
    ['never became ready', { failures: 3 }, 4],
    ['broke soon after a new session', { failures: 3, identifiedAtMs: 50_000 }, 4],
    ['held for a minute', { failures: 3, identifiedAtMs: 40_000 }, 1],
  ])('and that %s', (_, line, failures) => {
    expect(broken(line, 100_000)).toEqual({ failures });
  });
});
