import { expect, it } from 'vitest';
import { readRateLimit, readRateLimits, serviceClock } from '../../src/service/rate-limit-headers.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT';

/** Of the headers that are given. */
function read(limit = '', remaining = '', reset = '', date = NOON) {
  const named = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset, date };
  const given = Object.entries(named).filter(([, value]) => value !== '');
  return readRateLimit({ headers: new Headers(given) }, described().quota[0] ?? {}, NOW_MS - 50, NOW_MS);
}

it('reads of a service whose description has no window at least that an answer came', () => {
  const reading = { limit: undefined, sentAtMs: NOW_MS - 50, receivedAtMs: NOW_MS };
  expect(readRateLimits({ headers: new Headers() }, [], NOW_MS - 50, NOW_MS)).toMatchObject([reading]);
});

it('reads the three headers, with the times of the request', () => {
  const figures = { limit: 1000, remaining: 7, resetInMs: 43_200_000 };
  expect(read('1000', '7', '1795219200')).toEqual({ ...figures, sentAtMs: NOW_MS - 50, receivedAtMs: NOW_MS });
});

it.each(table`
  nothing without the headers | | | | | |
  no texts | many | many | many | | |
  no negative numbers of requests | -1 | -1 | | | |
  no exponents | 1e3 | 1e3 | 1e3 | | |
  no hexadecimals | 0x10 | 0x10 | 0x10 | | |
  no two numbers | 5, 6 | 5, 6 | 5, 6 | | |
  no long numbers | 9999999999999999 | 9999999999999999 | 9999999999999999 | | |
  no number of requests with decimals | 1.5 | 1.5 | | | |
  no limit of 0 and its remaining | 0 | 0 | | | |
  no limit below 0 and its remaining | -1 | 0 | | | |
  a remaining without a limit | | 0 | | | 0 |
  a remaining without a usable limit | many | 0 | | | 0 |
  a remaining above its limit as the limit | 1 | 5000 | | 1 | 1 |
  that of a larger one, too | 1000 | 5000 | | 1000 | 1000 |
  a reset as an ISO time | | | 2026-11-21T00:00:00Z | | | 43200000
  a reset in milliseconds | | | 1795219200000 | | | 43200000
  a reset with decimals | | | 1795219200.25 | | | 43200250
  a reset in milliseconds with decimals | | | 1795219200000.4 | | | 43200000
  a reset as a number of seconds from now | | | 43200 | | | 43200000
  a reset as decimal seconds from now | | | 59.5 | | | 59500
  a reset as no time from now | | | 0 | | | 0
  a reset at the end of the longest month | | | 1797854400 | | | 2678400000
  no reset over a month ahead | | | 1797897600 | | |
  no reset of another century | | | 946684800 | | |
  no reset as a date | | | Sat, 21 Nov 2026 00:00:00 GMT | | |
  no reset below 0 | | | -1 | | |
  a reset in the past as a negative time | | | 1795175990 | | | -10000
`)('reads %s', (_, limit, remaining, reset, ...expected) => {
  const reading = read(limit, remaining, reset);
  expect([reading.limit, reading.remaining, reading.resetInMs].map((figure) => `${figure ?? ''}`)).toEqual(expected);
});

it('uses the clock of the service, so that ours may be years off', () => {
  const reset = Date.UTC(2031, 0, 2) / 1000;
  expect(read('', '', `${reset}`, 'Wed, 01 Jan 2031 12:00:00 GMT').resetInMs).toBe(43_200_000);
});

it('ignores headers that are empty', () => {
  const headers = new Headers({ 'x-ratelimit-limit': '', 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '' });
  const reading = readRateLimit({ headers }, described().quota[0] ?? {}, NOW_MS, NOW_MS);
  expect(reading).toMatchObject({ limit: undefined, remaining: undefined, resetInMs: undefined });
});

it.each([
  ['its Date header', NOON, Date.UTC(2026, 10, 20, 12)],
  ['ours without one', undefined, 42],
  ['ours when it is nonsense', 'noon', 42],
  ['ours when it only looks like a date', '2', 42],
])('serviceClock is %s', (_, date, atMs) => {
  expect(serviceClock(new Headers(date === undefined ? {} : { date }), 42)).toBe(atMs);
});
