import { expect, it } from 'vitest';
import { dayLimitOf } from '../../src/quota/budget.ts';
import { runsOutAtMs } from '../../src/quota/ledger.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const MONTH = { per: 'month', limit: 1_000, resetsAtMs: Date.UTC(2026, 11, 1), receivedAtMs: NOW_MS } as const;

it.each([
  ['what remains lasts', 400, false, undefined],
  ['it does not', 200, false, Date.UTC(2026, 10, 26, 18)],
  ['our count may lack its beginning', 200, true, undefined],
])('when a month runs out at its rate so far, where %s', (_, remaining, isOurCount, atMs) => {
  const found = runsOutAtMs({ ...MONTH, remaining, isOurCount }, NOW_MS);
  const toTheHour = found && Math.round(found / HOUR_MS) * HOUR_MS;
  expect(toTheHour).toBe(atMs);
});

const DAY = { per: 'day', limit: 1_000, resetsAtMs: NOW_MS + 12 * HOUR_MS, receivedAtMs: NOW_MS } as const;

it.each<[string, Parameters<typeof runsOutAtMs>[0], sinceMs: number | undefined, requests: number, hours?: number]>([
  ['at the rate of the last hour', { ...DAY, remaining: 400 }, HOUR_MS, 100, 4],
  ['no sooner because of what is sent for watches', { ...DAY, limit: 20, remaining: 6, forWatches: 2 }, HOUR_MS, 4, 3],
  ['at the rate of the day so far, while there is nothing better', { ...DAY, remaining: 250 }, undefined, 0, 4],
  ['at that of the day in the first minutes of an hour', { ...DAY, remaining: 250 }, HOUR_MS / 60, 1, 4],
  ['until the last request has left', { ...DAY, remaining: 1 }, HOUR_MS, 20, 0.05],
  ['never, when it has', { ...DAY, remaining: 0 }, HOUR_MS, 21],
  ['never, while nothing is known', { ...DAY, limit: undefined, remaining: undefined }, HOUR_MS, 1],
  [
    'never in its first minutes: a burst is no rate',
    { ...DAY, resetsAtMs: NOW_MS + 1_439 * 60_000, remaining: 900 },
    undefined,
    0,
  ],
  ['never after a few requests', { ...DAY, remaining: 988 }, HOUR_MS / 6, 12],
  ['after a few requests, if few remain', { ...DAY, remaining: 24 }, HOUR_MS / 6, 12, 1 / 3],
])('a day runs out %s', (_, day, sinceMs, requests, hours) => {
  const found = runsOutAtMs(day, NOW_MS, sinceMs ? { sinceMs: NOW_MS - sinceMs, requests } : undefined);
  expect(found && (found - NOW_MS) / HOUR_MS).toEqual(hours === undefined ? undefined : expect.closeTo(hours));
});

it('budgets go by a day of a month, and by the smallest, not by the month', () => {
  const day = { ...MONTH, per: 'day', limit: 200, remaining: 9 } as const;
  expect(dayLimitOf([{ ...MONTH, remaining: 7 }, { ...day, limit: 300 }, day])).toBe(200);
});
