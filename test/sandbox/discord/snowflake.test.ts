import { expect, it } from 'vitest';
import { Snowflakes, snowflakeTimeMs } from '../../../sandbox/discord/world.ts';

it('generates ids that ascend, never repeat, and contain their time', () => {
  const ids = new Snowflakes();
  const nowMs = Date.UTC(2026, 10, 1);
  const made = Array.from({ length: 10_000 }, () => ids.next(nowMs));

  expect(new Set(made).size).toBe(10_000);
  expect(made.map(BigInt)).toEqual(made.map(BigInt).sort((a, b) => (a < b ? -1 : 1)));
  expect(snowflakeTimeMs(made[0] ?? '')).toBe(nowMs);
  expect(made.every((id) => /^\d{17,19}$/.test(id))).toBe(true);
});

it('continues after the clock is set back', () => {
  const ids = new Snowflakes();
  expect(BigInt(ids.next(2_000_000_000_000))).toBeLessThan(BigInt(ids.next(1_900_000_000_000)));
});
