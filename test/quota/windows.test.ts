import { expect, it } from 'vitest';
import { dayLimitOf, windowRunsOutAtMs } from '../../src/quota/windows.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const MONTH = { per: 'month', limit: 1_000, resetsAtMs: Date.UTC(2026, 11, 1), receivedAtMs: NOW_MS } as const;

it.each([
  ['what remains lasts', 400, false, undefined],
  ['it does not', 200, false, Date.UTC(2026, 10, 26, 18)],
  ['our count may lack its beginning', 200, true, undefined],
])('when a month runs out at its rate so far, where %s', (_, remaining, isOurCount, atMs) => {
  const found = windowRunsOutAtMs({ ...MONTH, remaining, isOurCount }, NOW_MS);
  const toTheHour = found && Math.round(found / HOUR_MS) * HOUR_MS;
  expect(toTheHour).toBe(atMs);
});

it('budgets go by a day of a month, and by the smallest, not by the month', () => {
  const day = { ...MONTH, per: 'day', limit: 200, remaining: 9 } as const;
  expect(dayLimitOf([{ ...MONTH, remaining: 7 }, { ...day, limit: 300 }, day])).toBe(200);
});
