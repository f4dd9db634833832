import { expect, it } from 'vitest';
import { Snowflakes, shardOf, snowflakeTimeMs } from '../../../sandbox/discord/snowflake.ts';

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

it.each([
  [null, 4, 0],
  [String(5n << 22n), 4, 1],
  [String(7n << 22n), 4, 3],
  [String(7n << 22n), 1, 0],
])('guild %s belongs to a shard of %i: %i', (guildId, count, shard) => {
  expect(shardOf(guildId, count)).toBe(shard);
});
