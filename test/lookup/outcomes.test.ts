import { expect, it } from 'vitest';
import { isFetchedFor, slowAtMs } from '../../src/lookup/outcomes.ts';
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

it.each([
  ['came at once', 7, 7, true],
  ['came before', 7, 6, false],
  ['none was sent for', undefined, 7, false],
])("an answer that %s was fetched by its reply's request, or not", (_, requestedAtMs, fetchedAtMs, isFetched) => {
  expect(isFetchedFor(requestedAtMs, { card: undefined, fetchedAtMs })).toBe(isFetched);
});
