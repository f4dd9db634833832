import { expect, it } from 'vitest';
import { snowflakes, snowflakeTimeMs } from '../../../sandbox/discord/world.ts';

it('generates ids that ascend, never repeat, and contain their time', () => {
  const ids = snowflakes();
  const nowMs = Date.UTC(2026, 10, 1);
  const made = Array.from({ length: 10_000 }, () => ids(nowMs));

  expect(new Set(made).size).toBe(10_000);
  expect(made.map(BigInt)).toEqual(made.map(BigInt).sort((a, b) => (a < b ? -1 : 1)));
  expect(snowflakeTimeMs(made[0] ?? '')).toBe(nowMs);
  expect(made.every((id) => /^\d{17,19}$/.test(id))).toBe(true);
});

it('continues after the clock is set back', () => {
  const ids = snowflakes();
  expect(BigInt(ids(2_000_000_000_000))).toBeLessThan(BigInt(ids(1_900_000_000_000)));
});
