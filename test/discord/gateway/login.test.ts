import { expect, it } from 'vitest';
import { loginWaitMs } from '../../../src/discord/gateway/login.ts';

it.each([
  ['grows from a second', 0, 1, 1_000],
  ['doubles', 0, 3, 4_000],
  ['ends at a minute', 0, 50, 60_000],
  ['is as long as Discord says', 82_800_000, 1, 82_800_000],
  ['is never shorter than the back-off', 50, 3, 4_000],
  ['does not trust nonsense', Number.NaN, 1, 1_000],
  ['fits a timer', 1e15, 1, 604_800_000],
])('the wait before another login %s', (_, statedMs, attempt, waitMs) => {
  expect(loginWaitMs(statedMs, attempt)).toBe(waitMs);
});
