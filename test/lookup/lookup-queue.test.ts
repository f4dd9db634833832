import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedCardService, startCardService } from '../../sandbox/card-service.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import type { DictatedAnswer } from '../../sandbox/service-script.ts';
import { NO_OTHER_QUEUES } from '../../src/lookup/fair-order.ts';
import { Lookups } from '../../src/lookup/lookups.ts';
import type { Outcomes } from '../../src/lookup/outcomes.ts';
import { Busy, KeyRefused, QuotaSpent, ServiceDown, Stopping, UnexpectedAnswer } from '../../src/model/errors.ts';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import type { Limiter, PermitLane } from '../../src/quota/limiter-port.ts';
import {
  by,
  fakeTime,
  LONGEST_WAIT_MS,
  lookup,
  lookupQueueOver,
  NOON_MS,
  withAcquire,
} from '../support/lookup-queue.ts';
import { lookedUp } from './lookups-of.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
const MINUTE = 60_000;

/** The settled value or error, or `undefined` while there is none; time moves first. */
async function outcomeAfter(ms: number, promise: Promise<unknown>): Promise<unknown> {
  let settled: unknown;
  promise.then(
    (value) => {
      settled = value;
    },
    (error: unknown) => {
      settled = error;
    },
  );
  await vi.advanceTimersByTimeAsync(ms);
  return settled;
}

it('who watches the length is told how many cards wait for a permit', async () => {
  fakeTime();
  const { queue, events } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free', burst: 3 });
  const lengths: number[] = [];
  events.subscribe('queue', ({ length }) => void lengths.push(length));
  for (const id of IDS.slice(0, 5)) void queue.enqueue(lookup(id));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([lengths.at(0), lengths.at(-1)]).toEqual([5, 3]);
});

it.each([
  { waits: 'none, and none elsewhere', ids: [], elsewhere: [0, 0], isWanted: false },
  { waits: 'one', ids: ['base1-1'], elsewhere: [], isWanted: true },
  { waits: 'one elsewhere', ids: [], elsewhere: [0, 1], isWanted: true },
])('tells whether a lookup waits: $waits', ({ ids, elsewhere, isWanted }) => {
  fakeTime();
  const otherQueues = { ...NO_OTHER_QUEUES, lengths: () => elsewhere };
  const { queue } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free' }, { otherQueues });
  for (const id of ids) void queue.admitAgain(lookup(id));
  expect(queue.isWanted).toBe(isWanted);
});

it.each([
  [undefined, 1],
  [{ bulkPath: '/cards?ids={ids}', most: 7 }, 7],
])('tells how many cards one request may carry: with %j, %i', (bulk, most) => {
  const { queue } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free' }, bulk ? { bulk } : {});
  expect(queue.mostTogether).toBe(most);
});

it('tells how long the last of more cards would wait', () => {
  fakeTime();
  const { queue } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free', burst: 4 });
  void queue.admitAgain(lookup('base1-1'));
  expect([1, 3, 4].map((cards) => queue.costOf(IDS.slice(0, cards)).waitMs)).toEqual([0, 6_000, 12_000]);
});

describe('a permit', () => {
  it('comes at the rate of the plan after the clock was set back while lookups wait', async () => {
    fakeTime();
    const service = new EmbeddedCardService();
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 30)) void queue.enqueue(lookup(id));
    await vi.advanceTimersByTimeAsync(1_000);

    vi.setSystemTime(Date.now() - 60 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect([28, 29]).toContain(service.requests.length);
  });

  it('is announced to who waits, and again only while it is to come', async () => {
    fakeTime();
    const { queue } = lookupQueueOver(new EmbeddedCardService({ burst: 2 }), { plan: 'free', burst: 2 });
    void queue.enqueue(lookup('base1-1'));
    const announced: number[] = [];
    void queue.enqueue(lookup('base1-2'), (atMs) => announced.push(atMs - Date.now()));

    await vi.advanceTimersByTimeAsync(10);
    expect(announced).toEqual([6_000]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(announced).toEqual([6_000]);
  });

  it('is announced once a second, however many come meanwhile', async () => {
    fakeTime();
    const { queue } = lookupQueueOver(new EmbeddedCardService({ burst: 2 }), { plan: 'free', burst: 2 });
    for (const id of ['base1-1', 'base1-2']) void queue.enqueue(lookup(id));
    await vi.advanceTimersByTimeAsync(100);
    const announced: number[] = [];
    void queue.enqueue(lookup('base1-3'), () => announced.push(Date.now() - NOON_MS));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(announced).toEqual([1_000]);
  });

  it('that comes sooner by news of the plan is used at once', async () => {
    fakeTime();
    const { queue, limiter } = lookupQueueOver(new EmbeddedCardService(), { plan: 'auto' });
    for (const id of IDS.slice(0, 20)) void queue.enqueue(lookup(id)); // the last one waits for 6 s
    await vi.advanceTimersByTimeAsync(100);
    expect(queue.length).toBe(1);
    limiter.observePlan('business');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queue.length).toBe(0);
  });

  it('that is refused only for the moment of one lookup keeps no other waiting', async () => {
    fakeTime();
    let refusals = 1;
    const untilMs = Date.now() + MINUTE;
    const acquire = async (limiter: Limiter) =>
      refusals-- > 0 ? ({ kind: 'blocked', reason: 'outage', untilMs } as const) : limiter.acquire('members');
    const { queue } = lookupQueueOver(
      new EmbeddedCardService(),
      { plan: 'free' },
      { seenAs: (limiter) => withAcquire(limiter, () => acquire(limiter)) },
    );
    expect(await outcomeAfter(1_000, queue.enqueue(lookup('base1-1')))).toMatchObject({ card: { id: 'base1-1' } });
  });

  it('for watches, which leave the burst to members, is not waited for beyond the minute that they have', async () => {
    fakeTime();
    const service = new EmbeddedCardService({ burst: 40 });
    const { queue, events } = lookupQueueOver(service, { plan: 'free', burst: 40 });
    const lengths: number[] = [];
    events.subscribe('queue', ({ length }) => void lengths.push(length));
    for (const id of IDS.slice(0, 40)) void queue.enqueue(lookup(id)); // the bucket is full again in 4 minutes
    await vi.advanceTimersByTimeAsync(2_000);
    const deadlineMs = Date.now() + MINUTE;
    const renewal = queue.enqueue(lookup('base1-60', { lane: 'watches', requester: WATCHES_REQUESTER, deadlineMs }));
    expect(await outcomeAfter(2_000, renewal)).toBeInstanceOf(Busy);
    expect(lengths.at(-1)).toBe(queue.length); // told at once
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    expect(service.requests).toHaveLength(40);
  });

  it('of a retry is not delayed by a renewal that waits for half the burst', async () => {
    fakeTime();
    const service = new EmbeddedCardService();
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 15)) void queue.enqueue(lookup(id));
    await vi.advanceTimersByTimeAsync(0);
    service.script({ path: 'base1-58', status: 503 });
    const renewal = queue.enqueue(lookup(IDS[20] ?? '', { lane: 'renewals' }));
    const member = queue.enqueue(lookup('base1-58'));

    expect(await outcomeAfter(1_500, member)).toMatchObject({ fetchedAtMs: expect.any(Number) });
    expect(await outcomeAfter(0, renewal)).toBeUndefined();
  });
});

it('single-flight tells once that a request was counted which brought the card of two spellings', async () => {
  fakeTime();
  const pace = { requestsPerMinute: 60, burst: 2 }; // one after the other
  const service = new EmbeddedCardService({ ...pace, latencyMs: 50 });
  service.script({ path: `/cards/${IDS[0]?.toUpperCase()}`, body: SAMPLE_CARDS[0] });
  const { queue } = lookupQueueOver(service, { plan: 'free', ...pace });
  const ids = [IDS[0]?.toUpperCase() ?? '', IDS[0] ?? ''];
  const places = ids.map((id) => queue.admitAgain(lookup(id))).filter((admitted) => 'reservation' in admitted);
  const both = Promise.all(places.map(({ reservation }) => reservation.start()));
  await vi.advanceTimersByTimeAsync(5_000);
  await both;
  const counted = places.map(({ reservation }) => [...reservation.progress.requestNumbers]);
  expect([service.requests.length, counted]).toEqual([1, [[1], []]]);
});

it.each([
  ['from the very first answer on', 0],
  ['once the day is known', 1],
])(
  'a limiter before the service, with headers of its own window lets every card be shown at its pace, and opens no breaker for the day: %s',
  async (_, knownDay) => {
    fakeTime();
    const service = new EmbeddedCardService();
    const { queue, limiter } = lookupQueueOver(service);
    for (const id of IDS.slice(0, knownDay)) await outcomeAfter(1, queue.enqueue(lookup(id)));
    service.set({ windowLimit: 10 });
    const known = limiter.quota();

    const requested = IDS.slice(knownDay, 25).map((id) => queue.enqueue(lookup(id)));
    await vi.advanceTimersByTimeAsync(5 * MINUTE);

    expect(await Promise.all(requested)).toHaveLength(25 - knownDay);
    expect(limiter.quota()).toEqual(known && { ...known, remaining: 999 - 24 });
    expect(limiter.view().refusalFor('members')).toBeUndefined();
  },
);

it('a renewal is refused when another process leaves only the reserve before its permit, and members do not wait', async () => {
  fakeTime();
  const answered = { sentAtMs: Date.now(), receivedAtMs: Date.now() };
  const acquire = async (limiter: Limiter, lane: PermitLane) => {
    // What the other process has spent becomes known only now, after the queue has looked.
    if (lane === 'renewals') limiter.observe({ limit: 1_000, remaining: 10, resetInMs: 720 * MINUTE, ...answered });
    return limiter.acquire(lane);
  };
  const { queue } = lookupQueueOver(
    new EmbeddedCardService(),
    { plan: 'free' },
    { seenAs: (limiter) => withAcquire(limiter, (lane) => acquire(limiter, lane)) },
  );
  const renewal = queue.enqueue(lookup('base1-1', { lane: 'renewals' })).catch((reason: unknown) => reason);
  expect(await outcomeAfter(0, renewal)).toMatchObject({ name: 'KeptInReserve' });
  expect(await outcomeAfter(0, queue.enqueue(lookup('base1-2')))).toMatchObject({ card: { id: 'base1-2' } });
});

it.each([
  { plan: 'free', remain: 3, members: 15 },
  { plan: 'business', remain: 30, members: 60 },
] as const)(
  'the end of the day lets $remain of $members at once have what remains, and gets no 429 ($plan)',
  async (it) => {
    fakeTime();
    const service = new EmbeddedCardService({ plan: it.plan, requestsPerDay: it.remain + 1 });
    const { queue } = lookupQueueOver(service, { plan: it.plan });
    await outcomeAfter(0, queue.enqueue(lookup(IDS[0] ?? '')));
    service.set({ latencyMs: 50 });

    const members = Array.from({ length: it.members }, (_, index) => `member-${index}`);
    const requested = members.map((id) => queue.enqueue(lookup(id, by(id))).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(1_000);
    const outcomes = await Promise.all(requested);

    expect(service.counts.byStatus).toEqual({ 200: 1, 404: it.remain });
    expect(outcomes.filter((outcome) => outcome instanceof QuotaSpent)).toHaveLength(it.members - it.remain);
  },
);

it('an outage whose end is stated sends no request for that card before, for any lookup, and announces when', async () => {
  fakeTime();
  const service = new EmbeddedCardService();
  service.set({ down: true, downRetryAfterSeconds: 30 });
  const { queue } = lookupQueueOver(service);
  const startMs = Date.now();
  const announced: number[] = [];
  const first = queue.enqueue(lookup('base1-1'), (atMs) => announced.push(atMs - startMs));

  const refused = await outcomeAfter(60_000, first);
  expect(refused).toBeInstanceOf(ServiceDown);
  expect(service.requests.map(({ atMs }) => atMs - startMs)).toEqual([0, 30_000, 60_000]);
  expect(announced[0]).toBe(30_000);

  await vi.advanceTimersByTimeAsync(10_000);
  service.set({ down: false });
  const later = queue.enqueue(lookup('base1-1', by('bob')));
  expect(await outcomeAfter(19_999, later)).toBeUndefined();
  expect(await outcomeAfter(1, later)).toMatchObject({ card: { id: 'base1-1' } });
});

it.each<[string, { requests: number; refused: number }, (url: string) => Promise<void>]>([
  ['is not booked when its connection was refused', { requests: 0, refused: 1 }, async () => {}],
  [
    'is booked when its connection was reset',
    { requests: 1, refused: 0 },
    async (url) => {
      const service = await startCardService({ port: Number(new URL(url).port) });
      service.set({ resetEvery: 1 });
      onTestFinished(() => service.close());
    },
  ],
])('a request that fails %s', async (_, booked, listen) => {
  const free = await startCardService();
  await free.close();
  await listen(free.url);
  const { queue, ledger, lines } = lookupQueueOver({
    fetch: (_url, init) => fetch(`${free.url}/cards/base1-4`, init),
  });

  const requested = queue.enqueue(lookup('base1-4')).catch((reason: unknown) => reason);
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('card request failed');
  expect(await ledger.memberToday('alice')).toMatchObject(booked);
  await queue.close(0);
  expect(await requested).toBeInstanceOf(Stopping);
});

describe('an id that alone is refused', () => {
  const INNOCENT = IDS.slice(0, 6);
  const KEY_REFUSED = { _tag: 'Forbidden', message: 'no' };

  it.each<[string, DictatedAnswer, typeof UnexpectedAnswer | typeof KeyRefused, number]>([
    ['a firewall, with a page', { status: 403, body: '<h1>blocked</h1>' }, UnexpectedAnswer, 5 * MINUTE],
    ['a service that took the key before', { status: 403, body: KEY_REFUSED }, KeyRefused, MINUTE],
  ])('by %s concerns no other id, and gets no request at once again', async (_, answer, error, forMs) => {
    fakeTime();
    const service = new EmbeddedCardService({ plan: 'pro' });
    const { queue, cards } = lookupQueueOver(service, { plan: 'pro' });
    await outcomeAfter(1, queue.enqueue(lookup(IDS[30] ?? ''))); // lru-cache takes no time of 0
    service.script({ path: 'odd', times: 9, ...answer });

    const odd = queue.enqueue(lookup('odd')).catch((reason: unknown) => reason);
    const others = Promise.all(INNOCENT.map((id) => queue.enqueue(lookup(id, by(id)))));
    expect(await outcomeAfter(0, others)).toHaveLength(INNOCENT.length);
    expect(await odd).toBeInstanceOf(error);
    await vi.advanceTimersByTimeAsync(forMs - 1);
    await expect(cards.known('odd', true)).rejects.toBeInstanceOf(error);
    expect(await outcomeAfter(0, queue.enqueue(lookup('odd')))).toBeInstanceOf(error);
    expect(service.requests).toHaveLength(2 + INNOCENT.length);

    await vi.advanceTimersByTimeAsync(2);
    expect(await cards.known('odd', true)).toEqual({ kind: 'missing' });
  });
});

describe('60 unknown cards at once, of a service that takes 4 s', () => {
  it('are asked for under permits that were there, and nobody reads that the service is asked before it is', async () => {
    fakeTime();
    const service = new EmbeddedCardService({ plan: 'pro', latencyMs: 4_000 });
    const got: string[] = [];
    const acquire = async (limiter: Limiter, lane: PermitLane) => {
      const acquired = await limiter.acquire(lane);
      got.push(acquired.kind);
      return acquired;
    };
    const { queue, cards, ledger } = lookupQueueOver(
      service,
      { plan: 'pro' },
      { seenAs: (limiter) => withAcquire(limiter, (lane) => acquire(limiter, lane)) },
    );
    const options = { cards, lookupQueue: queue, ledger, longestWaitMs: LONGEST_WAIT_MS };
    const members = Array.from({ length: 60 }, async (_, at) => {
      const wanted = {
        requester: by(`member ${at}`).requester,
        receivedAtMs: Date.now(),
        deadlineMs: Date.now() + LONGEST_WAIT_MS,
      };
      const lookups = await Lookups.open([{ cardId: `base1-${at + 1}`, showPrices: true }], wanted, options);
      const shown: Outcomes[] = [];
      const { requestedAtMs = 0 } = await lookedUp(lookups, async (soFar) => void shown.push(soFar));
      return { shown, waitedMs: requestedAtMs - wanted.receivedAtMs };
    });
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    const all = await Promise.all(members);

    const early = all.filter(({ shown }) => shown.some((one) => !one.requestedAtMs && one.permitAtMs === undefined));
    expect(early).toEqual([]);
    const long = all.filter(({ waitedMs }) => waitedMs > 5_000);
    expect(long.length).toBeGreaterThan(30);
    expect(long.filter(({ shown }) => !shown.some(({ permitAtMs }) => permitAtMs !== undefined))).toEqual([]);
    expect(got).toEqual(Array(60).fill('permit'));
  });
});

it('a queue that closes waits for the request under way as long as it may, and for no permit', async () => {
  fakeTime();
  const pace = { requestsPerMinute: 10, burst: 2 };
  const { queue } = lookupQueueOver(new EmbeddedCardService({ ...pace, latencyMs: 500 }), { plan: 'free', ...pace });
  const [first, second] = ['base1-1', 'base1-2'].map((id) => queue.enqueue(lookup(id)));
  const refused = second?.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(100);
  void queue.enqueue(lookup('base1-3')).catch(() => {}); // to be announced within a second
  await vi.advanceTimersByTimeAsync(0);
  const closed = vi.fn();
  void queue.close(1_000).then(closed);
  await vi.advanceTimersByTimeAsync(300);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(closed).toHaveBeenCalled();
  expect([await first, await refused]).toMatchObject([{ card: { id: 'base1-1' } }, expect.any(Stopping)]);
  expect(vi.getTimerCount()).toBe(0);
});

it('a bug in the queue is logged, and what waits is tried again when somebody else asks', async () => {
  fakeTime();
  const service = new EmbeddedCardService();
  let failures = 3;
  const { queue, lines } = lookupQueueOver(
    service,
    { plan: 'free' },
    {
      seenAs: (limiter) =>
        withAcquire(limiter, async (lane) => {
          if (failures-- > 0) throw new TypeError('a bug');
          return limiter.acquire(lane);
        }),
    },
  );
  const failed = () => lines.filter(({ msg }) => msg === 'lookup queue failed').length;
  const first = queue.enqueue(lookup('base1-1'));
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect([failed(), service.requests.length]).toEqual([1, 0]);
  failures = 0;
  void queue.enqueue(lookup('base1-2', by('bob')));
  expect(await outcomeAfter(1_000, first)).toMatchObject({ card: { id: 'base1-1' } });
});
