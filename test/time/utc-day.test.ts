import { describe, expect, it } from 'vitest';
import { nextUtcMidnightMs, utcDay } from '../../src/time/utc-day.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 22);

describe('utcDay', () => {
  it.each([
    [MIDNIGHT_MS - 1, '2026-11-21'],
    [MIDNIGHT_MS, '2026-11-22'],
  ])('of %i is %s', (atMs, day) => {
    expect(utcDay(atMs)).toBe(day);
  });
});

describe('nextUtcMidnightMs', () => {
  it('is always later than the time it is given', () => {
    expect(nextUtcMidnightMs(MIDNIGHT_MS - 1)).toBe(MIDNIGHT_MS);
    expect(nextUtcMidnightMs(MIDNIGHT_MS)).toBe(MIDNIGHT_MS + 24 * 3600 * 1000);
  });
});
