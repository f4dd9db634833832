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

/** Of a JSON body, or none, and a header. */
const statedIn = (body = '', header = '') => stated(body === '' ? undefined : JSON.parse(body), header || null);

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
  one date twice | | Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT | 37
  decimal seconds | {"retryAfter": 5.5} | | 5.5
  a third of a second | {"retryAfter": 0.3333333333333333} | | 0.3333333333333333
  no wait | {"retryAfter": 0} | | 0
  a text | {"retryAfter": "30"} | | 30
  a Unix time | {"retryAfter": 784111777} | | 37
  an ISO date | {"retryAfter": "1994-11-06T08:49:37Z"} | | 37
  a wait beside other fields | {"_tag": "RateLimitExceeded", "message": "later", "retryAfter": 20} | | 20
  the larger of two, the header | {"retryAfter": 5} | 10 | 10
  the larger of two, the body | {"retryAfter": 10} | 5 | 10
  the same twice | {"retryAfter": 5} | 5 | 5
  the larger of two, in decimals | {"retryAfter": 5.5} | 6 | 6
  no wait beside nonsense | {"retryAfter": 0} | nonsense | 0
  no wait beside what is below 0 | {"retryAfter": -3} | 0 | 0
  the larger of two, a date | {"retryAfter": 60} | Sun, 06 Nov 1994 08:51:00 GMT | 120
  milliseconds beside a header in seconds | {"retryAfter": 7000} | 7 | 7
  milliseconds beside a header that is rounded up | {"retryAfter": 6120} | 7 | 7
  milliseconds beside a header that is rounded up from little | {"retryAfter": 100} | 1 | 1
  milliseconds beside a header that is rounded down | {"retryAfter": 8000} | 7 | 8
  milliseconds beside a header that is a date | {"retryAfter": 37000} | Sun, 06 Nov 1994 08:49:37 GMT | 37
  more than a month, were it seconds | {"retryAfter": 3600000} | 3600 | 3600
  milliseconds beside the message | {"message": "Slow down. Retry after 7 seconds.", "retryAfter": 7000} | | 7
  milliseconds beside decimals in the message | {"message": "Slow down. Retry in 0.25s", "retryAfter": 250} | | 0.25
  seconds, ten times the header | {"retryAfter": 60} | 6 | 60
  few seconds beside a header without any wait | {"retryAfter": 5} | 0 | 5
  seconds, a little more than the header | {"retryAfter": 8} | 7 | 8
  seconds, a thousand times what is two off | {"retryAfter": 3000} | 1 | 3000
  seconds, less than a hundred times the header | {"retryAfter": 99} | 1 | 99
  seconds, a hundred times the header | {"retryAfter": 700} | 7 | 700
  seconds, ten thousand times the header | {"retryAfter": 70000} | 7 | 70000
  seconds, as many as in the message | {"message": "Retry after 7000 seconds.", "retryAfter": 7000} | | 7000
  seconds beside a message without any | {"message": "Slow down.", "retryAfter": 7000} | | 7000
`)('states %s: %s %s', (_, body, header, seconds) => {
  expect(statedIn(body, header)).toBe(Number(seconds));
});

it.each(table`
  none | |
  a negative number | | -5
  a number without a digit before the point | | .5
  an exponent | | 1e3
  hexadecimal | | 0x10
  a number with its unit | | 10s
  two numbers | | 5, 10
  more than a month | | 2678401
  seconds since 1970 | | 1795226601
  more digits than a number holds | | ${'9'.repeat(400)}
  a date that is past | | Sun, 06 Nov 1994 08:48:59 GMT
  a date over a month ahead | | Sun, 06 Nov 2094 08:49:37 GMT
  a date that is none | | Sun, 99 Nov 1994 08:49:37 GMT
  a date in another zone | | Sun, 06 Nov 1994 08:49:37 +0100
  an ISO date | | 1994-11-06T08:49:37Z
  a bare month | | Nov
  text | | in a minute
  a number with its unit | {"retryAfter": "5 s"} |
  a negative number | {"retryAfter": -1} |
  null | {"retryAfter": null} |
  more than a month | {"retryAfter": 2678401} |
  more than a number holds | {"retryAfter": 1e999} |
  nothing | {} |
  a list | [] |
  null | null |
  text | "later" |
`)('states nothing with %s: %s %s', (_, body, header) => {
  expect(statedIn(body, header)).toBeUndefined();
});

it('states nothing with an empty header, or with what is no number, and seconds with spaces around', () => {
  const nothing = [stated(undefined, ''), stated({ retryAfter: Number.NaN }, null)];
  expect([...nothing, stated(undefined, ' 7 ')]).toEqual([undefined, undefined, 7]);
});

it('is relative to the clock of the service, whatever ours shows', () => {
  expect(stated(undefined, 'Sun, 06 Nov 1994 08:49:37 GMT', NOW_MS + 30_000)).toEqual(7);
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
