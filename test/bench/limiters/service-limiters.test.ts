import { expect, it } from 'vitest';
import {
  EVENLY_DELAYING,
  type Limiter,
  SLIDING_LOG,
  WINDOW_BEGUN_ANEW,
  WINDOW_WITH_PENALTY,
} from './service-limiters.ts';

/** Each ruling as a delay (`+3`) or a stated wait (`429 17`), in seconds. */
function rulings({ begin }: Limiter, atSeconds: readonly number[]): string {
  const rule = begin();
  const words = atSeconds.map((seconds) => {
    const ruling = rule(seconds * 1_000);
    return 'delayMs' in ruling
      ? `+${Math.ceil(ruling.delayMs / 1_000)}`
      : `429 ${Math.ceil(ruling.retryAfterMs / 1_000)}`;
  });
  return words.join(', ');
}

/** So many at once, and then these. */
const after = (count: number, ...seconds: number[]) => [...Array(count).fill(0), ...seconds];

// The last three are recorded from @fastify/rate-limit 11 and rate-limiter-flexible 11.
it.each<[string, Limiter, number[], string]>([
  ['a log', SLIDING_LOG, after(9, 30, 40, 59, 60), `${'+0, '.repeat(10)}429 20, 429 1, +0`],
  [
    'continueExceeding',
    WINDOW_BEGUN_ANEW,
    after(10, 0, 59, 118, 179),
    `${'+0, '.repeat(10)}429 60, 429 60, 429 60, +0`,
  ],
  ['blockDuration', WINDOW_WITH_PENALTY, after(10, 30, 60, 149, 150), `${'+0, '.repeat(10)}429 120, 429 90, 429 1, +0`],
  ['execEvenly', EVENLY_DELAYING, after(3, 54, 55, 59, 60, 61), '+0, +6, +7, +24, +30, +36, +0, +12'],
])('decides as %s does', (_, limiter, atSeconds, expected) => {
  expect(rulings(limiter, atSeconds)).toBe(expected);
});
