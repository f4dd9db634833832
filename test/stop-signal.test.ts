import { expect, it } from 'vitest';
import { isImpatient } from '../src/stop-signal.ts';

it.each([
  [0, false],
  [3, false],
  [999, false],
  [1_000, true],
  [60_000, true],
])('a signal %i ms after the first is somebody who does not want to wait: %s', (afterMs, isMeant) => {
  expect(isImpatient(5_000, 5_000 + afterMs)).toBe(isMeant);
});
