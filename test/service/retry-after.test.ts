import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statedWaitSeconds } from '../../src/service/retry-after.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 0);
const LONGEST_SECONDS = 31 * 24 * 3600;

function stated(value: unknown, header: string | null, nowMs = NOW_MS): number | undefined {
  const headers = new Headers(header === null ? {} : { 'retry-after': header });
  return statedWaitSeconds({ value, headers }, nowMs, described().wait);
}

describe('the header Retry-After', () => {
  it.each(table`
    seconds | 7 | 7
    missing | 0 | 0
    decimal seconds | 1.5 | 1.5
    a date of today | Sun, 06 Nov 1994 08:49:37 GMT | 37
    a date as of RFC 850 | Sunday, 06-Nov-94 08:49:37 GMT | 37
    a date as asctime writes it | Sun Nov  6 08:49:37 1994 | 37
    the longest wait | 2678400 | 2678400
    a Unix time | 784111777 | 37
    one wait twice | 30, 30 | 30
    one date twice | Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT | 37
  `)('may state %s', (_, header, seconds) => {
    expect(stated(undefined, header)).toBe(Number(seconds));
  });

  it.each(table`
    missing | 
    a negative number | -5
    a number without a digit before the point | .5
    an exponent | 1e3
    hexadecimal | 0x10
    a number with its unit | 10s
    two numbers | 5, 10
    more than a month | 2678401
    seconds since 1970 | 1795226601
    more digits than a number holds | ${'9'.repeat(400)}
    a date that is past | Sun, 06 Nov 1994 08:48:59 GMT
    a date over a month ahead | Sun, 06 Nov 2094 08:49:37 GMT
    a date that is none | Sun, 99 Nov 1994 08:49:37 GMT
    a date in another zone | Sun, 06 Nov 1994 08:49:37 +0100
    an ISO date | 1994-11-06T08:49:37Z
    a bare month | Nov
    text | in a minute
  `)('states nothing with %s', (_, header) => {
    expect(stated(undefined, header)).toBeUndefined();
  });

  it('is relative to the clock of the service, whatever ours shows', () => {
    const skewed = stated(undefined, 'Sun, 06 Nov 1994 08:49:37 GMT', NOW_MS + 30_000);
    expect(skewed).toEqual(7);
  });
});

describe('the retryAfter of a body', () => {
  it.each([
    [{ retryAfter: 5.5 }, 5.5],
    [{ retryAfter: 0 }, 0],
    [{ retryAfter: '30' }, 30],
    [{ retryAfter: 784111777 }, 37],
    [{ retryAfter: 1 / 3 }, 1 / 3],
    [{ retryAfter: '1994-11-06T08:49:37Z' }, 37],
    [{ _tag: 'RateLimitExceeded', message: 'later', retryAfter: 20 }, 20],
  ])('is a number of seconds, or a time: %j', (body, seconds) => {
    expect(stated(body, null)).toBe(seconds);
  });

  it.each([
    [{ retryAfter: '5 s' }],
    [{ retryAfter: -1 }],
    [{ retryAfter: null }],
    [{ retryAfter: LONGEST_SECONDS + 1 }],
    [{ retryAfter: Number.POSITIVE_INFINITY }],
    [{ retryAfter: Number.NaN }],
    [{}],
    [[]],
    [null],
    ['later'],
    [undefined],
  ])('states nothing in %j', (body) => {
    expect(stated(body, null)).toBeUndefined();
  });
});

it.each(table`
  5 | 10 | 10
  10 | 5 | 10
  5 | 5 | 5
  5.5 | 6 | 6
  0 | nonsense | 0
  -3 | 0 | 0
  60 | Sun, 06 Nov 1994 08:51:00 GMT | 120
`)('body and header together state the larger of %d and %s', (retryAfter, header, wait) => {
  expect(stated({ retryAfter: Number(retryAfter) }, header)).toEqual(Number(wait));
});

describe('a retryAfter in milliseconds', () => {
  const says = (text: string) => ({ message: `Rate limit exceeded. ${text}` });

  it.each<[string, object, string | null, number]>([
    ['a header in seconds', { retryAfter: 7_000 }, '7', 7],
    ['a header that is rounded up', { retryAfter: 6_120 }, '7', 7],
    ['a header that is rounded up from little', { retryAfter: 100 }, '1', 1],
    ['a header that is rounded down', { retryAfter: 8_000 }, '7', 8],
    ['a header that is a date', { retryAfter: 37_000 }, 'Sun, 06 Nov 1994 08:49:37 GMT', 37],
    ['more than a month, were it seconds', { retryAfter: 3_600_000 }, '3600', 3_600],
    ['the seconds of the message', { ...says('Retry after 7 seconds.'), retryAfter: 7_000 }, null, 7],
    ['the decimal seconds of the message', { ...says('Retry in 0.25s'), retryAfter: 250 }, null, 0.25],
  ])('is told by %s', (_, body, header, seconds) => {
    expect(stated(body, header)).toBe(seconds);
  });

  it.each<[string, object, string | null, number]>([
    ['ten times the header', { retryAfter: 60 }, '6', 60],
    ['few of them beside a header without any wait', { retryAfter: 5 }, '0', 5],
    ['a little more than the header', { retryAfter: 8 }, '7', 8],
    ['a thousand times what is two seconds off', { retryAfter: 3_000 }, '1', 3_000],
    ['less than a hundred times the header', { retryAfter: 99 }, '1', 99],
    ['a hundred times the header', { retryAfter: 700 }, '7', 700],
    ['ten thousand times the header', { retryAfter: 70_000 }, '7', 70_000],
    ['as many seconds as in the message', { ...says('Retry after 7000 seconds.'), retryAfter: 7_000 }, null, 7_000],
    ['any number beside a message without one', { ...says('Slow down.'), retryAfter: 7_000 }, null, 7_000],
  ])('is not %s', (_, body, header, seconds) => {
    expect(stated(body, header)).toBe(seconds);
  });
});

describe('whatever a service states', () => {
  const anyHeader = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.date().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.constant(null),
  );
  const anyBody = fc.oneof(
    fc.anything(),
    fc.record({ retryAfter: fc.anything() }),
    fc.record({ retryAfter: fc.double() }),
  );

  it('is a wait from nothing to 31 days, or no wait at all', () => {
    fc.assert(
      fc.property(anyBody, anyHeader, fc.maxSafeInteger(), (body, header, nowMs) => {
        const seconds = stated(body, header, nowMs) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(LONGEST_SECONDS);
      }),
    );
  });
});
