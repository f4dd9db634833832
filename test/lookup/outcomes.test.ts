import { expect, it } from 'vitest';
import type { Progress } from '../../src/lookup/fair-queue.ts';
import { Lookups, type LookupsOptions } from '../../src/lookup/lookups.ts';
import { Stopping } from '../../src/model/errors.ts';
import { NOON_MS, requesterOf } from '../support/lookup-queue.ts';

const WANTED = { requester: requesterOf('alice'), receivedAtMs: NOON_MS, deadlineMs: Infinity, isTakenOver: true };

/** A reply of one card, which is missing. */
function openedOver(admitted: Awaited<ReturnType<LookupsOptions['lookupQueue']['admit']>>) {
  return Lookups.open([{ cardId: 'a', showPrices: true }], WANTED, {
    cards: { known: async () => ({ kind: 'missing' }) },
    lookupQueue: { admit: async () => admitted },
    ledger: { saved() {} },
    longestWaitMs: 0,
  });
}

/** One whose lookup has gone so far, and is answered then. */
function lookedUp(how: Partial<Progress>, fetchedAtMs = 0) {
  const progress = { requestNumbers: new Set<number>(), ...how };
  return openedOver({ reservation: { progress, start: async () => ({ card: undefined, fetchedAtMs }), cancel() {} } });
}

it.each<[string, Partial<Progress>, number]>([
  ['5 s after its request has left', { requestedAtMs: 7 }, 5_007],
  ['5 s after another process has asked', { askedElsewhereAtMs: 7 }, 5_007],
  ['not while it waits for another permit after a failure', { requestedAtMs: 7, permitAtMs: 9 }, Infinity],
  ['not while it waits for its first', { permitAtMs: 9 }, Infinity],
])('an answer is slow %s', async (_, how, atMs) => {
  expect((await lookedUp(how)).standing().slowAtMs).toBe(atMs);
});

it.each<[string, Partial<Progress>, number, true | undefined]>([
  ['no, when none has left', {}, 7, undefined],
  ['no, when it came before that', { requestedAtMs: 7 }, 6, undefined],
  ['yes, when it came at once', { requestedAtMs: 7 }, 7, true],
])('whether an answer came by a request of its reply: %s', async (_, how, fetchedAtMs, isFetched) => {
  const lookups = await lookedUp(how, fetchedAtMs);
  await lookups.lookUpAll();
  expect(lookups.inTheEnd().cards[0]?.isJustFetched).toBe(isFetched);
});

it('a reply with a card that a stop keeps from the queue is left to the next process', async () => {
  const lookups = await openedOver({ refusal: new Stopping() });
  expect(lookups.standing()).toEqual({ cards: 0, end: 'stopped' });
});
