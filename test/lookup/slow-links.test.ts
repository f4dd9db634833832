import { describe, expect, it, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { Claims } from '../../src/model/claims.ts';
import { KeyRefused, Stopping } from '../../src/model/errors.ts';
import type { Acquired, Limiter, Permit } from '../../src/quota/limiter-port.ts';
import { ask } from '../quota/limiter.contract.ts';
import { by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const IDS = Array.from({ length: 40 }, (_, index) => `base1-${index + 1}`);
/** The bot keeps one token of the burst back. */
const BURST = 8;
const BUSINESS = { requestsPerMinute: 480, burst: BURST + 1 };
const QUICK_MS = 20;
const SLOW_MS = 200;

/** A lookup queue that reaches its claims and its limiter over a link with this round trip. */
function queueOver(roundTripMs: number, pace = BUSINESS) {
  fakeTime();
  const service = new EmbeddedCardService(pace);
  const halfWay = () => new Promise((resolve) => setTimeout(resolve, roundTripMs / 2));
  const claimed = new Set<string>();
  const claims: Claims = {
    isShared: true,
    claim: async (name) => {
      await halfWay();
      const isFree = !claimed.has(name);
      claimed.add(name);
      await halfWay();
      return isFree ? 'mine' : { heldForMs: 1 };
    },
    release: async (name) => void claimed.delete(name),
  };
  const permits = new Set<Permit>();
  const outcomes: string[] = [];
  /** What the limiter tells first, instead of giving permits. */
  const waitsUntilMs: number[] = [];
  const calls = { acquire: 0, underWay: 0, mostUnderWay: 0 };
  const seenAs = (limiter: Limiter): Limiter => ({
    doubt: () => limiter.doubt(),
    acquire: async (lane) => {
      calls.acquire += 1;
      calls.mostUnderWay = Math.max(calls.mostUnderWay, ++calls.underWay);
      await halfWay();
      const untilMs = waitsUntilMs.shift();
      const acquired =
        untilMs === undefined ? await limiter.acquire(lane) : ({ kind: 'wait', untilMs } satisfies Acquired);
      if (acquired.kind === 'permit') permits.add(acquired.permit);
      await halfWay();
      calls.underWay -= 1;
      return acquired;
    },
    release: (permit, outcome) => {
      permits.delete(permit);
      outcomes.push(outcome.kind);
      return limiter.release(permit, outcome);
    },
    observe: (reading) => limiter.observe(reading),
    observePlan: (plan) => limiter.observePlan(plan),
    view: () => limiter.view(),
    quota: () => limiter.quota(),
    runsOutAtMs: () => limiter.runsOutAtMs(),
    onChange: (listener) => limiter.onChange(listener),
  });
  const { queue, limiter, storedCards } = lookupQueueOver(service, { plan: 'business', ...pace }, { claims, seenAs });
  const requestedIds = () => service.requests.map(({ path }) => path.slice('/cards/'.length).split('?')[0]);
  return { queue, limiter, storedCards, service, requestedIds, claimed, permits, outcomes, calls, waitsUntilMs };
}

it('lookups over a quick link are served one after the other, in fair order', async () => {
  const { queue, requestedIds, calls } = queueOver(QUICK_MS);
  for (const id of IDS.slice(0, 4)) void queue.enqueue(lookup(id, by('eager')));
  void queue.enqueue(lookup('late', by('late')));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requestedIds()).toEqual(['base1-1', 'late', 'base1-2', 'base1-3', 'base1-4']);
  expect(calls.mostUnderWay).toBe(1);
});

it('the limiter is not asked again before the time that it told, whoever else comes', async () => {
  const { queue, requestedIds, calls, waitsUntilMs } = queueOver(QUICK_MS);
  waitsUntilMs.push(Date.now() + 1_000);
  void queue.enqueue(lookup('base1-1'));
  await vi.advanceTimersByTimeAsync(500);
  void queue.enqueue(lookup('base1-2', by('late')));
  await vi.advanceTimersByTimeAsync(400);
  expect(calls.acquire).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requestedIds()).toHaveLength(2);
});

it('the limiter is asked before the time that it told when it says that something has changed', async () => {
  const { queue, limiter, requestedIds, waitsUntilMs } = queueOver(QUICK_MS);
  waitsUntilMs.push(Date.now() + 60_000);
  void queue.enqueue(lookup('base1-1'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requestedIds()).toEqual([]);
  limiter.observePlan('business');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requestedIds()).toEqual(['base1-1']);
});

describe('lookups over a slow link', () => {
  it('are served meanwhile, so that the pace of the plan is kept, and each card is requested once', async () => {
    const { queue, service, requestedIds, calls, permits, claimed } = queueOver(SLOW_MS);
    const answers = Promise.all(IDS.map((id) => queue.enqueue(lookup(id, by(id)))));
    // The pace of the plan, two round trips before the first, and the burst is taken at 20 a second.
    await vi.advanceTimersByTimeAsync(((IDS.length - BURST) / 8) * 1_000 + 2 * SLOW_MS + (BURST / 20) * 1_000);

    expect(requestedIds().toSorted()).toEqual(IDS.toSorted());
    expect(await answers).toHaveLength(IDS.length);
    expect(service.counts.byStatus[429]).toBeUndefined();
    expect(calls.mostUnderWay).toBeGreaterThan(1);
    expect([permits.size, claimed.size]).toEqual([0, 0]);
  });

  it('take the first places of the fair order', async () => {
    const { queue, requestedIds } = queueOver(SLOW_MS);
    for (const id of IDS) void queue.enqueue(lookup(id, by('eager')));
    await vi.advanceTimersByTimeAsync(1_000);
    void queue.enqueue(lookup('late', by('late')));
    const before = requestedIds().length;
    await vi.advanceTimersByTimeAsync(2_000);

    // Behind those that are served already: a permit takes two round trips, 3.2 intervals of the plan.
    expect(requestedIds().slice(before).indexOf('late')).toBeLessThanOrEqual(5);
  });

  it('acquire a permit only when one is expected for each; a wait that is told late is sat out', async () => {
    const { queue, limiter, requestedIds, calls } = queueOver(SLOW_MS);
    for (let taken = 0; taken < BURST; taken++) await ask(limiter); // which the queue is not told
    for (const id of IDS) void queue.enqueue(lookup(id, by(id)));
    await vi.advanceTimersByTimeAsync(1_000 + (IDS.length / 8) * 1_000);
    expect(requestedIds()).toHaveLength(IDS.length);
    expect(calls.acquire).toBeLessThanOrEqual(IDS.length + 1);
  });

  it('are requested when the wait is over that the limiter told', async () => {
    const { queue, requestedIds, waitsUntilMs } = queueOver(SLOW_MS);
    waitsUntilMs.push(Date.now() + 5_000);
    void queue.enqueue(lookup('base1-1'));
    await vi.advanceTimersByTimeAsync(5_000 + SLOW_MS);
    expect(requestedIds()).toEqual(['base1-1']);
  });

  it('are served by fifteen at once at most, however many permits there are', async () => {
    fakeTime();
    const claim = vi.fn(() => new Promise<never>(() => {}));
    const claims = { isShared: true, claim, release: async () => {} };
    const seenAs = (limiter: Limiter) => {
      const view = () => Object.assign(Object.create(limiter.view()), { forecast: () => Date.now() });
      return new Proxy(limiter, {
        get(target, name) {
          const value: unknown = name === 'view' ? view : Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    const { queue } = lookupQueueOver(new EmbeddedCardService(BUSINESS), { plan: 'business' }, { claims, seenAs });
    for (const id of IDS) void queue.enqueue(lookup(id, by(id)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(claim).toHaveBeenCalledTimes(15);
  });

  it.each([
    ['lock', 0.75, []],
    ['permit', 1.75, ['abandoned']],
  ])('that are refused while their %s is acquired leave nothing behind', async (_, roundTrips, released) => {
    const { queue, limiter, service, outcomes, permits, claimed } = queueOver(SLOW_MS);
    const other = await limiter.acquire('members');
    const refused = queue.enqueue(lookup('base1-1')).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(roundTrips * SLOW_MS);
    if (other.kind === 'permit') await limiter.release(other.permit, { kind: 'keyRefused' });
    expect(await refused).toBeInstanceOf(KeyRefused);
    await vi.advanceTimersByTimeAsync(2 * SLOW_MS);

    expect(service.requests).toEqual([]);
    expect(outcomes).toEqual(released);
    expect([permits.size, claimed.size]).toEqual([0, 0]);
  });

  it('give their places to others as soon as their cards turn out to be known', async () => {
    const { queue, storedCards, requestedIds } = queueOver(SLOW_MS, { requestsPerMinute: 1, burst: 3 });
    const fetchedAtMs = Date.now();
    for (const id of ['known-1', 'known-2']) storedCards.set(id, { card: undefined, fetchedAtMs });
    for (const id of ['known-1', 'known-2', 'base1-4']) void queue.enqueue(lookup(id, by('eager')));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requestedIds()).toEqual(['base1-4']);
  });

  it('are not waited for by a queue that has closed', async () => {
    const { queue, waitsUntilMs } = queueOver(SLOW_MS);
    waitsUntilMs.push(Date.now() + 60_000);
    void queue.enqueue(lookup('base1-1')).catch(() => {});
    await vi.advanceTimersByTimeAsync(1.5 * SLOW_MS); // it asks for a permit
    const closed = vi.fn();
    void queue.close(0).then(closed);
    await vi.advanceTimersByTimeAsync(SLOW_MS / 4);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(SLOW_MS);
    expect([closed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('send nothing after the queue has closed', async () => {
    const { queue, service, permits, outcomes, claimed } = queueOver(SLOW_MS);
    const refused = Promise.allSettled(IDS.slice(0, 3).map((id) => queue.enqueue(lookup(id, by(id)))));
    await vi.advanceTimersByTimeAsync(SLOW_MS + 20); // the first has its lock
    const closed = queue.close(0);
    await vi.advanceTimersByTimeAsync(SLOW_MS);
    await closed;

    expect(await refused).toMatchObject(Array(3).fill({ reason: expect.any(Stopping) }));
    expect(service.requests).toEqual([]);
    expect(outcomes).toEqual(['abandoned']);
    expect([permits.size, claimed.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });
});
