import { expect, it } from 'vitest';
import { dayLimitOf } from '../../src/quota/budget.ts';
import { runsOutAtMs } from '../../src/quota/ledger.ts';
import { table } from '../table.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const MONTH = { per: 'month', limit: 1_000, resetsAtMs: Date.UTC(2026, 11, 1), receivedAtMs: NOW_MS } as const;
const DAY = { per: 'day', receivedAtMs: NOW_MS } as const;

const figure = (text: string | undefined) => (text ? Number(text) : undefined);

it.each(table`
  what remains lasts | 400 | |
  it does not | 200 | | 26
  our count may lack its beginning | 200 | ours |
`)('when a month runs out at its rate so far, where %s', (_, remaining, ours, day) => {
  const found = runsOutAtMs({ ...MONTH, remaining: Number(remaining), isOurCount: ours === 'ours' }, NOW_MS);
  const toTheHour = found && Math.round(found / HOUR_MS) * HOUR_MS;
  expect(toTheHour).toBe(day ? Date.UTC(2026, 10, Number(day), 18) : undefined);
});

// Columns: the day's limit, what remains of it, and what was sent for watches; since when so many requests were sent
it.each(table`
  at the rate of the last hour | 1000 | 400 | | 60 | 100 | 4
  no sooner because of what is sent for watches | 20 | 6 | 2 | 60 | 4 | 3
  at the rate of the day so far, while there is nothing better | 1000 | 250 | | | | 4
  at that of the day in the first minutes of an hour | 1000 | 250 | | 1 | 1 | 4
  until the last request has left | 1000 | 1 | | 60 | 20 | 0.05
  never, when it has | 1000 | 0 | | 60 | 21 |
  never, while nothing is known | | | | 60 | 1 |
  never after a few requests | 1000 | 988 | | 10 | 12 |
  after a few requests, if few remain | 1000 | 24 | | 10 | 12 | 0.3333
`)('a day runs out %s', (_, limit, remaining, forWatches, minutes, requests, hours) => {
  const figures = { limit: figure(limit), remaining: figure(remaining), forWatches: Number(forWatches) };
  const day = { ...DAY, ...figures, resetsAtMs: NOW_MS + 12 * HOUR_MS };
  const lately = { sinceMs: NOW_MS - Number(minutes) * 60_000, requests: Number(requests) };
  const found = runsOutAtMs(day, NOW_MS, minutes ? lately : undefined);
  expect(found && (found - NOW_MS) / HOUR_MS).toEqual(hours ? expect.closeTo(Number(hours), 3) : undefined);
});

it('a day runs out never in its first minutes: a burst is no rate', () => {
  const day = { ...DAY, limit: 1_000, remaining: 900, resetsAtMs: NOW_MS + 1_439 * 60_000 };
  expect(runsOutAtMs(day, NOW_MS)).toBeUndefined();
});

it('budgets go by a day of a month, and by the smallest, not by the month', () => {
  const day = { ...MONTH, per: 'day', limit: 200, remaining: 9 } as const;
  expect(dayLimitOf([{ ...MONTH, remaining: 7 }, { ...day, limit: 300 }, day])).toBe(200);
});
