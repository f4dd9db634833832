import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LocalIdentifyTurns } from '../../../src/discord/gateway/identify-turns.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('a turn comes every 5.5 s for each key, and who asks too soon hears when and takes nothing', async () => {
  const turns = new LocalIdentifyTurns();

  expect([await turns.take(0), await turns.take(1)]).toEqual([0, 0]);
  expect(await turns.take(0)).toBe(5_500);
  vi.advanceTimersByTime(5_000);
  expect(await turns.take(0)).toBe(500);
  vi.advanceTimersByTime(500);
  expect([await turns.take(0), await turns.take(0)]).toEqual([0, 5_500]);
});
