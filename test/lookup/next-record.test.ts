import { describe, expect, it } from 'vitest';
import { chosenRow, type KeptRow, nextRecord } from '../../src/lookup/next-record.ts';
import type { CardRecord, Prices } from '../../src/model/card.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 20);
const CARD = { id: 'a-1', name: 'Wax Golem' };
const row = (label: string | undefined, market: number, currency?: string): Prices => ({ label, market, currency });
const MINT = row('Near Mint', 30);
const FOIL = row('holofoil', 400);

describe('the row of a price', () => {
  it.each<[string, KeptRow | undefined, Prices[], Prices | undefined, string]>([
    ['is the first of a card that had no price', undefined, [MINT, FOIL], MINT, 'begins'],
    ['stays as long as it has a price, wherever it stands', { label: 'Near Mint' }, [FOIL, MINT], MINT, 'goesOn'],
    ['stays without a label', {}, [row(undefined, 5)], row(undefined, 5), 'goesOn'],
    ['is another in another currency', { label: 'Near Mint', currency: 'EUR' }, [MINT], MINT, 'rests'],
    ['gives way to another, but not to be compared', { label: 'Near Mint' }, [FOIL], FOIL, 'rests'],
    ['is waited for up to three days', { label: 'Near Mint', sinceMs: NOW_MS - 3 * DAY_MS + 1 }, [FOIL], FOIL, 'rests'],
    ['is replaced after three days', { label: 'Near Mint', sinceMs: NOW_MS - 3 * DAY_MS }, [FOIL], FOIL, 'begins'],
    ['is the same after three days', { label: 'Near Mint', sinceMs: NOW_MS - 9 * DAY_MS }, [MINT], MINT, 'goesOn'],
    ['is kept while there is none', { label: 'Near Mint', sinceMs: NOW_MS - 9 * DAY_MS }, [], undefined, 'rests'],
    ['is none of a card that never had a price', undefined, [], undefined, 'rests'],
  ])('%s', (_, kept, rows, shown, history) => {
    expect(chosenRow(kept, rows, NOW_MS)).toEqual({ shown, history });
  });
});

/** What is kept after each answer, so many days after the first, and what watches are told; one without rows denies the card. */
function kept(...answers: [day: number, rows?: Prices[], pricesBy?: string][]) {
  let record: CardRecord | undefined;
  return answers.map(([day, rows, pricesBy]) => {
    const several = rows && rows.length > 1 && { rows };
    const answered = rows && { ...CARD, prices: rows[0], ...several };
    const next = nextRecord(record, answered, NOW_MS + day * DAY_MS, { pricesBy });
    record = next.record;
    const told = next.priced && { market: next.priced.market, isAnew: next.priced.isAnew };
    return [record.card?.prices?.market, record.history?.map(([, market]) => market), told];
  });
}

describe('a card whose row', () => {
  it('has no price for a while shows another, and compares nothing with it', () => {
    expect(kept([0, [MINT, FOIL]], [1, [FOIL]], [3, [FOIL]], [3.5, [FOIL, row('Near Mint', 31)]])).toEqual([
      [30, [30], { market: 30, isAnew: false }],
      [400, [30], undefined],
      [400, [30], undefined],
      [31, [30, 31], { market: 31, isAnew: false }],
    ]);
  });

  it('has no price for three days begins anew with another', () => {
    expect(kept([0, [MINT]], [1, []], [2, [FOIL]], [4, [FOIL]], [5, [FOIL, MINT]])).toEqual([
      [30, [30], { market: 30, isAnew: false }],
      [undefined, [30], undefined],
      [400, [30], undefined],
      [400, [400], { market: 400, isAnew: true }],
      [400, [400, 400], { market: 400, isAnew: false }],
    ]);
  });
});

it('the past of a card that is denied goes on when it is back', () => {
  expect(kept([0, [MINT]], [1], [2, [MINT]])).toEqual([
    [30, [30], { market: 30, isAnew: false }],
    [30, [30], undefined],
    [30, [30, 30], { market: 30, isAnew: false }],
  ]);
});

it('prices of another description begin anew', () => {
  expect(kept([0, [MINT]], [1, [row('Near Mint', 3)], 'f00'], [2, [row('Near Mint', 4)], 'f00'])).toEqual([
    [30, [30], { market: 30, isAnew: false }],
    [3, [3], { market: 3, isAnew: true }],
    [4, [3, 4], { market: 4, isAnew: false }],
  ]);
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
