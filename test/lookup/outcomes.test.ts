import { expect, it } from 'vitest';
import { Lookups, type LookupsOptions } from '../../src/lookup/lookups.ts';
import { isFetchedFor, slowAtMs } from '../../src/lookup/outcomes.ts';
import type { Progress } from '../../src/lookup/pending-lookup.ts';
import { Stopping } from '../../src/model/errors.ts';
import { by, NOON_MS } from '../support/lookup-queue.ts';

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
  ['no, when none has left', undefined, 7, false],
  ['no, when it came before that', 7, 6, false],
  ['yes, when it came at once', 7, 7, true],
])('whether an answer came by a request of its reply: %s', (_, requestedAtMs, fetchedAtMs, isFetched) => {
  expect(isFetchedFor(requestedAtMs, { card: undefined, fetchedAtMs })).toBe(isFetched);
});

it('a reply with a card that a stop keeps from the queue is left to the next process', async () => {
  const refused = () => ({ refusal: new Stopping() });
  const options: LookupsOptions = {
    cards: { known: async () => ({ kind: 'missing' }) },
    lookupQueue: { admit: async () => refused(), admitAgain: refused },
    ledger: { saved() {} },
    longestWaitMs: 0,
  };
  const wanted = { ...by('alice'), receivedAtMs: NOON_MS, deadlineMs: Infinity };
  const lookups = await Lookups.resume([{ cardId: 'a', showPrices: true }], wanted, options);
  expect(lookups.standing()).toEqual({ cards: 0, end: 'stopped' });
});
