import { describe, expect, it } from 'vitest';
import { age, clockTime, fromTime } from '../../src/render/times.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = NOON_MS / 1000;
const HOUR_MS = 3_600_000;

describe('a time to come in a sentence', () => {
  it.each<[string, number, string]>([
    ['is a clock time', HOUR_MS, `at <t:${NOON + 3_600}:t>`],
    [
      'is a full minute, since a clock time shows no seconds and a member should not return too early',
      1_001,
      `at <t:${NOON + 60}:t>`,
    ],
    [
      'is not a minute later for the part of a second that a Date header leaves open',
      3_600_999,
      `at <t:${NOON + 3_600}:t>`,
    ],
    ['has no date when it is 20 hours away', 20 * HOUR_MS, `at <t:${NOON + 72_000}:t>`],
    ['has a date when it is further away', 20 * HOUR_MS + 1_001, `on <t:${NOON + 72_060}:f>`],
    ['is "now" once it is past', 0, 'now'],
    ['is "now" long after it, too', -HOUR_MS, 'now'],
  ])('%s', (_, awayMs, shown) => {
    expect(fromTime('en-US', NOON_MS + awayMs, NOON_MS)).toBe(shown);
  });
});

it('a clock time is in seconds, rounded up', () => {
  expect(clockTime(NOON_MS + 1)).toBe(`<t:${NOON + 1}:t>`);
});

it('a moment that is past is never shown as one to come', () => {
  expect(age(NOON_MS + 999)).toBe(`<t:${NOON}:R>`);
});
