import { expect, it } from 'vitest';
import { snowflakes, snowflakeTimeMs } from '../../../sandbox/discord/world.ts';

it('ids ascend, never repeat, contain their time, and continue after the clock is set back', () => {
  const ids = snowflakes();
  const nowMs = Date.UTC(2026, 10, 1);
  const made = Array.from({ length: 10_000 }, () => ids(nowMs));
  expect(snowflakeTimeMs(made[0] ?? '')).toBe(nowMs);
  made.push(ids(nowMs - 3_600_000));
  expect(new Set(made).size).toBe(10_001);
  expect(made.map(BigInt)).toEqual(made.map(BigInt).sort((a, b) => (a < b ? -1 : 1)));
  expect(made.every((id) => /^\d{17,19}$/.test(id))).toBe(true);
});
