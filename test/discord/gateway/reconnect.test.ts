import { describe, expect, it } from 'vitest';
import { broken, reconnectWaitMs } from '../../../src/discord/gateway/reconnect.ts';

const DAY_MS = 86_400_000;

describe('the wait before a reconnection', () => {
  it.each([
    [0, true, 0],
    [1, true, 0],
    [2, true, 1_000],
    [3, true, 2_000],
    [8, true, 64_000],
    [9, true, 100_000],
    [5_000, true, 100_000],
    [2, false, 1_000],
    [6, false, 15_000],
    [5_000, false, 15_000],
  ])('after %i failures (greeted: %s) is %i ms, and up to a fifth more', (failures, greeted, waitMs) => {
    expect(reconnectWaitMs(failures, greeted, () => 0)).toBe(waitMs);
    expect(reconnectWaitMs(failures, greeted, () => 1)).toBe(waitMs * 1.2);
  });

  it('leaves a day of failures under the identifies that Discord allows', () => {
    let tries = 0;
    for (let elapsedMs = 0; elapsedMs < DAY_MS; elapsedMs += reconnectWaitMs(tries, true, () => 0)) tries++;
    expect(tries).toBeLessThan(1_000);
  });

  it('makes fewer than ten tries, and as many log lines, in a minute without a gateway', () => {
    let tries = 0;
    for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += reconnectWaitMs(tries, false, () => 0)) tries++;
    expect(tries).toBeLessThan(10);
  });
});

it.each([
  ['never became ready', { failures: 3 }, 4],
  ['broke soon after a new session', { failures: 3, identifiedAtMs: 50_000 }, 4],
  ['held for a minute', { failures: 3, identifiedAtMs: 40_000 }, 1],
])('a connection that breaks and that %s', (_, connection, failures) => {
  expect(broken({ ...connection, resumes: 1 }, 100_000)).toMatchObject({ failures, resumes: 1 });
});
