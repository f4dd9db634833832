import { describe, expect, it } from 'vitest';
import { knownBy, type Lifetimes, nextRecord } from '../../src/known/cards.ts';
import type { CardRecord, Prices } from '../../src/model/card.ts';
import { expectSaid, table } from '../table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIFETIMES: Lifetimes = { factsFreshMs: 7 * DAY_MS, pricesFreshMs: 6 * HOUR_MS };
const NOW_MS = Date.UTC(2026, 10, 20);

const BARE = { id: 'a', name: 'A', game: 'T', set: { id: 's', name: 'S' } };
const PRICED = { ...BARE, prices: { low: 1 } };

/** What is known of a card with an answer of this age; one of less than 0 comes from a clock that is ahead. */
function kindAfter(
  ageMs: number,
  card: CardRecord['card'],
  showPrices: boolean,
  copyAgeMs?: number,
  lifetimes = LIFETIMES,
) {
  const ofCopy = copyAgeMs !== undefined && { fetchedAtMs: NOW_MS - copyAgeMs, delistedAtMs: NOW_MS - ageMs };
  return knownBy({ card, fetchedAtMs: NOW_MS - ageMs, ...ofCopy }, showPrices, NOW_MS, lifetimes).kind;
}

describe('freshness', () => {
  it.each<[string, CardRecord['card'], showPrices: boolean, freshMs: number, copyAgeMs?: number]>([
    ['prices', PRICED, true, 6 * HOUR_MS],
    ['facts, where prices are not wanted,', PRICED, false, 7 * DAY_MS],
    ['a lack of prices', BARE, true, 6 * HOUR_MS],
    ['"no such card"', undefined, true, HOUR_MS],
    ['"no such card", where prices are not wanted,', undefined, false, HOUR_MS],
    ['"no longer listed", however old the copy,', PRICED, true, HOUR_MS, 30 * DAY_MS],
    ['"no longer listed", however new the copy,', PRICED, false, HOUR_MS, 2 * HOUR_MS],
  ])('of %s ends in time, and a clock may be a minute ahead', (_, card, showPrices, freshMs, copyAgeMs) => {
    const kinds = [-60_001, -60_000, freshMs - 1, freshMs].map((ms) => kindAfter(ms, card, showPrices, copyAgeMs));
    expect(kinds).toEqual(['stale', 'fresh', 'fresh', 'stale']);
  });

  it('of prices is not longer than that of the card they belong to', () => {
    const lifetimes = { ...LIFETIMES, factsFreshMs: HOUR_MS };
    expect(kindAfter(HOUR_MS, PRICED, true, undefined, lifetimes)).toBe('stale');
  });

  it('of prices lasts over an update that reads them as before', () => {
    const record = { card: PRICED, fetchedAtMs: NOW_MS, pricesBy: 'f00' };
    const kindBy = (pricesBy: string) => knownBy(record, true, NOW_MS, { ...LIFETIMES, pricesBy }).kind;
    expect(['f00.aa', 'f01.aa'].map(kindBy)).toEqual(['fresh', 'stale']);
  });

  it('of no time needs a request always', () => {
    const lifetimes = { factsFreshMs: 0, pricesFreshMs: 0 };
    expect(kindAfter(0, PRICED, false, undefined, lifetimes)).toBe('stale');
  });
});

const CARD = { id: 'a-1', name: 'Wax Golem' };
const MINT: Prices = { label: 'Near Mint', market: 30 };
const FOIL: Prices = { label: 'holofoil', market: 400 };
const LABELS: Record<string, string | undefined> = { mint: MINT.label, foil: FOIL.label };

/** The prices in a text such as `foil 400 EUR`, or `foil~mint 400`, whose path calls it mint. */
function priced(text: string) {
  const [name = '', market, currency] = text.split(' ');
  const [label = '', path] = name.split('~');
  return { label: LABELS[label], market: Number(market), currency, ...(path && { pathLabel: LABELS[path] }) };
}

/** What is left after each answer, which comes so many days after the first: its price, those before, what is told. */
function kept(answers: string) {
  let record: CardRecord | undefined;
  const after = answers.split('; ').map((answer) => {
    const [, day, pricesBy, said = ''] = /^([\d.]+)(?: by ([\w.]+))?: (.*)$/.exec(answer) ?? [];
    const rows = said === 'none' ? [] : said.split(', ').map(priced);
    const answered = said === 'denied' ? undefined : { ...CARD, prices: rows[0], ...(rows.length > 1 && { rows }) };
    const nowMs = NOW_MS + Number(day) * DAY_MS;
    const known = knownBy(record, true, nowMs, { ...LIFETIMES, pricesBy });
    const next = nextRecord(known.answer, answered, nowMs, { pricesBy });
    record = next.record;
    const history = record.history?.map(([, each]) => each).join(' ') ?? 'none';
    const told = next.priced ? ` told ${next.priced.market}${next.priced.isAnew ? ' anew' : ''}` : '';
    return `${record.card?.prices?.market ?? 'none'} (${history})${told}`;
  });
  return after.join('; ');
}

it.each(table`
  whose row has no price for a while shows another, and compares nothing with it | 0: mint 30, foil 400; 1: foil 400; 3: foil 400; 3.5: foil 400, mint 31 | 30 (30) told 30; 400 (30); 400 (30); 31 (30 31) told 31
  whose row has no price for three days begins anew with another | 0: mint 30; 1: none; 3.99: foil 400; 4: foil 400; 5: foil 400, mint 30 | 30 (30) told 30; none (30); 400 (30); 400 (400) told 400 anew; 400 (400 400) told 400
  whose row comes back when there was no other meanwhile goes on, however late | 0: mint 30; 1: none; 9: none; 10: mint 30 | 30 (30) told 30; none (30); none (30); 30 (30 30) told 30
  whose row has no label goes on with that | 0: unnamed 5; 1: foil 400, unnamed 6 | 5 (5) told 5; 6 (5 6) told 6
  in another currency is compared with nothing | 0: mint 30 EUR; 1: mint 30 | 30 (30) told 30; 30 (30)
  that had no price begins with its first row | 0: none; 1: mint 30, foil 400 | none (none); 30 (30) told 30
  that is denied goes on when it is back | 0: mint 30; 1: denied; 2: mint 30 | 30 (30) told 30; 30 (30); 30 (30 30) told 30
  by an update of its description goes on with the row of its label and currency | 0 by f00: foil 400; 1 by f01: mint 30, foil 410 | 400 (400) told 400; 410 (400 410) told 410
  whose row an update does not bring at once waits for it | 0 by f00: mint 30; 1 by f01: foil 400; 2 by f01: foil 400, mint 31 | 30 (30) told 30; 400 (30); 31 (30 31) told 31
  that had no price before an update crosses nothing with its first | 0 by f00: none; 1 by f01: mint 30 | none (none); 30 (30) told 30 anew
  of another described service begins anew | 0 by f00.aa: mint 30; 1 by f01.bb: mint 3 | 30 (30) told 30; 3 (3) told 3 anew
  of before services were told apart goes on | 0 by f00: mint 30; 1 by f01.aa: mint 31 | 30 (30) told 30; 31 (30 31) told 31
  that had none before an update which reads it as before begins | 0 by f00: none; 1 by f00.aa: mint 30 | none (none); 30 (30) told 30
  of which an update names two rows so waits for its own | 0 by f00: mint 36; 1 by f01: foil~mint 12, unnamed~mint 9 | 36 (36) told 36; 12 (36)
  whose row lacks in one answer is not another of its path | 0: mint 36, foil~mint 12; 1: foil~mint 12 | 36 (36) told 36; 12 (36)
  by another service's description begins anew | 0: mint 30; 1 by f00: mint 3; 2 by f00: mint 4 | 30 (30) told 30; 3 (3) told 3 anew; 4 (3 4) told 4
`)('the price of a card %s', expectSaid(kept));

it('five rows are kept, and no prices for longer than the service lets them', () => {
  const terms = { historyMs: 2 * DAY_MS };
  const played = [1, 2, 3, 4].map((market) => ({ label: `Played ${market}`, market }));
  const first = nextRecord(undefined, { ...CARD, prices: MINT, rows: [MINT, FOIL, ...played] }, NOW_MS, terms).record;
  expect(first.card).toEqual({ ...CARD, prices: MINT });
  expect(first.others).toEqual([FOIL, ...played.slice(0, 3)]);
  const timesAfter = (ms: number) =>
    nextRecord(first, { ...CARD, prices: MINT }, NOW_MS + ms, terms).record.history?.map(([atMs]) => atMs - NOW_MS);
  expect(timesAfter(2 * DAY_MS - 1)).toEqual([0, 2 * DAY_MS - 1]);
  expect(timesAfter(2 * DAY_MS)).toEqual([2 * DAY_MS]);
});
