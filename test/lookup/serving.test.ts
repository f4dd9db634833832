import { describe, expect, it, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { Claims } from '../../src/model/claims.ts';
import { KeyRefused, Stopping } from '../../src/model/errors.ts';
import type { Acquired, Limiter, Permit } from '../../src/quota/limiter-port.ts';
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

it('lookups are served one after the other, in fair order', async () => {
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

describe('lookups that are served slowly', () => {
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
    expect(closed).toHaveBeenCalledTimes(1);
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
    expect([permits.size, claimed.size]).toEqual([0, 0]);
  });
});
