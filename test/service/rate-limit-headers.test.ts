import { describe, expect, it } from 'vitest';
import { readRateLimit, readRateLimits, serviceClock } from '../../src/service/rate-limit-headers.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const RESET_SECONDS = Date.UTC(2026, 10, 21) / 1000;
const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT';
const HALF_A_DAY_MS = 12 * 3600 * 1000;

function read(headers: Record<string, string>) {
  return readRateLimit({ headers: new Headers(headers) }, described().quota[0] ?? {}, NOW_MS - 50, NOW_MS);
}

it('reads of a service whose description has no window at least that an answer came', () => {
  const reading = { limit: undefined, sentAtMs: NOW_MS - 50, receivedAtMs: NOW_MS };
  expect(readRateLimits({ headers: new Headers() }, [], NOW_MS - 50, NOW_MS)).toMatchObject([reading]);
});

describe('readRateLimit', () => {
  it('reads the three headers, with the times of the request', () => {
    const headers = {
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': `${RESET_SECONDS}`,
    };
    expect(read({ ...headers, date: NOON })).toEqual({
      limit: 1000,
      remaining: 7,
      resetInMs: HALF_A_DAY_MS,
      sentAtMs: NOW_MS - 50,
      receivedAtMs: NOW_MS,
    });
  });

  it('reads nothing without the headers', () => {
    expect(read({})).toMatchObject({ limit: undefined, remaining: undefined, resetInMs: undefined });
  });

  it('ignores a number of requests with decimals', () => {
    const headers = { 'x-ratelimit-limit': '1.5', 'x-ratelimit-remaining': '1.5' };
    expect(read(headers)).toMatchObject({ limit: undefined, remaining: undefined });
  });

  it.each(['', 'many', '-1', '1e3', '0x10', '5, 6', '9'.repeat(16)])('ignores %j', (text) => {
    const headers = { 'x-ratelimit-limit': text, 'x-ratelimit-remaining': text, 'x-ratelimit-reset': text };
    expect(read(headers)).toMatchObject({ limit: undefined, remaining: undefined, resetInMs: undefined });
  });

  it.each(['0', '-1'])('ignores a limit of %s and its remaining', (limit) => {
    const headers = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': '0' };
    expect(read(headers)).toMatchObject({ limit: undefined, remaining: undefined });
  });

  it.each([undefined, 'many'])('reads remaining without a usable limit (%s)', (limit) => {
    const headers = { ...(limit && { 'x-ratelimit-limit': limit }), 'x-ratelimit-remaining': '0' };
    expect(read(headers)).toMatchObject({ limit: undefined, remaining: 0 });
  });

  it.each([1, 1_000])('reads a remaining above its limit as the limit: %i', (limit) => {
    const headers = { 'x-ratelimit-limit': `${limit}`, 'x-ratelimit-remaining': '5000' };
    expect(read(headers)).toMatchObject({ limit, remaining: limit });
  });

  it.each(table`
    as an ISO time | 2026-11-21T00:00:00Z | ${HALF_A_DAY_MS}
    in milliseconds | ${RESET_SECONDS * 1000} | ${HALF_A_DAY_MS}
    with decimals | ${RESET_SECONDS}.25 | ${HALF_A_DAY_MS + 250}
    in milliseconds with decimals | ${RESET_SECONDS * 1000}.4 | ${HALF_A_DAY_MS}
    as a number of seconds from now | 43200 | ${HALF_A_DAY_MS}
    as decimal seconds from now | 59.5 | 59500
    as no time from now | 0 | 0
    at the end of the longest month | ${NOW_MS / 1000 + 31 * 24 * 3600} | ${31 * 2 * HALF_A_DAY_MS}
  `)('reads a reset %s', (_, reset, resetInMs) => {
    expect(read({ 'x-ratelimit-reset': reset, date: NOON }).resetInMs).toBe(Number(resetInMs));
  });

  it.each(table`
    over a month ahead | ${RESET_SECONDS + 31 * 24 * 3600}
    of another century | 946684800
    as a date | Sat, 21 Nov 2026 00:00:00 GMT
  `)('ignores a reset %s', (_, reset) => {
    expect(read({ 'x-ratelimit-reset': reset, date: NOON }).resetInMs).toBeUndefined();
  });

  it('reads a reset in the past as a negative time', () => {
    const reset = String(NOW_MS / 1000 - 10);
    expect(read({ 'x-ratelimit-reset': reset, date: NOON }).resetInMs).toBe(-10_000);
  });

  it('uses the clock of the service, so that ours may be years off', () => {
    const reset = Date.UTC(2031, 0, 2) / 1000;
    const headers = { 'x-ratelimit-reset': `${reset}`, date: 'Wed, 01 Jan 2031 12:00:00 GMT' };
    expect(read(headers).resetInMs).toBe(HALF_A_DAY_MS);
  });
});

it.each([
  ['its Date header', NOON, Date.UTC(2026, 10, 20, 12)],
  ['ours without one', undefined, 42],
  ['ours when it is nonsense', 'noon', 42],
  ['ours when it only looks like a date', '2', 42],
])('serviceClock is %s', (_, date, atMs) => {
  expect(serviceClock(new Headers(date === undefined ? {} : { date }), 42)).toBe(atMs);
});
