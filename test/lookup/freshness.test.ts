import { describe, expect, it } from 'vitest';
import { freshness, type Lifetimes } from '../../src/lookup/freshness.ts';
import type { CardRecord } from '../../src/model/card.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIFETIMES: Lifetimes = { factsFreshMs: 7 * DAY_MS, pricesFreshMs: 6 * HOUR_MS };
const NOW_MS = Date.UTC(2026, 10, 20);

const BARE = { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } };
const PRICED = { ...BARE, prices: { low: 1 } };

function aged(card: CardRecord['card'], ageMs: number, unlistedAgeMs?: number): CardRecord {
  const unlisted = unlistedAgeMs === undefined ? {} : { delistedAtMs: NOW_MS - unlistedAgeMs };
  return { card, fetchedAtMs: NOW_MS - ageMs, ...unlisted };
}

describe('freshness', () => {
  it.each<[string, CardRecord, boolean, 'fresh' | 'stale']>([
    ['prices under 6 hours', aged(PRICED, 6 * HOUR_MS - 1), true, 'fresh'],
    ['prices of 6 hours', aged(PRICED, 6 * HOUR_MS), true, 'stale'],
    ['facts of 6 hours, where prices are not wanted', aged(PRICED, 6 * HOUR_MS), false, 'fresh'],
    ['facts under 7 days', aged(PRICED, 7 * DAY_MS - 1), false, 'fresh'],
    ['facts of 7 days', aged(PRICED, 7 * DAY_MS), false, 'stale'],
    ['a lack of prices under 6 hours', aged(BARE, 6 * HOUR_MS - 1), true, 'fresh'],
    ['a lack of prices of 6 hours', aged(BARE, 6 * HOUR_MS), true, 'stale'],
    ['"no such card" under an hour', aged(undefined, HOUR_MS - 1), true, 'fresh'],
    ['"no such card" of an hour', aged(undefined, HOUR_MS), true, 'stale'],
    ['"no such card" of an hour, where prices are not wanted', aged(undefined, HOUR_MS), false, 'stale'],
    ['"no longer listed" under an hour, however old the copy', aged(PRICED, 30 * DAY_MS, HOUR_MS - 1), true, 'fresh'],
    ['"no longer listed" of an hour, however new the copy', aged(PRICED, 2 * HOUR_MS, HOUR_MS), false, 'stale'],
    ['a copy from a clock that was a minute ahead', aged(PRICED, -60_000), true, 'fresh'],
    ['a copy from a clock that was further ahead', aged(PRICED, -60_001), true, 'stale'],
    ['facts from a clock that was further ahead', aged(PRICED, -DAY_MS), false, 'stale'],
    ['"no such card" from a clock that was further ahead', aged(undefined, -DAY_MS), true, 'stale'],
    ['"no longer listed" from a clock that was further ahead', aged(PRICED, 0, -DAY_MS), true, 'stale'],
  ])('%s', (_, answer, showPrices, expected) => {
    expect(freshness(answer, showPrices, NOW_MS, LIFETIMES)).toBe(expected);
  });

  it('of prices is not longer than that of the card they belong to', () => {
    const lifetimes = { ...LIFETIMES, factsFreshMs: HOUR_MS };
    expect(freshness(aged(PRICED, HOUR_MS), true, NOW_MS, lifetimes)).toBe('stale');
  });

  it('of no time needs a request always', () => {
    const lifetimes = { factsFreshMs: 0, pricesFreshMs: 0 };
    expect(freshness(aged(PRICED, 0), false, NOW_MS, lifetimes)).toBe('stale');
  });
});
