import { expect, it } from 'vitest';
import { DAY_CARDS, DAY_MS, dayOfLookups } from './day-of-lookups.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['even', 1 / 24, 833],
  ['rush', 0.3, 6_000],
])('brings 20,000 lookups in order of time, the given share of them in the first hour: %s', (_, share, firstHour) => {
  const lookups = dayOfLookups(share);
  const times = lookups.map(({ atMs }) => atMs);
  expect(times).toHaveLength(20_000);
  expect(times.filter((atMs) => atMs < HOUR_MS)).toHaveLength(firstHour);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThan(DAY_MS);
  expect(dayOfLookups(share)).toEqual(lookups);
});

it("looks up cards by Zipf's law, each member in one server", () => {
  const lookups = dayOfLookups(0.3);
  const [first = 0, second = 0, tenth = 0] = [0, 1, 9].map(
    (rank) => lookups.filter(({ cardId }) => cardId === DAY_CARDS[rank]?.id).length,
  );
  expect(first / 20_000).toBeCloseTo(0.147, 2); // 1 / (1 + 1/2 + … + 1/500)
  expect((2 * second) / first).toBeCloseTo(1, 0);
  expect((10 * tenth) / first).toBeCloseTo(1, 0);
  expect(new Set(lookups.map(({ requester: { memberId } }) => memberId)).size).toBe(300);
  expect(new Set(lookups.map(({ requester: { memberId, guildId } }) => `${memberId} in ${guildId}`)).size).toBe(300);
});
