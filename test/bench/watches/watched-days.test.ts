import { expect, it } from 'vitest';
import { watchedDays } from './watched-days.ts';

const DAY_MS = 86_400_000;

it('two quiet days: watched cards are renewed, nobody misses a request, and what crossed its line is noticed', async () => {
  const { requests, sentByDay, missed, delayed, crossings } = await watchedDays({
    days: 2,
    lookupsADay: 400,
    isOn: true,
  });
  expect({ missed, delayed, refused: requests.filter(({ status }) => status !== 200).length }).toEqual({
    missed: 0,
    delayed: 0,
    refused: 0,
  });
  for (const [day, sent] of sentByDay.entries()) {
    const spent = requests.filter(({ sentAtMs }) => Math.floor(sentAtMs / DAY_MS) === day).length;
    expect(sent).toBeGreaterThan(100);
    expect(spent).toBeLessThanOrEqual(950); // the rest is the reserve
  }
  const noticed = crossings.filter(({ noticedAfterMs = DAY_MS + 1 }) => noticedAfterMs <= DAY_MS);
  expect(noticed.length).toBeGreaterThanOrEqual(0.95 * crossings.length);
});

it('switched off, nothing is sent for watches', async () => {
  const { sentByDay, crossings } = await watchedDays({ days: 2, lookupsADay: 100, isOn: false });
  expect(sentByDay).toEqual([0, 0]);
  expect(crossings.filter(({ noticedAfterMs }) => noticedAfterMs === undefined).length).toBeGreaterThan(10);
});
