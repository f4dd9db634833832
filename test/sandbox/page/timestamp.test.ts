import { expect, it } from 'vitest';
import { timestampText } from '../../../sandbox/page/timestamp.ts';

const NOON_S = Date.UTC(2026, 4, 17, 12, 0, 0) / 1000;
const view = { locale: 'en-US', nowMs: NOON_S * 1000, timeZone: 'UTC' };

it.each([
  [0, 'now'],
  [45, 'in 45 seconds'],
  [-1, '1 second ago'],
  [-90, '1 minute ago'],
  [7_200, 'in 2 hours'],
  [-86_400 * 3, '3 days ago'],
  [86_400 * 70, 'in 2 months'],
  [-86_400 * 800, '2 years ago'],
])('describes a time %i seconds from now as: %s', (secondsAway, words) => {
  expect(timestampText(NOON_S + secondsAway, 'R', view)).toBe(words);
});

it.each([
  ['t', '12:00 PM'],
  ['T', '12:00:00 PM'],
  ['d', '5/17/26'],
  ['D', 'May 17, 2026'],
  ['f', 'May 17, 2026 at 12:00 PM'],
  ['F', 'Sunday, May 17, 2026 at 12:00 PM'],
] as const)('writes style %s as %s', (style, words) => {
  expect(timestampText(NOON_S, style, view).replace(/\s/g, ' ')).toBe(words);
});

it("uses the member's language", () => {
  expect(timestampText(NOON_S + 60, 'R', { ...view, locale: 'de' })).toBe('in 1 Minute');
});
