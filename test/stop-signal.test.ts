import { expect, it } from 'vitest';
import { isSecondRequest } from '../src/stop-signal.ts';

it.each([
  [0, false],
  [3, false],
  [999, false],
  [1_000, true],
  [60_000, true],
])('a signal %i ms after the first asks for an immediate exit: %s', (afterMs, expected) => {
  expect(isSecondRequest(5_000, 5_000 + afterMs)).toBe(expected);
});
