import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { LookupRequests } from '../../src/lookup/lookup-requests.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { RestingCards } from '../../src/lookup/resting-cards.ts';
import type { CardRecord, Known } from '../../src/model/card.ts';
import type { Claims } from '../../src/model/claims.ts';
import {
  CardServiceError,
  CeilingReached,
  RateLimited,
  ServiceDown,
  Stopping,
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import { Events } from '../../src/model/events.ts';
import type { Fetched } from '../../src/service/card-service.ts';
import { logLines } from '../support/log-lines.ts';
import { by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const PERMIT = { probe: false, leftAtMs: Date.now() };
const FOUND = { id: 'base1-4', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'Base' } };
const RECORD: CardRecord = { card: FOUND, fetchedAtMs: 1 };

const UNMEASURED = { room: 1, lengthOf: () => 0 };

/** Requests whose answer is `answer`, over pending lookups of `base1-4` by Alice and `base1-5` by Bob. */
function batchOfTwo(answer: (signal?: AbortSignal) => Promise<Fetched['cards']>, busy: readonly string[] = []) {
  fakeTime();
  const { limiter, ledger } = lookupQueueOver(new EmbeddedCardService());
  const release = vi.spyOn(limiter, 'release');
  const resting = new RestingCards();
  const pendingLookups = new PendingLookups(undefined, resting);
  const ended: Record<string, CardRecord | CardServiceError> = {};
  const members: Record<string, ReturnType<typeof by>> = {}; // one for all cards of a list
  const wish = (cardId: string, member: string, showPrices = true) => {
    members[member] ??= by(member);
    const end = (outcome: CardRecord | CardServiceError) => void Object.assign(ended, { [member]: outcome });
    const added = { lookup: lookup(cardId, { ...members[member], showPrices }), resolve: end, reject: end };
    pendingLookups.start(pendingLookups.add(added, Date.now()));
  };
  wish('base1-4', 'alice');
  wish('base1-5', 'bob');
  const claimed = new Set<string>();
  const claims: Claims = {
    isShared: true,
    async claim(name, terms) {
      expect(terms).toEqual({ ttlMs: 12_000, endsWithOwner: true }); // so long may a request take, and then storing its answer
      if (busy.includes(name.slice('card:'.length))) return { heldForMs: 1 };
      claimed.add(name);
      return 'mine';
    },
    release: async (name) => void claimed.delete(name),
  };
  const fetch = vi.fn(
    async (_: readonly string[], signal?: AbortSignal): Promise<Fetched> => ({
      cards: await answer(signal),
    }),
  );
  const knownBeforeRequest = vi.fn(async (_: string): Promise<Known> => ({ kind: 'missing' }));
  const store = vi.fn(
    async (found: Fetched['cards'], _: ReadonlyMap<string, CardRecord | undefined>) =>
      new Map([...found].map(([id, one]) => [id, one instanceof CardServiceError ? one : RECORD] as const)),
  );
  const { log, lines } = logLines();
  const events = new Events();
  const endpoints: string[] = [];
  onTestFinished(events.subscribe('request', ({ endpoint }) => void endpoints.push(endpoint)));
  const requests = new LookupRequests({
    pendingLookups,
    cards: { knownBeforeRequest, store, resting },
    service: { fetch },
    limiter,
    ledger,
    claims,
    requestTimeoutMs: 10_000,
    events,
    log,
  });
  const select = (most = 2) => pendingLookups.selectBatch(Date.now(), { ...UNMEASURED, most }).pending;
  const send = async (most?: number) => requests.sendWanted(await requests.prepare(select(most)), PERMIT);
  const booked = async (memberId: string) => {
    const { requests, saved } = await ledger.memberToday(memberId);
    return { requests, saved };
  };
  return {
    requests,
    pendingLookups,
    select,
    send,
    wish,
    ended,
    claimed,
    fetch,
    knownBeforeRequest,
    store,
    release,
    booked,
    endpoints,
    lines,
  };
}

describe('a batch of two', () => {
  it('is one request under one permit, booked on the requester of the first; the others are saved one, and so is the first for another card', async () => {
    const it = batchOfTwo(
      async () =>
        new Map([
          ['base1-4', FOUND],
          ['base1-5', FOUND],
        ]),
    );
    for (const member of ['carol', 'alice']) it.wish('base1-5', member);
    await it.send();

    expect(it.fetch.mock.calls.map(([ids]) => ids)).toEqual([['base1-4', 'base1-5']]);
    expect(it.release.mock.calls).toEqual([[PERMIT, { kind: 'answered', cardIds: ['base1-4', 'base1-5'], cards: 2 }]]);
    expect(it.endpoints).toEqual(['cards']);
    expect(it.ended).toEqual({ alice: RECORD, bob: RECORD, carol: RECORD });
    expect(await it.booked('alice')).toEqual({ requests: 1, saved: 1 });
    expect(await it.booked('bob')).toEqual({ requests: 0, saved: 1 });
    expect(await it.booked('carol')).toEqual({ requests: 0, saved: 1 });
    expect(it.claimed.size).toBe(0);
  });

  it('puts a card that the answer leaves out back into its place, by itself, with no failed attempt', async () => {
    const it = batchOfTwo(async () => new Map([['base1-4', FOUND]]));
    it.wish('base1-6', 'bob');
    await it.send();

    expect(it.ended).toEqual({ alice: RECORD });
    expect(it.pendingLookups.get('base1-5')).toMatchObject({ state: { kind: 'waiting' } });
    expect(it.select().map(({ cardId }) => cardId)).toEqual(['base1-5']);
    expect(it.claimed.size).toBe(0);
  });

  it('ends a card with its own error, and the other with its answer', async () => {
    const error = new UnexpectedAnswer({ detail: 'name' });
    const it = batchOfTwo(
      async () =>
        new Map<string, typeof FOUND | UnexpectedAnswer>([
          ['base1-4', error],
          ['base1-5', FOUND],
        ]),
    );
    await it.send();

    expect(it.ended).toEqual({ alice: error, bob: RECORD });
    expect(it.lines.map(({ msg, cardId }) => [msg, cardId])).toEqual([
      ['card requested', undefined],
      ['card request failed', 'base1-4'],
    ]);
  });

  it('waits for the next permit as a whole after a 429', async () => {
    const it = batchOfTwo(() => Promise.reject(new RateLimited({ seconds: 5 })));
    await it.send();
    expect(it.ended).toEqual({});
    expect(it.select().map(({ cardId }) => cardId)).toEqual(['base1-4', 'base1-5']);
    expect(await it.booked('alice')).toEqual({ requests: 0, saved: 0 });
  });

  it('is tried again later as a whole when the service is down, three times, and at last each card by itself', async () => {
    const it = batchOfTwo(() => Promise.reject(new ServiceDown({ reason: 'it answered 503' })));
    for (const waitMs of [1_000, 2_000, 2_000]) {
      await it.send();
      expect(it.ended).toEqual({});
      expect(it.select()).toEqual([]);
      vi.advanceTimersByTime(waitMs);
    }
    await it.send();
    expect(Object.keys(it.ended)).toEqual(['alice']);
    await it.send();
    expect(Object.keys(it.ended)).toEqual(['alice', 'bob']);
    expect(it.fetch.mock.calls.map(([ids]) => ids.length)).toEqual([2, 2, 2, 1, 1]);
  });

  it('that has failed three times goes in halves, because another card may be what fails', async () => {
    const it = batchOfTwo(() => Promise.reject(new ServiceDown({ reason: 'it answered 503' })));
    for (const cardId of ['base1-6', 'base1-7']) it.wish(cardId, 'carol');
    for (const waitMs of [1_000, 2_000, 2_000, 0, 2_000]) {
      await it.send(4);
      vi.advanceTimersByTime(waitMs);
    }
    expect(it.fetch.mock.calls.map(([ids]) => ids.length)).toEqual([4, 4, 4, 2, 2]);
  });

  it('goes without what another process looks up, which is looked at again soon', async () => {
    const it = batchOfTwo(async () => new Map([['base1-4', FOUND]]), ['base1-5']);
    await it.send();
    expect(it.fetch.mock.calls.map(([ids]) => ids)).toEqual([['base1-4']]);
    expect(it.select()).toEqual([]);
    const [bob] = it.pendingLookups.get('base1-5')?.waiters ?? [];
    expect(bob?.progress.askedElsewhereAtMs).toBe(Date.now());
    vi.advanceTimersByTime(50);
    expect(it.select().map(({ cardId }) => cardId)).toEqual(['base1-5']);
  });

  it('goes without what became known meanwhile, which is saved', async () => {
    const it = batchOfTwo(async () => new Map([['base1-5', FOUND]]));
    it.knownBeforeRequest.mockImplementation(async (id) =>
      id === 'base1-4' ? { kind: 'fresh', answer: RECORD } : { kind: 'missing' },
    );
    await it.send();
    expect(it.fetch.mock.calls.map(([ids]) => ids)).toEqual([['base1-5']]);
    expect(it.endpoints).toEqual(['card']);
    expect(it.claimed.size).toBe(0);
    expect(await it.booked('alice')).toEqual({ requests: 0, saved: 1 });
    expect(await it.booked('bob')).toEqual({ requests: 1, saved: 0 });
  });

  it('is booked on the first whose requester may still spend what they agreed to', async () => {
    const it = batchOfTwo(async (_) => new Map(['base1-4', 'base1-5'].map((id) => [id, FOUND])));
    Object.assign(it.pendingLookups.get('base1-4')?.bookedOn ?? {}, { ceiling: { left: 0 } });
    await it.send();
    expect(it.ended).toEqual({ alice: RECORD, bob: RECORD });
    expect(await it.booked('alice')).toEqual({ requests: 0, saved: 1 });
    expect(await it.booked('bob')).toEqual({ requests: 1, saved: 0 });
  });

  it('ends what its requesters may spend nothing more on, without a request; others wait for the same again', async () => {
    const it = batchOfTwo(async () => new Map());
    it.wish('base1-4', 'carol');
    Object.assign(it.pendingLookups.get('base1-4')?.bookedOn ?? {}, { ceiling: { left: 0 } });
    await it.send(1);
    expect(it.ended).toEqual({ alice: expect.any(CeilingReached) });
    expect(it.fetch).not.toHaveBeenCalled();
    expect(it.release.mock.calls).toEqual([[PERMIT, { kind: 'abandoned' }]]);
    expect(it.claimed.size).toBe(0);
    expect(it.select().map(({ cardId }) => cardId)).toEqual(['base1-5', 'base1-4']);
  });

  it('is not answered without prices to who joins for them while it is read, but read again', async () => {
    const it = batchOfTwo(async () => new Map());
    it.wish('base1-6', 'carol', false);
    const prepared = () => it.requests.prepare(it.select(3).filter(({ cardId }) => cardId === 'base1-6'));
    it.knownBeforeRequest.mockResolvedValue({ kind: 'fresh', answer: RECORD });
    it.knownBeforeRequest.mockImplementationOnce(async () => {
      it.wish('base1-6', 'dave');
      return { kind: 'fresh', answer: RECORD };
    });
    expect(await prepared()).toEqual([]);
    expect(it.ended).toEqual({});
    expect(await prepared()).toEqual([]);
    expect(it.ended).toEqual({ carol: RECORD, dave: RECORD });
    expect(it.knownBeforeRequest.mock.calls).toEqual([
      ['base1-6', false],
      ['base1-6', true],
    ]);
  });

  it('is stored with what was kept of each card, whose prices have a past', async () => {
    const it = batchOfTwo(async () => new Map([['base1-4', FOUND]]));
    const kept: CardRecord = { card: FOUND, fetchedAtMs: 0, history: [[0, 5]] };
    it.knownBeforeRequest.mockResolvedValueOnce({ kind: 'stale', answer: kept });
    await it.send();
    expect(it.store.mock.calls.map(([, before]) => before)).toEqual([
      new Map([
        ['base1-4', kept],
        ['base1-5', undefined],
      ]),
    ]);
  });

  it('needs no permit when all were refused while it is read', async () => {
    const it = batchOfTwo(async () => new Map());
    it.knownBeforeRequest.mockImplementation(async () => {
      it.pendingLookups.refuseWaiting(new Stopping());
      return { kind: 'missing' };
    });
    expect(await it.requests.prepare(it.select())).toEqual([]);
    expect(it.claimed.size).toBe(0);
  });

  it('releases permit and locks unused when all were refused before it leaves', async () => {
    const it = batchOfTwo(async () => new Map());
    const batch = await it.requests.prepare(it.select());
    expect([...it.claimed]).toEqual(['card:base1-4', 'card:base1-5']);
    it.pendingLookups.refuseWaiting(new Stopping());
    await it.requests.sendWanted(batch, PERMIT);

    expect(it.fetch).not.toHaveBeenCalled();
    expect(it.release.mock.calls).toEqual([[PERMIT, { kind: 'abandoned' }]]);
    expect(it.claimed.size).toBe(0);
  });

  it('is refused when the bot stops before its answer, also what the answer leaves out', async () => {
    const answer = Promise.withResolvers<Fetched['cards']>();
    const it = batchOfTwo(() => answer.promise);
    const sent = it.send();
    await vi.advanceTimersByTimeAsync(0);
    it.pendingLookups.close();
    const closed = it.requests.close(1_000);
    answer.resolve(new Map([['base1-4', FOUND]]));
    await Promise.all([sent, closed]);
    expect(it.ended).toEqual({ alice: RECORD, bob: expect.any(Stopping) });
  });

  it('has ended only when the limiter has stored how: a stop waits for that', async () => {
    const it = batchOfTwo(async () => new Map([['base1-4', FOUND]]));
    const stored = Promise.withResolvers<void>();
    it.release.mockReturnValue(stored.promise);
    void it.send();
    await vi.advanceTimersByTimeAsync(0);
    const stopped = vi.fn();
    const closed = it.requests.close(1_000).then(stopped);
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).not.toHaveBeenCalled();
    stored.resolve();
    await closed;
  });

  it('is given up when the bot stops and the service stays silent for longer than that may take', async () => {
    const it = batchOfTwo(
      (signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    );
    const sent = it.send();
    await vi.advanceTimersByTimeAsync(0);
    await Promise.all([sent, it.requests.close(1_000), vi.advanceTimersByTimeAsync(1_000)]);
    expect(it.ended).toEqual({ alice: expect.any(Stopping), bob: expect.any(Stopping) });
  });
});
