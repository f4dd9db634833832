import { expect, it } from 'vitest';
import { type TimestampStyle, timestampText } from '../../../sandbox/page/timestamp.ts';
import { table } from '../../table.ts';

const NOON_S = Date.UTC(2026, 4, 17, 12, 0, 0) / 1000;

it.each(table`
  0 | R | en-US | now
  45 | R | en-US | in 45 seconds
  -1 | R | en-US | 1 second ago
  -90 | R | en-US | 1 minute ago
  7200 | R | en-US | in 2 hours
  -259200 | R | en-US | 3 days ago
  6048000 | R | en-US | in 2 months
  -69120000 | R | en-US | 2 years ago
  60 | R | de | in 1 Minute
  0 | t | en-US | 12:00 PM
  0 | T | en-US | 12:00:00 PM
  0 | d | en-US | 5/17/26
  0 | D | en-US | May 17, 2026
  0 | f | en-US | May 17, 2026 at 12:00 PM
  0 | F | en-US | Sunday, May 17, 2026 at 12:00 PM
`)('a time %s seconds from now in the style %s and in %s: %s', (secondsAway, style, locale = '', words) => {
  const view = { locale, nowMs: NOON_S * 1000, timeZone: 'UTC' };
  const shown = timestampText(NOON_S + Number(secondsAway), style as TimestampStyle, view);
  expect(shown.replace(/\s/g, ' ')).toBe(words);
});
