import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serviceClock, statedLimits, statedWaitSeconds } from '../../src/service/request.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT';
const TIMES = { sentAtMs: NOW_MS - 50, receivedAtMs: NOW_MS };

/** Of the headers that are given. */
function read(limit = '', remaining = '', reset = '', more: Record<string, string> = { date: NOON }) {
  const named = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset, ...more };
  const [reading] = statedLimits({ headers: new Headers(named), ...TIMES }, described().quota);
  return { ...reading };
}

const UNSTATED = { limit: undefined, remaining: undefined, resetInMs: undefined };

it('a service whose description has no window states at least that an answer came', () => {
  expect(statedLimits({ headers: new Headers(), ...TIMES }, [])).toEqual([{ ...UNSTATED, ...TIMES }]);
});

it('an answer that a cache has kept states no more', () => {
  expect(read('1000', '7', '1795219200', { date: NOON, age: '1' })).toEqual({ ...UNSTATED, ...TIMES });
});

it('an answer states the three figures, with the times of the request', () => {
  const figures = { limit: 1000, remaining: 7, resetInMs: 43_200_000 };
  expect(read('1000', '7', '1795219200')).toEqual({ ...figures, ...TIMES });
});

it.each(table`
  nothing with empty headers | | | | | |
  no texts | many | many | many | | |
  no negative numbers of requests | -1 | -1 | | | |
  no exponents | 1e3 | 1e3 | 1e3 | | |
  no two numbers | 5, 6 | 5, 6 | 5, 6 | | |
  no long numbers | 9999999999999999 | 9999999999999999 | 9999999999999999 | | |
  no number of requests with decimals | 1.5 | 1.5 | | | |
  no limit of 0 and its remaining | 0 | 0 | | | |
  a remaining without a limit | | 0 | | | 0 |
  a remaining above its limit as the limit | 1 | 5000 | | 1 | 1 |
  a reset as an ISO time | | | 2026-11-21T00:00:00Z | | | 43200000
  a reset in milliseconds | | | 1795219200000 | | | 43200000
  a reset with decimals | | | 1795219200.25 | | | 43200250
  a reset as a number of seconds from now | | | 43200 | | | 43200000
  a reset as no time from now | | | 0 | | | 0
  a reset at the end of the longest month | | | 1797854400 | | | 2678400000
  no reset over a month ahead | | | 1797897600 | | |
  no reset as a date | | | Sat, 21 Nov 2026 00:00:00 GMT | | |
  a reset in the past as a negative time | | | 1795175990 | | | -10000
`)('an answer states %s', (_, limit, remaining, reset, ...expected) => {
  const reading = read(limit, remaining, reset);
  expect([reading.limit, reading.remaining, reading.resetInMs].map((figure) => `${figure ?? ''}`)).toEqual(expected);
});

it('a reset is by the clock of the service, so that ours may be years off', () => {
  const date = 'Wed, 01 Jan 2031 12:00:00 GMT';
  expect(read('', '', `${Date.UTC(2031, 0, 2) / 1000}`, { date }).resetInMs).toBe(43_200_000);
});

it.each([
  ['its Date header', NOON, Date.UTC(2026, 10, 20, 12)],
  ['ours without one', undefined, 42],
  ['ours when it is nonsense', 'noon', 42],
  ['ours when it only looks like a date', '2', 42],
])('the clock of the service is %s', (_, date, atMs) => {
  expect(serviceClock(new Headers(date === undefined ? {} : { date }), 42)).toBe(atMs);
});

const THEN_MS = Date.UTC(1994, 10, 6, 8, 49, 0);

function wait(value: unknown, header: string | null, date?: string, nowMs = THEN_MS): number | undefined {
  const headers = new Headers({ ...(header !== null && { 'retry-after': header }), ...(date && { date }) });
  return statedWaitSeconds({ value, headers }, nowMs, described().wait);
}

/** Of a JSON body, or none, and a header. */
const waitIn = (body = '', header = '') => wait(body === '' ? undefined : JSON.parse(body), header || null);

it.each(table`
  seconds | | 7 | 7
  no wait | | 0 | 0
  decimal seconds | | 1.5 | 1.5
  a date of today | | Sun, 06 Nov 1994 08:49:37 GMT | 37
  a date as of RFC 850 | | Sunday, 06-Nov-94 08:49:37 GMT | 37
  a date as asctime writes it | | Sun Nov  6 08:49:37 1994 | 37
  the longest wait | | 2678400 | 2678400
  a Unix time | | 784111777 | 37
  one wait twice | | 30, 30 | 30
  decimal seconds | {"retryAfter": 5.5} | | 5.5
  a text | {"retryAfter": "30"} | | 30
  an ISO date | {"retryAfter": "1994-11-06T08:49:37Z"} | | 37
  the larger of two, the header | {"retryAfter": 5} | 10 | 10
  the larger of two, the body | {"retryAfter": 10} | 5 | 10
  no wait beside what is below 0 | {"retryAfter": -3} | 0 | 0
  the larger of two, a date | {"retryAfter": 60} | Sun, 06 Nov 1994 08:51:00 GMT | 120
  milliseconds beside a header in seconds | {"retryAfter": 7000} | 7 | 7
  milliseconds beside a header that is rounded up | {"retryAfter": 6120} | 7 | 7
  milliseconds beside a header that is rounded down | {"retryAfter": 8000} | 7 | 8
  milliseconds beside a header that is a date | {"retryAfter": 37000} | Sun, 06 Nov 1994 08:49:37 GMT | 37
  milliseconds beside the message | {"message": "Slow down. Retry after 7 seconds.", "retryAfter": 7000} | | 7
  seconds, a thousand times what is two off | {"retryAfter": 3000} | 1 | 3000
  seconds, less than a hundred times the header | {"retryAfter": 99} | 1 | 99
  seconds, a hundred times the header | {"retryAfter": 700} | 7 | 700
  seconds, as many as in the message | {"message": "Retry after 7000 seconds.", "retryAfter": 7000} | | 7000
  seconds beside a message without any | {"message": "Slow down.", "retryAfter": 7000} | | 7000
  no wait by none | | |
  no wait by a negative number | | -5 |
  no wait by an exponent | | 1e3 |
  no wait by a number with its unit | | 10s |
  no wait by two numbers | | 5, 10 |
  no wait by more than a month | | 2678401 |
  no wait by seconds since 1970 | | 1795226601 |
  no wait by a date that is past | | Sun, 06 Nov 1994 08:48:59 GMT |
  no wait by a date over a month ahead | | Sun, 06 Nov 2094 08:49:37 GMT |
  no wait by a date that is none | | Sun, 99 Nov 1994 08:49:37 GMT |
  no wait by a date in another zone | | Sun, 06 Nov 1994 08:49:37 +0100 |
  no wait by an ISO date | | 1994-11-06T08:49:37Z |
  no wait by a bare month | | Nov |
  no wait by text | | in a minute |
  no wait by a number with its unit | {"retryAfter": "5 s"} | |
  no wait by a negative number | {"retryAfter": -1} | |
  no wait by null | {"retryAfter": null} | |
  no wait by more than a month | {"retryAfter": 2678401} | |
  no wait by nothing | {} | |
  no wait by null | null | |
`)('what is stated by %s: %s %s', (_, body, header, seconds) => {
  expect(waitIn(body, header)).toBe(seconds ? Number(seconds) : undefined);
});

it('a wait is relative to the clock of the service, whatever ours shows', () => {
  const [date, until] = ['Sun, 06 Nov 1994 08:49:30 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'];
  expect(wait(undefined, until, date)).toEqual(7);
});

const anyHeader = fc.oneof(
  ...[fc.string(), fc.double().map(String), fc.date().map(String), fc.constant(null)],
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
);
const anyBody = fc.oneof(
  ...[fc.anything(), fc.record({ retryAfter: fc.anything() }), fc.record({ retryAfter: fc.double() })],
);

it('whatever a service states is a wait from nothing to 31 days, or no wait at all', () => {
  fc.assert(
    fc.property(anyBody, anyHeader, fc.maxSafeInteger(), (value, header, nowMs) => {
      const seconds = wait(value, header, undefined, nowMs) ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(31 * 24 * 3600);
    }),
  );
});
