import { describe, expect, it, vi } from 'vitest';
import { NO_OTHER_QUEUES } from '../../src/lookup/fair-order.ts';
import type { Lookup, PendingLookup, Waiter } from '../../src/lookup/pending-lookup.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { RestingCards } from '../../src/lookup/resting-cards.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { Busy, type CardServiceError, CeilingReached, ServiceDown, Stopping } from '../../src/model/errors.ts';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { by, fakeTime, lookup } from '../support/lookup-queue.ts';

const RECORD: CardRecord = { card: undefined, fetchedAtMs: 1 };
const ALICE = { memberId: 'alice', guildId: 'guild' };
const BOB = { memberId: 'bob', guildId: 'guild' };

/** A waiter with what became of it. */
interface Added {
  waiter: Waiter;
  ended: (CardRecord | CardServiceError)[];
}

function queueWith() {
  const resting = new RestingCards();
  const pendingLookups = new PendingLookups(NO_OTHER_QUEUES, resting);
  const add = (wish: Lookup, promisedAtMs = Date.now()): Added => {
    const ended: Added['ended'] = [];
    const waiter = pendingLookups.add(
      { lookup: wish, resolve: (record) => void ended.push(record), reject: (error) => void ended.push(error) },
      promisedAtMs,
    );
    return { waiter, ended };
  };
  const start = (wish: Lookup, promisedAtMs?: number): Added => {
    const added = add(wish, promisedAtMs);
    pendingLookups.start(added.waiter);
    return added;
  };
  const get = (cardId: string) => {
    const pending = pendingLookups.get(cardId);
    if (!pending) throw new Error(`nothing waits for ${cardId}`);
    return pending;
  };
  const batch = (most = 1) => {
    const limits = { most, room: 1, lengthOf: () => 0 };
    return pendingLookups.selectBatch(Date.now(), limits).pending.map(({ cardId }) => cardId);
  };
  return { pendingLookups, resting, add, start, get, batch };
}

it('the fair order puts no newcomer behind a burst of which a later lookup was started before the others', () => {
  const { pendingLookups, add, start, get, batch } = queueWith();
  const burst = ['a', 'b', 'c', 'd'].map((id) => add(lookup(id, by('alice'))));
  for (const { waiter } of burst.slice(-1)) pendingLookups.start(waiter);
  expect(batch()).toEqual(['d']);
  pendingLookups.requested(get('d'), Date.now());

  for (const { waiter } of burst) pendingLookups.start(waiter);
  start(lookup('newcomer', by('bob')));
  const order = ['a', 'newcomer', 'b', 'c'].map((id) => {
    const [next] = batch();
    pendingLookups.requested(get(next ?? ''), Date.now());
    return { id, next };
  });
  expect(order.map(({ next }) => next)).toEqual(order.map(({ id }) => id));
});

it.each<[string, (all: PendingLookups, waiter: Waiter, pending: PendingLookup) => void]>([
  ['they have given up', (all, waiter) => all.cancel(waiter)],
  ['was refused', (all, _, pending) => all.refuse(pending, new Stopping())],
  ['was answered without a request', (all, _, pending) => all.answer(pending, RECORD)],
])('the fair order puts nobody behind for what %s', (_, end) => {
  const { pendingLookups, start, get, batch } = queueWith();
  for (const id of ['a', 'b', 'c']) end(pendingLookups, start(lookup(id, by('alice'))).waiter, get(id));
  start(lookup('d', by('alice')));
  start(lookup('e', by('bob')));
  expect(batch()).toEqual(['d']);
});

it('the fair order puts nobody behind for cards that were under way already when they asked', () => {
  const { pendingLookups, start, get, batch } = queueWith();
  for (const id of ['a', 'b', 'c']) {
    start(lookup(id, by('carol')));
    pendingLookups.requested(get(id), Date.now());
    start(lookup(id, by('alice')));
    pendingLookups.answer(get(id), RECORD);
  }
  start(lookup('d', by('alice')));
  start(lookup('e', by('bob')));
  expect(batch()).toEqual(['d']);
});

describe('a pending lookup', () => {
  it.each([RECORD, new Stopping()])('is one per card, and gives all who wait the same answer or error: %s', (end) => {
    const { pendingLookups, start, get } = queueWith();
    const waiters = [start(lookup('base1-4')), start(lookup('base1-4', by('bob')))];

    expect(pendingLookups.length).toBe(1);
    if (end instanceof Stopping) pendingLookups.refuse(get('base1-4'), end);
    else pendingLookups.answer(get('base1-4'), end);
    expect(waiters.map(({ ended }) => ended)).toEqual([[end], [end]]);
    expect(pendingLookups.get('base1-4')).toBeUndefined();
  });

  it('wants prices as soon as one waiter does', () => {
    const { start, get } = queueWith();
    start(lookup('base1-4', { showPrices: false }));
    expect(get('base1-4').wantsPrices).toBe(false);
    start(lookup('base1-4', { ...by('bob'), showPrices: true }));
    expect(get('base1-4').wantsPrices).toBe(true);
  });

  it('keeps the earliest time that was promised to a waiter', () => {
    const { start, get } = queueWith();
    start(lookup('base1-4'), 5_000);
    start(lookup('base1-4', by('bob')), 3_000);
    start(lookup('base1-4', by('carol')), 9_000);
    start(lookup('base1-4', { lane: 'renewals' }), 1_000); // which has no promise that counts for members
    expect(get('base1-4').promisedAtMs).toBe(3_000);
  });

  it('is lifted by a member who joins a renewal: that member is booked, and the promise is theirs', () => {
    const { start, get } = queueWith();
    start(lookup('base1-4', { lane: 'renewals' }), 3_000);
    start(lookup('base1-4', by('bob')), 5_000);
    expect(get('base1-4')).toMatchObject({ lane: 'members', bookedOn: BOB, promisedAtMs: 5_000 });
  });

  it('for watches is lifted by whoever joins it, a renewal or a member', () => {
    const { start, get } = queueWith();
    start(lookup('base1-4', { lane: 'watches', requester: WATCHES_REQUESTER }));
    start(lookup('base1-4', { ...by('bob'), lane: 'renewals' }));
    expect(get('base1-4')).toMatchObject({ lane: 'renewals', bookedOn: BOB });
    start(lookup('base1-4'));
    expect(get('base1-4')).toMatchObject({ lane: 'members', bookedOn: ALICE });
  });

  it('is a renewal again when the member who lifted it leaves', () => {
    const { pendingLookups, start, get } = queueWith();
    start(lookup('base1-4', { lane: 'renewals' }));
    const { waiter } = start(lookup('base1-4', by('bob')));
    pendingLookups.cancel(waiter);
    expect(get('base1-4')).toMatchObject({ lane: 'renewals', bookedOn: ALICE });
  });

  it('has the place of the first again when one with a better place leaves', () => {
    const { pendingLookups, start, get } = queueWith();
    start(lookup('base1-1'));
    start(lookup('base1-4'), 3_000);
    const { rank, arrival } = get('base1-4');
    const { waiter } = start(lookup('base1-4', by('bob', 'elsewhere')), 5_000);
    expect(get('base1-4').rank).not.toEqual(rank);
    pendingLookups.cancel(waiter);
    expect(get('base1-4')).toMatchObject({ rank, arrival });
  });

  it('stays booked on its first requester while others of the lane join', () => {
    const { start, get } = queueWith();
    start(lookup('base1-4'));
    start(lookup('base1-4', by('bob')));
    start(lookup('base1-4', { ...by('carol'), lane: 'renewals' }));
    expect(get('base1-4').bookedOn).toEqual(ALICE);
  });

  it('is booked on the next requester when the first leaves, and ends when all have left', () => {
    const { pendingLookups, add, get } = queueWith();
    const [first, second] = [add(lookup('base1-4')), add(lookup('base1-4', by('bob')))];
    pendingLookups.cancel(first.waiter);
    expect(get('base1-4').bookedOn).toEqual(BOB);
    pendingLookups.cancel(second.waiter);
    expect(pendingLookups.get('base1-4')).toBeUndefined();
    expect([first.ended, second.ended]).toEqual([[], []]);
  });

  it('notes for all who wait when its request leaves, and for who joins later when they do', () => {
    fakeTime();
    const { pendingLookups, add, get } = queueWith();
    const first = add(lookup('base1-4', by('first')));
    pendingLookups.requested(get('base1-4'), Date.now());
    vi.advanceTimersByTime(10);
    const second = add(lookup('base1-4', by('second')));
    const requestedAtMs = [first, second].map(({ waiter }) => waiter.progress.requestedAtMs);
    expect(requestedAtMs).toEqual([Date.now() - 10, Date.now()]);
  });

  it('tells all who wait, once, that another process requests the card', () => {
    fakeTime();
    const { start, get } = queueWith();
    const waiters = ['first', 'second'].map((member) => start(lookup('base1-4', by(member))).waiter);
    const onProgress = vi.fn();
    for (const waiter of waiters) waiter.onProgress = onProgress;
    get('base1-4').askedElsewhere();
    vi.advanceTimersByTime(10);
    get('base1-4').askedElsewhere();
    expect(onProgress).toHaveBeenCalledTimes(2);
    expect(waiters.map(({ progress }) => progress.askedElsewhereAtMs)).toEqual(Array(2).fill(Date.now() - 10));
  });

  it('tells all who wait that its request leaves', () => {
    const { pendingLookups, start, get } = queueWith();
    const onProgress = vi.fn();
    for (const member of ['first', 'second']) start(lookup('base1-4', by(member))).waiter.onProgress = onProgress;
    pendingLookups.requested(get('base1-4'), Date.now());
    expect(onProgress).toHaveBeenCalledTimes(2);
  });

  it('whose request brought no answer waits again, unless all have left', () => {
    const { pendingLookups, start, get, batch } = queueWith();
    const { waiter } = start(lookup('base1-4'));
    start(lookup('base1-5', by('bob')));
    for (const cardId of ['base1-4', 'base1-5']) pendingLookups.requested(get(cardId), Date.now());
    expect(pendingLookups.length).toBe(0);
    pendingLookups.cancel(waiter);

    for (const cardId of ['base1-4', 'base1-5']) pendingLookups.requeue(get(cardId));
    expect(pendingLookups.get('base1-4')).toBeUndefined();
    expect(batch()).toEqual(['base1-5']);
  });
});

it('a card that some may not cost more for is kept for the others, and for nobody if there are none', () => {
  const { pendingLookups, start, get, batch } = queueWith();
  const wishes = [lookup('a'), lookup('a', by('bob')), lookup('b'), lookup('c', by('bob'))];
  const added = wishes.map((wish) => start(wish));
  const isOfAlice = ({ requester }: Lookup) => requester.memberId === 'alice';
  for (const id of ['a', 'b', 'c']) pendingLookups.leave(get(id), isOfAlice, new CeilingReached());
  const refused = [expect.any(CeilingReached)];
  expect(added.map(({ ended }) => ended)).toEqual([refused, [], refused, []]);
  expect(get('a').bookedOn).toEqual(BOB);
  expect(batch(9)).toEqual(['a', 'c']);
});

describe('a batch', () => {
  it('is the first card in fair order, and of a larger size the next ones with it', () => {
    const { start, batch } = queueWith();
    for (const cardId of ['a', 'b', 'c']) start(lookup(cardId));
    start(lookup('d', by('bob')));
    start(lookup('e', { lane: 'renewals' }));
    expect(batch()).toEqual(['a']);
    expect(batch(2)).toEqual(['a', 'd']);
    expect(batch(9)).toEqual(['a', 'd', 'b', 'c', 'e']);
  });

  it('leaves out what is only reserved, under way or to be retried later', () => {
    fakeTime();
    const { pendingLookups, add, start, get, batch } = queueWith();
    add(lookup('reserved'));
    for (const cardId of ['under way', 'failed', 'ready']) start(lookup(cardId));
    pendingLookups.requested(get('under way'), Date.now());
    pendingLookups.postpone(get('failed'), 30_000);
    expect(batch(9)).toEqual(['ready']);
    expect(pendingLookups.nextRetryInMs()).toBe(30_000);
  });

  it('leaves out what was started and left since, as long as another only reserves it', () => {
    const { pendingLookups, add, start, batch } = queueWith();
    add(lookup('base1-4'));
    const { waiter } = start(lookup('base1-4', by('bob')));
    expect(batch()).toEqual(['base1-4']);
    pendingLookups.cancel(waiter);
    expect(batch()).toEqual([]);
  });

  it('takes a retry when its wait is over, however the clock was set since', () => {
    fakeTime();
    const { pendingLookups, start, get, batch } = queueWith();
    start(lookup('base1-4'));
    pendingLookups.postpone(get('base1-4'), 30_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(batch()).toEqual([]);
    vi.advanceTimersByTime(30_000);
    expect(batch()).toEqual(['base1-4']);
  });

  it('leaves a card out that the service wants no request for, also once it is wanted anew', () => {
    fakeTime();
    const { pendingLookups, resting, start, batch } = queueWith();
    resting.failed('base1-4', new ServiceDown({ reason: 'it answered 503', retryAfterMs: 30_000 }));
    start(lookup('base1-4'));
    expect(pendingLookups.postponedUntilMs('base1-4')).toBe(Date.now() + 30_000);
    expect(batch()).toEqual([]);
    vi.advanceTimersByTime(30_000);
    expect(batch()).toEqual(['base1-4']);
  });
});

it('that was put off while it was served is served once by the next batch, when the batch before has ended', () => {
  fakeTime();
  const { pendingLookups, start, get, batch } = queueWith();
  start(lookup('base1-4'));
  const ended = pendingLookups.serve([get('base1-4')]);
  pendingLookups.postpone(get('base1-4'), 50); // another process has the card
  vi.advanceTimersByTime(50);
  expect(batch()).toEqual(['base1-4']);
  pendingLookups.serve([get('base1-4')]);
  ended();
  expect(batch()).toEqual([]);
});

describe('an announcement', () => {
  it('gives each member the time of their permit, not before a retry, and renewals none', () => {
    fakeTime();
    const { pendingLookups, start, get } = queueWith();
    const nowMs = Date.now();
    const waiters = [by('alice'), by('bob'), { lane: 'renewals' } as const].map((more, at) => {
      const { waiter } = start(lookup('abc'[at] ?? '', more));
      return Object.assign(waiter, { onProgress: vi.fn() });
    });
    pendingLookups.postpone(get('b'), 50_000);

    pendingLookups.announce((position) => nowMs + position * 6_000, true, nowMs);
    expect(waiters.map(({ progress }) => progress.permitAtMs)).toEqual([nowMs + 6_000, nowMs + 50_000, undefined]);
    expect(waiters.map(({ onProgress }) => onProgress.mock.calls.length)).toEqual([1, 1, 0]);
  });

  it('refuses who cannot wait until then, and keeps the others of the card', () => {
    fakeTime();
    const { pendingLookups, start, get } = queueWith();
    const nowMs = Date.now();
    const impatient = start(lookup('base1-4', { deadlineMs: nowMs + 1_000 }));
    const patient = start(lookup('base1-4', by('bob')));

    pendingLookups.announce(() => nowMs + 6_000, true, nowMs);
    expect(impatient.ended).toEqual([expect.any(Busy)]);
    expect(impatient.ended[0]).toMatchObject({ untilMs: nowMs + 6_000 });
    expect(patient.ended).toEqual([]);
    expect(get('base1-4').bookedOn).toEqual(BOB);
  });
});

it('what waits to be booked is counted by member and by Discord server, once per card', () => {
  const { pendingLookups, start } = queueWith();
  start(lookup('a'));
  start(lookup('a', by('bob')));
  start(lookup('b', by('bob')));
  start(lookup('c', by('alice', 'elsewhere')));
  expect(pendingLookups.order.queuedBy(ALICE)).toEqual({ member: 2, guild: 2 });
  expect(pendingLookups.order.queuedBy(BOB)).toEqual({ member: 1, guild: 2 });
});
