import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  Busy,
  KeptInReserve,
  KeyRefused,
  QuotaSpent,
  ServiceDown,
  Stopping,
  UnexpectedAnswer,
} from '../../src/model/errors.ts';
import { createCardService, type EmbeddedCardService, startCardService } from '../../src/sandbox/card-service.ts';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { DictatedAnswer } from '../../src/sandbox/service-script.ts';
import { ERROR } from '../support/log-lines.ts';
import { by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

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

describe('a permit', () => {
  it('comes at once while the burst lasts, then at the rate of the plan', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 30)) void queue.enqueue(lookup(id));

    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(19);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(service.requests).toHaveLength(29);
    expect(service.counts.byStatus[429]).toBeUndefined();
  });

  it('comes at the rate of the plan after the clock was set back while lookups wait', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 30)) void queue.enqueue(lookup(id));
    await vi.advanceTimersByTimeAsync(1_000);

    vi.setSystemTime(Date.now() - 60 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect([28, 29]).toContain(service.requests.length);
  });

  it('is announced to who waits, and again only while it is to come', async () => {
    fakeTime();
    const { queue } = lookupQueueOver(createCardService({ burst: 2 }), { plan: 'free', burst: 2 });
    void queue.enqueue(lookup('base1-1'));
    const announced: number[] = [];
    void queue.enqueue(lookup('base1-2', { onSchedule: (atMs) => announced.push(atMs - Date.now()) }));

    await vi.advanceTimersByTimeAsync(10);
    expect(announced).toEqual([6_000]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(announced).toEqual([6_000]);
  });

  it('comes after the first permit of every other member', async () => {
    fakeTime();
    const service = createCardService({ burst: 2 });
    const { queue } = lookupQueueOver(service, { plan: 'free', burst: 2 });
    for (const id of IDS.slice(0, 20)) void queue.enqueue(lookup(id, by('eager')));
    await vi.advanceTimersByTimeAsync(0);

    void queue.enqueue(lookup('promo-late', by('late')));
    await vi.advanceTimersByTimeAsync(2 * 6_000);

    expect(service.requests.map(({ path }) => path).slice(0, 3)).toContain('/cards/promo-late?includePrices=true');
  });

  it('comes within two, although two accounts want the same 55 cards', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 55)) void queue.enqueue(lookup(id, by('eager')));
    await vi.advanceTimersByTimeAsync(0);
    for (const id of IDS.slice(0, 55))
      void queue.enqueue(lookup(id, { requester: { memberId: 'friend', guildId: undefined } }));
    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(19);

    const newcomer = queue.enqueue(lookup('promo-late', by('newcomer')));

    expect(await outcomeAfter(2 * 6_000, newcomer)).toMatchObject({ fetchedAtMs: expect.any(Number) });
  });

  it('is refused when it would come after the deadline; others keep theirs', async () => {
    fakeTime();
    const { queue } = lookupQueueOver(createCardService({ burst: 2 }), { plan: 'free', burst: 2 });
    void queue.enqueue(lookup('base1-1'));
    await vi.advanceTimersByTimeAsync(0);

    const impatient = queue.enqueue(lookup('base1-2', { deadlineMs: Date.now() + 1_000 }));
    const patient = queue.enqueue(lookup('base1-2', by('bob')));

    expect(await outcomeAfter(10, impatient)).toBeInstanceOf(Busy);
    expect(await outcomeAfter(7_000, patient)).toMatchObject({ card: { id: 'base1-2' } });
  });

  it('of a retry is not delayed by a renewal that waits for half the burst', async () => {
    fakeTime();
    const service = createCardService();
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

describe('single-flight', () => {
  it('books the request on the first requester and counts the others as saved', async () => {
    fakeTime();
    const service = createCardService();
    const { queue, ledger } = lookupQueueOver(service);

    const answers = ['alice', 'bob', 'carol'].map((member) => queue.enqueue(lookup('base1-4', by(member))));
    await vi.advanceTimersByTimeAsync(0);
    await Promise.all(answers);

    expect(service.requests).toHaveLength(1);
    expect(await ledger.memberToday('alice')).toMatchObject({ requests: 1, saved: 0 });
    expect(await ledger.memberToday('bob')).toMatchObject({ requests: 0, saved: 1 });
    expect(await ledger.today()).toEqual({ requests: 1, refused: 0, saved: 2 });
  });

  it('lets a member who joins a renewal lift it, and books them', async () => {
    fakeTime();
    const service = createCardService();
    const { queue, ledger } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 15)) void queue.enqueue(lookup(id, by('crowd')));
    await vi.advanceTimersByTimeAsync(0);
    const renewal = queue.enqueue(lookup(IDS[20] ?? '', { ...by('reader'), lane: 'renewals' }));
    expect(await outcomeAfter(0, renewal)).toBeUndefined();

    const member = queue.enqueue(lookup(IDS[20] ?? '', by('joiner')));

    expect(await outcomeAfter(0, member)).toMatchObject({ card: { id: IDS[20] } });
    expect(await outcomeAfter(0, renewal)).toMatchObject({ card: { id: IDS[20] } });
    expect((await ledger.memberToday('joiner')).requests).toBe(1);
    expect(await ledger.memberToday('reader')).toMatchObject({ requests: 0, saved: 1 });
  });

  it('tells once that a request was counted which brought the card of two spellings', async () => {
    fakeTime();
    const pace = { requestsPerMinute: 60, burst: 2 }; // one after the other
    const service = createCardService({ ...pace, latencyMs: 50 });
    service.script({ path: `/cards/${IDS[0]?.toUpperCase()}`, body: SAMPLE_CARDS[0] });
    const { queue } = lookupQueueOver(service, { plan: 'free', ...pace });
    const counted = vi.fn();
    const ids = [IDS[0]?.toUpperCase() ?? '', IDS[0] ?? ''];
    const both = Promise.all(ids.map((id) => queue.enqueue(lookup(id, { onCounted: counted }))));
    await vi.advanceTimersByTimeAsync(5_000);
    await both;
    expect([service.requests.length, counted.mock.calls]).toEqual([1, [[1]]]);
  });

  it('sends no request for a lookup that comes just after the answer', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    await outcomeAfter(0, queue.enqueue(lookup('base1-4')));

    expect(await outcomeAfter(0, queue.enqueue(lookup('base1-4')))).toMatchObject({ card: { id: 'base1-4' } });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a 429', () => {
  it('lets no request leave before the stated time; then one probe, then the others at the pace of an empty bucket', async () => {
    fakeTime();
    const service = createCardService();
    const { queue, ledger } = lookupQueueOver(service);
    service.script({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { _tag: 'RateLimitExceeded', message: '', retryAfter: 30 },
    });

    const answers = IDS.slice(0, 4).map((id) => queue.enqueue(lookup(id)));
    await vi.advanceTimersByTimeAsync(0);
    const sentAtOnce = service.requests.length;
    await vi.advanceTimersByTimeAsync(29_999);
    expect(service.requests).toHaveLength(sentAtOnce);
    await vi.advanceTimersByTimeAsync(1);
    expect(service.requests.length - sentAtOnce).toBe(1);
    await vi.advanceTimersByTimeAsync(MINUTE);

    expect(await Promise.all(answers)).toHaveLength(4);
    expect(await ledger.today()).toMatchObject({ requests: 4, refused: 1 });
  });

  it('is announced to all who wait, and keeps their places', async () => {
    fakeTime();
    const service = createCardService({ burst: 2 });
    const { queue } = lookupQueueOver(service, { plan: 'free', burst: 2 });
    service.script({ status: 429, headers: { 'retry-after': '30' }, body: '' });
    const announced: number[] = [];
    void queue.enqueue(lookup('base1-1', { onSchedule: (atMs) => announced.push(atMs - Date.now()) }));
    void queue.enqueue(lookup('base1-2', { ...by('bob'), onSchedule: (atMs) => announced.push(atMs - Date.now()) }));

    await vi.advanceTimersByTimeAsync(1_000);

    expect(announced.slice(-2).map((ms) => Math.round(ms / 1_000))).toEqual([30, 36]);
  });

  it('is named as the reason of a refusal, and not a long queue', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    service.script({ status: 429, headers: { 'retry-after': '600' }, body: '' });
    await outcomeAfter(0, queue.enqueue(lookup('base1-1')));

    const admission = await queue.admit(lookup('base1-2'));

    expect(admission).toMatchObject({ refusal: { name: 'Busy', paused: true } });
  });
});

describe('a 429 for longer than the longest wait, with requests left', () => {
  it('refuses all that wait, and what comes later until it is that short; then one probe, and all go on', async () => {
    fakeTime();
    const service = createCardService();
    const { queue } = lookupQueueOver(service);
    await outcomeAfter(0, queue.enqueue(lookup(IDS[0] ?? '')));
    service.script({ status: 429, headers: { 'retry-after': '1200' }, body: '<html>Too many requests</html>' });
    const untilMs = Date.now() + 1_200_000;

    const refused = await outcomeAfter(0, queue.enqueue(lookup(IDS[1] ?? '')));
    expect(refused).toBeInstanceOf(Busy);
    expect(refused).toMatchObject({ untilMs, paused: true });
    expect(await queue.admit(lookup(IDS[2] ?? ''))).toMatchObject({ refusal: { name: 'Busy', untilMs } });

    await vi.advanceTimersByTimeAsync(900_000);
    const patient = queue.enqueue(lookup(IDS[2] ?? ''));
    expect(await outcomeAfter(299_999, patient)).toBeUndefined();
    expect(service.requests).toHaveLength(2);
    expect(await outcomeAfter(1, patient)).toMatchObject({ card: { id: IDS[2] } });
  });
});

describe('a limiter before the service, with headers of its own window', () => {
  it.each([
    ['from the very first answer on', 0],
    ['once the day is known', 1],
  ])('lets every card be shown at its pace, and opens no breaker for the day: %s', async (_, knownDay) => {
    fakeTime();
    const service = createCardService();
    const { queue, limiter } = lookupQueueOver(service);
    for (const id of IDS.slice(0, knownDay)) await outcomeAfter(0, queue.enqueue(lookup(id)));
    service.set({ windowLimit: 10 });
    const known = limiter.quota();

    const requested = IDS.slice(knownDay, 25).map((id) => queue.enqueue(lookup(id)));
    await vi.advanceTimersByTimeAsync(5 * MINUTE);

    expect(await Promise.all(requested)).toHaveLength(25 - knownDay);
    expect(limiter.quota()).toEqual(known);
    expect(limiter.schedule().blocked).toBeUndefined();
  });
});

describe('the end of the day', () => {
  it('that is near is waited for: after a 429 with nothing left but a short wait all are answered once that is over', async () => {
    fakeTime();
    const resetMs = Date.now() + 20_000;
    const service = createCardService({ nextResetMs: (nowMs) => (nowMs < resetMs ? resetMs : resetMs + 86_400_000) });
    service.exhaustDay();
    const { queue } = lookupQueueOver(service);

    const requested = IDS.slice(0, 3).map((id) => queue.enqueue(lookup(id)));
    await vi.advanceTimersByTimeAsync(19_999);
    const before = service.requests.length;
    await vi.advanceTimersByTimeAsync(60_000);

    expect(service.requests.length - before).toBe(3);
    expect(await Promise.all(requested)).toHaveLength(3);
  });

  it('keeps the last requests for cards that are missing', async () => {
    fakeTime();
    const service = createCardService({ requestsPerDay: 25 });
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 6)) await outcomeAfter(0, queue.enqueue(lookup(id)));

    expect(await outcomeAfter(0, queue.enqueue(lookup(IDS[10] ?? '', { lane: 'renewals' })))).toBeInstanceOf(
      KeptInReserve,
    );
    expect(await queue.admit(lookup(IDS[10] ?? '', { lane: 'renewals' }))).toHaveProperty('refusal');
    expect(await outcomeAfter(0, queue.enqueue(lookup(IDS[11] ?? '')))).toMatchObject({ card: { id: IDS[11] } });
  });

  it.each([
    { plan: 'free', remain: 3, members: 15 },
    { plan: 'business', remain: 30, members: 60 },
  ] as const)('lets $remain of $members at once have what remains, and gets no 429 ($plan)', async (it) => {
    fakeTime();
    const service = createCardService({ plan: it.plan, requestsPerDay: it.remain + 1 });
    const { queue } = lookupQueueOver(service, { plan: it.plan });
    await outcomeAfter(0, queue.enqueue(lookup(IDS[0] ?? '')));
    service.set({ latencyMs: 50 });

    const members = Array.from({ length: it.members }, (_, index) => `member-${index}`);
    const requested = members.map((id) => queue.enqueue(lookup(id, by(id))).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(1_000);
    const outcomes = await Promise.all(requested);

    expect(service.counts.byStatus).toEqual({ 200: 1, 404: it.remain });
    expect(outcomes.filter((outcome) => outcome instanceof QuotaSpent)).toHaveLength(it.members - it.remain);
  });

  it('delays nothing while plenty remains', async () => {
    fakeTime();
    const service = createCardService({ plan: 'business', latencyMs: 50 });
    const { queue } = lookupQueueOver(service, { plan: 'business' });
    await outcomeAfter(50, queue.enqueue(lookup(IDS[0] ?? '')));
    for (const id of IDS.slice(1)) void queue.enqueue(lookup(id, by(id)));
    // Two under way at first, twice as many in each round trip.
    await vi.advanceTimersByTimeAsync(Math.ceil(Math.log2(IDS.length)) * 50);
    expect(service.requests).toHaveLength(IDS.length);
  });

  it('refuses all that wait at once when nothing remains', async () => {
    fakeTime();
    const service = createCardService({ requestsPerDay: 3, burst: 2 });
    const { queue } = lookupQueueOver(service, { plan: 'free', burst: 2 });
    const requested = IDS.slice(0, 6).map((id) => queue.enqueue(lookup(id)).catch((error: unknown) => error));

    await vi.advanceTimersByTimeAsync(13_000);
    const outcomes = await Promise.all(requested);

    expect(service.requests).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome instanceof QuotaSpent)).toHaveLength(3);
  });

  it('is followed by a single probe, which is the next lookup', async () => {
    fakeTime();
    const resetMs = Date.now() + 120 * MINUTE;
    const service = createCardService({
      requestsPerDay: 3,
      nextResetMs: (nowMs) => (nowMs < resetMs ? resetMs : resetMs + 86_400_000),
    });
    const { queue } = lookupQueueOver(service);
    for (const id of IDS.slice(0, 3)) await outcomeAfter(0, queue.enqueue(lookup(id)));
    expect(await outcomeAfter(0, queue.enqueue(lookup(IDS[3] ?? '')))).toBeInstanceOf(QuotaSpent);

    await vi.advanceTimersByTimeAsync(120 * MINUTE);
    expect(service.requests).toHaveLength(3);
    service.set({ latencyMs: 500 });
    const next = IDS.slice(3, 6).map((id) => queue.enqueue(lookup(id)));
    await vi.advanceTimersByTimeAsync(400);
    expect(service.requests).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(await Promise.all(next)).toHaveLength(3);
  });

  it('warns once at each share of the day', async () => {
    fakeTime();
    const { queue, lines } = lookupQueueOver(createCardService({ requestsPerDay: 10 }));
    for (const id of IDS.slice(0, 10)) await outcomeAfter(0, queue.enqueue(lookup(id)));

    expect(lines.flatMap(({ share }) => share ?? [])).toEqual([0.8, 1]);
  });
});

describe('an outage whose end is stated', () => {
  it('sends no request for that card before, for any lookup, and announces when', async () => {
    fakeTime();
    const service = createCardService();
    service.set({ down: true, downRetryAfterSeconds: 30 });
    const { queue } = lookupQueueOver(service);
    const startMs = Date.now();
    const announced: number[] = [];
    const first = queue.enqueue(lookup('base1-1', { onSchedule: (atMs) => announced.push(atMs - startMs) }));

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

  it('refuses all at once when that is over a minute away', async () => {
    fakeTime();
    const service = createCardService();
    service.set({ down: true, downRetryAfterSeconds: 600 });
    const { queue } = lookupQueueOver(service);
    const refusal = { name: 'ServiceDown', untilMs: Date.now() + 600_000 };

    expect(await outcomeAfter(0, queue.enqueue(lookup('base1-1')))).toMatchObject(refusal);
    expect(await queue.admit(lookup('base1-2'))).toMatchObject({ refusal });
    await vi.advanceTimersByTimeAsync(599_999);
    expect(service.requests).toHaveLength(1);
    service.set({ down: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcomeAfter(0, queue.enqueue(lookup('base1-1')))).toMatchObject({ card: { id: 'base1-1' } });
  });

  it('of one card alone refuses the lookups of that card that would wait too long', async () => {
    fakeTime();
    const service = createCardService();
    service.script({ status: 503, headers: { 'retry-after': '50' } });
    const { queue } = lookupQueueOver(service, { plan: 'free' }, { longestWaitMs: 30_000 });
    const refusal = { name: 'ServiceDown', untilMs: Date.now() + 50_000 };
    const first = queue.enqueue(lookup('base1-1'));
    await vi.advanceTimersByTimeAsync(0);

    expect(await queue.admit(lookup('base1-1'))).toMatchObject({ refusal });
    expect(await queue.admit(lookup('base1-2'))).toHaveProperty('reservation');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await queue.admit(lookup('base1-1'))).toHaveProperty('reservation');
    expect(await outcomeAfter(30_000, first)).toMatchObject({ card: { id: 'base1-1' } });
    expect(service.requests).toHaveLength(2);
  });
});

describe('an outage', () => {
  it('costs three attempts, each with a permit of its own, then all are refused', async () => {
    fakeTime();
    const service = createCardService();
    service.set({ down: true });
    const { queue } = lookupQueueOver(service);

    expect(await outcomeAfter(3_100, queue.enqueue(lookup('base1-1')))).toBeInstanceOf(ServiceDown);
    expect(await outcomeAfter(0, queue.enqueue(lookup('base1-2')))).toBeInstanceOf(ServiceDown);
    expect(service.requests).toHaveLength(3);
  });

  it.each<[string, number, (service: EmbeddedCardService) => void]>([
    ['three sockets that are reset once', 60, (service) => service.script({ fault: 'reset', times: 3 })],
    ['every fourth connection reset', 40, (service) => service.set({ resetEvery: 4 })],
  ])('is not %s: every lookup is answered unless its three attempts all fail', async (_, members, fail) => {
    fakeTime();
    const service = createCardService({ plan: 'pro', latencyMs: 20 });
    fail(service);
    const { queue } = lookupQueueOver(service, { plan: 'pro' });

    const requested = IDS.slice(0, members).map((id, index) => queue.enqueue(lookup(id, by(`member-${index}`))));
    const outcomes = Promise.allSettled(requested);
    await vi.advanceTimersByTimeAsync(30_000);

    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    const resets = service.requests.filter(({ status }) => status === 0).map(({ path }) => path);
    const threeTimes = resets.filter((path, index) => resets.slice(0, index).filter((it) => it === path).length === 2);
    expect(resets.length).toBeGreaterThanOrEqual(3);
    expect(refused).toHaveLength(threeTimes.length);
    expect(refused.length).toBeLessThanOrEqual(1);
  });

  it('ends with one lookup that is answered', async () => {
    fakeTime();
    const service = createCardService();
    service.set({ down: true });
    const { queue } = lookupQueueOver(service);
    await outcomeAfter(3_100, queue.enqueue(lookup('base1-1')));
    service.set({ down: false });

    expect(
      await outcomeAfter(
        5_000,
        queue.enqueue(lookup('base1-2')).catch(() => 'refused'),
      ),
    ).toBe('refused');
    expect(await outcomeAfter(0, queue.enqueue(lookup('base1-2')))).toMatchObject({ card: { id: 'base1-2' } });
  });
});

describe('a request that fails', () => {
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
  ])('%s', async (_, booked, listen) => {
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
});

describe('an id that alone is refused', () => {
  const INNOCENT = IDS.slice(0, 6);
  const KEY_REFUSED = { _tag: 'Forbidden', message: 'no' };

  it.each<[string, DictatedAnswer, typeof UnexpectedAnswer | typeof KeyRefused, number]>([
    ['a firewall, with a page', { status: 403, body: '<h1>blocked</h1>' }, UnexpectedAnswer, 5 * MINUTE],
    ['a service that took the key before', { status: 403, body: KEY_REFUSED }, KeyRefused, MINUTE],
  ])('by %s concerns no other id, and gets no request at once again', async (_, answer, error, forMs) => {
    fakeTime();
    const service = createCardService({ plan: 'pro' });
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

describe('a key that two ids are refused with', () => {
  it('is not tried for a minute, and is accepted again once a lookup is answered', async () => {
    fakeTime();
    const service = createCardService();
    const { queue, lines } = lookupQueueOver(service, undefined, { apiKey: SANDBOX_API_KEY });
    await outcomeAfter(0, queue.enqueue(lookup(IDS[0] ?? '')));
    service.set({ keyRevoked: true });

    for (const id of IDS.slice(1, 6))
      expect(await outcomeAfter(0, queue.enqueue(lookup(id)))).toBeInstanceOf(KeyRefused);
    expect(service.counts.byStatus[401]).toBe(2);
    const refused = lines.filter(({ level }) => level === ERROR).map(({ msg }) => msg);
    expect(refused.filter((msg) => msg === 'card request failed')).toHaveLength(2);
    expect(refused.filter((msg) => msg.includes('check CARD_SERVICE_API_KEY'))).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(MINUTE);
    for (const id of IDS.slice(6, 9))
      expect(await outcomeAfter(0, queue.enqueue(lookup(id)))).toBeInstanceOf(KeyRefused);
    expect(service.counts.byStatus[401]).toBe(3);
    service.set({ keyRevoked: false });
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(await outcomeAfter(0, queue.enqueue(lookup(IDS[6] ?? '')))).toMatchObject({ card: { id: IDS[6] } });
  });
});

it('refuses all that wait when it closes, and waits for what is under way', async () => {
  fakeTime();
  const service = createCardService({ burst: 2, latencyMs: 1_000 });
  const { queue } = lookupQueueOver(service, { plan: 'free', burst: 2 });
  const underWay = queue.enqueue(lookup('base1-1'));
  const waiting = queue.enqueue(lookup('base1-2'));
  await vi.advanceTimersByTimeAsync(10);

  const closed = queue.close(5_000);

  expect(await outcomeAfter(0, waiting)).toBeInstanceOf(Stopping);
  expect(await outcomeAfter(1_000, underWay)).toMatchObject({ card: { id: 'base1-1' } });
  await closed;
  expect(await outcomeAfter(0, queue.enqueue(lookup('base1-3')))).toBeInstanceOf(Stopping);
});
