import { expect, it } from 'vitest';
import { slowAtMs } from '../../src/lookup/outcomes.ts';
import type { Progress } from '../../src/lookup/pending-lookup.ts';

it.each<[string, Partial<Progress>, number]>([
  ['5 s after its request has left', { requestedAtMs: 7 }, 5_007],
  ['5 s after another process has asked', { askedElsewhereAtMs: 7 }, 5_007],
  ['not while it waits for another permit after a failure', { requestedAtMs: 7, permitAtMs: 9 }, Infinity],
  ['not while it waits for its first', { permitAtMs: 9 }, Infinity],
])('an answer is slow %s', (_, how, atMs) => {
  const progress = { requestNumbers: new Set<number>(), ...how };
  const reservation = { progress, start: () => Promise.reject(), cancel() {} };
  expect(slowAtMs([{ reservation }])).toBe(atMs);
});
