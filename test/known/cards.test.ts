import { describe, expect, it } from 'vitest';
import { knownBy, type Lifetimes, nextRecord } from '../../src/known/cards.ts';
import type { CardRecord, Prices } from '../../src/model/card.ts';

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
    expect(knownBy(answer, showPrices, NOW_MS, LIFETIMES).kind).toBe(expected);
  });

  it('of prices is not longer than that of the card they belong to', () => {
    const lifetimes = { ...LIFETIMES, factsFreshMs: HOUR_MS };
    expect(knownBy(aged(PRICED, HOUR_MS), true, NOW_MS, lifetimes).kind).toBe('stale');
  });

  it('of no time needs a request always', () => {
    const lifetimes = { factsFreshMs: 0, pricesFreshMs: 0 };
    expect(knownBy(aged(PRICED, 0), false, NOW_MS, lifetimes).kind).toBe('stale');
  });
});

const CARD = { id: 'a-1', name: 'Wax Golem' };
const row = (label: string | undefined, market: number, currency?: string): Prices => ({ label, market, currency });
const MINT = row('Near Mint', 30);
const FOIL = row('holofoil', 400);

type Answer = [day: number, rows?: Prices[], pricesBy?: string];

/** What is kept after each answer, so many days after the first, and what watches are told; one without rows denies the card. */
function kept(answers: readonly Answer[]) {
  let record: CardRecord | undefined;
  return answers.map(([day, rows, pricesBy]) => {
    const several = rows && rows.length > 1 && { rows };
    const answered = rows && { ...CARD, prices: rows[0], ...several };
    const nowMs = NOW_MS + day * DAY_MS;
    const { answer } = knownBy(record, true, nowMs, { ...LIFETIMES, pricesBy });
    const next = nextRecord(answer, answered, nowMs, { pricesBy });
    record = next.record;
    const { market = 0, isAnew } = next.priced ?? {};
    return [record.card?.prices?.market, record.history?.map(([, each]) => each), next.priced && told(market, isAnew)];
  });
}

const told = (market: number, isAnew = false) => ({ market, isAnew });

it.each<[string, Answer[], ReturnType<typeof kept>]>([
  [
    'whose row has no price for a while shows another, and compares nothing with it',
    [
      [0, [MINT, FOIL]],
      [1, [FOIL]],
      [3, [FOIL]],
      [3.5, [FOIL, row('Near Mint', 31)]],
    ],
    [
      [30, [30], told(30)],
      [400, [30], undefined],
      [400, [30], undefined],
      [31, [30, 31], told(31)],
    ],
  ],
  [
    'whose row has no price for three days begins anew with another',
    [
      [0, [MINT]],
      [1, []],
      [3.99, [FOIL]],
      [4, [FOIL]],
      [5, [FOIL, MINT]],
    ],
    [
      [30, [30], told(30)],
      [undefined, [30], undefined],
      [400, [30], undefined],
      [400, [400], told(400, true)],
      [400, [400, 400], told(400)],
    ],
  ],
  [
    'whose row comes back when there was no other meanwhile goes on, however late',
    [
      [0, [MINT]],
      [1, []],
      [9, []],
      [10, [MINT]],
    ],
    [
      [30, [30], told(30)],
      [undefined, [30], undefined],
      [undefined, [30], undefined],
      [30, [30, 30], told(30)],
    ],
  ],
  [
    'whose row has no label goes on with that',
    [
      [0, [row(undefined, 5)]],
      [1, [FOIL, row(undefined, 6)]],
    ],
    [
      [5, [5], told(5)],
      [6, [5, 6], told(6)],
    ],
  ],
  [
    'in another currency is compared with nothing',
    [
      [0, [row('Near Mint', 30, 'EUR')]],
      [1, [MINT]],
    ],
    [
      [30, [30], told(30)],
      [30, [30], undefined],
    ],
  ],
  [
    'that had no price begins with its first row',
    [
      [0, []],
      [1, [MINT, FOIL]],
    ],
    [
      [undefined, undefined, undefined],
      [30, [30], told(30)],
    ],
  ],
  [
    'that is denied goes on when it is back',
    [[0, [MINT]], [1], [2, [MINT]]],
    [
      [30, [30], told(30)],
      [30, [30], undefined],
      [30, [30, 30], told(30)],
    ],
  ],
  [
    'by another description begins anew',
    [
      [0, [MINT]],
      [1, [row('Near Mint', 3)], 'f00'],
      [2, [row('Near Mint', 4)], 'f00'],
    ],
    [
      [30, [30], told(30)],
      [3, [3], told(3, true)],
      [4, [3, 4], told(4)],
    ],
  ],
])('the price of a card %s', (_, answers, expected) => {
  expect(kept(answers)).toEqual(expected);
});

it('rows are not kept, nor prices for longer than the service lets them', () => {
  const terms = { historyMs: 2 * DAY_MS };
  const first = nextRecord(undefined, { ...CARD, prices: MINT, rows: [MINT, FOIL] }, NOW_MS, terms).record;
  expect(first.card).toEqual({ ...CARD, prices: MINT });
  const timesAfter = (ms: number) =>
    nextRecord(first, { ...CARD, prices: MINT }, NOW_MS + ms, terms).record.history?.map(([atMs]) => atMs - NOW_MS);
  expect(timesAfter(2 * DAY_MS - 1)).toEqual([0, 2 * DAY_MS - 1]);
  expect(timesAfter(2 * DAY_MS)).toEqual([2 * DAY_MS]);
});
