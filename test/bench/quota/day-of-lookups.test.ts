import { expect, it } from 'vitest';
import { DAY_CARDS, DAY_MS, dayOfLookups } from './day-of-lookups.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['even', 1 / 24, 833],
  ['rush', 0.3, 6_000],
])('brings 20,000 lookups in order of time, the given share of them in the first hour: %s', (_, share, firstHour) => {
  const times = dayOfLookups(share).map(({ atMs }) => atMs);
  expect(times).toHaveLength(20_000);
  expect(times.filter((atMs) => atMs < HOUR_MS)).toHaveLength(firstHour);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThan(DAY_MS);
});

it('has 300 members, each in one of 40 servers', () => {
  const requesters = dayOfLookups(0.3).map(({ requester }) => requester);
  expect(new Set(requesters.map(({ memberId }) => memberId)).size).toBe(300);
  expect(new Set(requesters.map(({ guildId }) => guildId)).size).toBe(40);
  expect(new Set(requesters.map(({ memberId, guildId }) => `${memberId} in ${guildId}`)).size).toBe(300);
});

it('looks up only cards that exist', () => {
  const existing = new Set(DAY_CARDS.map(({ id }) => id));
  expect(dayOfLookups(0.3).filter(({ cardId }) => !existing.has(cardId))).toEqual([]);
});

it('is the same day every time', () => {
  expect(dayOfLookups(0.3)).toEqual(dayOfLookups(0.3));
});
