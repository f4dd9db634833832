import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { blockedError, sendRequest } from '../../src/lookup/service-requests.ts';
import type { RequestOutcome } from '../../src/model/errors.ts';
import { RateLimited, ServiceDown } from '../../src/model/errors.ts';
import { Events, type EventsByName } from '../../src/model/events.ts';
import type { BlockedReason, Limiter } from '../../src/quota/limiter-port.ts';
import { lookupQueueOver } from '../support/lookup-queue.ts';

const PERMIT = { probe: false, leftAtMs: Date.now() };
const REQUEST = { permit: PERMIT, requester: { memberId: 'alice', guildId: 'guild' }, endpoint: 'card' } as const;

/** A limiter that records how permits end, and a ledger. */
function recording() {
  const { ledger, limiter } = lookupQueueOver(new EmbeddedCardService());
  const outcomes: RequestOutcome[] = [];
  const release: Limiter['release'] = async (_, outcome) => void outcomes.push(outcome);
  const recorder = Object.assign(limiter, { release });
  const booked = async () => {
    const { requests, refused } = await ledger.memberToday('alice');
    return { requests, refused };
  };
  const events = new Events();
  const published: EventsByName['request'][] = [];
  const rateLimits: string[] = [];
  onTestFinished(events.subscribe('request', (event) => void published.push(event)));
  onTestFinished(events.subscribe('rateLimit', ({ kind }) => void rateLimits.push(kind)));
  return { quota: { limiter: recorder, ledger, events }, outcomes, booked, published, rateLimits };
}

describe('a request', () => {
  it('is booked when it leaves, and its permit released as answered', async () => {
    const { quota, outcomes, booked, published } = recording();
    const send = async () => {
      expect(await booked()).toEqual({ requests: 1, refused: 0 });
      return 'card';
    };

    expect((await sendRequest(quota, REQUEST, send)).answer).toBe('card');
    expect(outcomes).toEqual([{ kind: 'answered' }]);
    expect(published).toMatchObject([{ endpoint: 'card', outcome: 'answered' }]);
    expect(await booked()).toEqual({ requests: 1, refused: 0 });
  });

  it('that is answered lets the answer be kept while its permit is released', async () => {
    const { quota } = recording();
    const releasing = Promise.withResolvers<void>();
    quota.limiter.release = () => releasing.promise;
    const { answer, released } = await sendRequest(quota, REQUEST, async () => 'card');
    expect(answer).toBe('card');
    releasing.resolve();
    await released;
  });

  it.each<[Error, RequestOutcome]>([
    [
      new ServiceDown({ reason: 'it answered 503', retryAfterMs: 30_000 }),
      { kind: 'serviceDown', statedMs: 30_000, isCounted: true },
    ],
    [new ServiceDown({ reason: 'no connection', neverLeft: true }), { kind: 'serviceDown', isCounted: false }],
    [
      new RateLimited({ seconds: 5, per: 'month' }),
      { kind: 'rateLimited', statedMs: 5_000, isCounted: false, spentWindow: 'month' },
    ],
    [new TypeError('a bug'), { kind: 'abandoned', isCounted: true }],
  ])(
    'releases its permit with what its error says of the service, and is of a ceiling if it counts: %s',
    async (error, outcome) => {
      const { quota, outcomes, rateLimits } = recording();
      const ceiling = { left: 3 };
      const request = { ...REQUEST, requester: { ...REQUEST.requester, ceiling } };
      const sent = sendRequest(quota, request, () => Promise.reject(error));
      await expect(sent).rejects.toBe(error);
      expect(outcomes).toEqual([outcome]);
      expect(rateLimits).toHaveLength(outcome.kind === 'rateLimited' ? 1 : 0);
      expect(ceiling.left).toBe(outcome.isCounted ? 2 : 3);
    },
  );

  it.each([
    ['pause', new RateLimited({ seconds: 1 })],
    ['hour', new RateLimited({ seconds: 1_800, per: 'hour' })],
    ['day', new RateLimited({ seconds: 30_000, per: 'day' })],
    ['month', new RateLimited({ seconds: 800_000, per: 'month' })],
  ])('that is refused is counted by what it says is spent: %s', async (kind, error) => {
    const { ledger, limiter } = lookupQueueOver(new EmbeddedCardService());
    const events = new Events();
    const published: EventsByName['rateLimit'][] = [];
    onTestFinished(events.subscribe('rateLimit', (event) => void published.push(event)));
    const acquired = await limiter.acquire('members');
    const permit = acquired.kind === 'permit' ? acquired.permit : PERMIT;
    const sent = sendRequest({ limiter, ledger, events }, { ...REQUEST, permit }, () => Promise.reject(error));
    await expect(sent).rejects.toBe(error);
    expect(published).toEqual([{ kind }]);
  });

  it('moves to the refused ones when the service has not counted it', async () => {
    const { quota, booked, published } = recording();
    const error = new RateLimited({ seconds: 1 });
    const sent = sendRequest(quota, REQUEST, () => Promise.reject(error));
    await expect(sent).rejects.toBe(error);
    expect(await booked()).toEqual({ requests: 0, refused: 1 });
    expect(published).toMatchObject([{ endpoint: 'card', outcome: 'RateLimited' }]);
  });
});

it.each<[BlockedReason, object]>([
  ['hour', { name: 'QuotaSpent', per: 'hour', untilMs: 7 }],
  ['day', { name: 'QuotaSpent', per: 'day', untilMs: 7 }],
  ['month', { name: 'QuotaSpent', per: 'month', untilMs: 7 }],
  ['key', { name: 'KeyRefused', status: 401 }],
  ['plan', { name: 'PlanRefused' }],
  ['outage', { name: 'ServiceDown', untilMs: 7 }],
  ['pause', { name: 'Busy', untilMs: 7, paused: true }],
  ['reserve', { name: 'KeptInReserve', untilMs: 7 }],
])('a lookup that is kept back by the %s ends with %o', (reason, error) => {
  expect(blockedError({ reason, untilMs: 7 })).toMatchObject(error);
});
