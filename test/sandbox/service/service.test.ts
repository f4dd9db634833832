import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PLAN_LIMITS } from '../../../sandbox/service/limiters.ts';
import {
  type CardServiceOptions,
  EmbeddedCardService,
  SANDBOX_API_KEY,
  startCardService,
} from '../../../sandbox/service/service.ts';
import { startService } from '../../support/backends.ts';

const NOON_MS = Date.UTC(2030, 0, 1, 12);
const KEY = { headers: { authorization: `Bearer ${SANDBOX_API_KEY}` } };

/** A service with a clock that the test sets. */
function serviceAtNoon(options: CardServiceOptions = {}) {
  const clock = { nowMs: NOON_MS };
  const service = new EmbeddedCardService({ nowMs: () => clock.nowMs, ...options });
  const ask = (path: string, init?: RequestInit) => service.fetch(`http://cards.test${path}`, init);
  return { service, clock, ask };
}

async function spendAll(ask: (path: string) => Promise<Response>, times: number) {
  for (let index = 0; index < times; index++) await ask('/cards/base1-4');
}

describe('the embedded card service', () => {
  it('sends a card, with prices only on request', async () => {
    const { ask } = serviceAtNoon();
    const [listed] = (await (await ask('/cards?ids=base1-4')).json()) as object[];
    const plain = await (await ask('/cards/base1-4')).json();
    const priced = await (await ask('/cards/base1-4?includePrices=true')).json();
    expect(plain).toMatchObject({ id: 'base1-4', set: { id: 'base1' }, number: '4/102' });
    for (const card of [plain, listed]) expect(card).not.toHaveProperty('prices');
    expect(priced).toHaveProperty('prices.market');
  });

  it.each([
    ['/cards/nope-1', 404, 'CardNotFound'],
    ['/cards/%E0%A4%A', 400, 'InvalidRequest'],
    ['/cards/base1-4?includePrices=maybe', 400, 'InvalidRequest'],
    ['/sets/base1', 404, 'NotFound'],
    ['/v1/usage', 401, 'Unauthorized'],
  ])('answers %s with %d and the error body %s', async (path, status, tag) => {
    const response = await serviceAtNoon().ask(path);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ _tag: tag, message: expect.stringMatching(/\.$/) });
  });

  it('refuses a wrong key for cards too, and its own while that is revoked, and does not count it', async () => {
    const { service, ask } = serviceAtNoon();
    expect((await ask('/cards/base1-4', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    service.set({ keyRevoked: true });
    expect((await ask('/cards/base1-4', KEY)).status).toBe(401);
    expect(service.state().dayRemaining).toBe(1_000);
  });

  it('states the limit, the remaining requests and the reset in every response, by its own clock', async () => {
    const { service, ask } = serviceAtNoon();
    service.script({ status: 500, body: 'oops' });
    for (const path of ['/cards/base1-4', '/cards/base1-4', '/nowhere', '/v1/usage']) {
      const { headers } = await ask(path);
      expect(headers.get('x-ratelimit-limit')).toBe('1000');
      expect(Number(headers.get('x-ratelimit-remaining'))).toBe(service.state().dayRemaining);
      expect(headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2030, 0, 2) / 1000));
      expect(headers.get('date')).toBe('Tue, 01 Jan 2030 12:00:00 GMT');
    }
  });

  it('is asked through what stands in front of it, whose headers prevail', async () => {
    const { service, ask } = serviceAtNoon();
    service.inFront = (answer) => ({ ...answer(), headers: { 'x-ratelimit-limit': '0' } });
    const { status, headers } = await ask('/cards/base1-4');
    expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([200, '0', '999']);
  });

  it('answers the request after the burst with 429 and the time to the next token, without counting it', async () => {
    const { service, clock, ask } = serviceAtNoon();
    await spendAll(ask, PLAN_LIMITS.free.burst);
    clock.nowMs += 500;
    const refused = await ask('/cards/base1-4');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('6');
    expect(await refused.json()).toEqual({
      _tag: 'RateLimitExceeded',
      message: 'Rate limit exceeded. Retry after 5.5 seconds.',
      retryAfter: 5.5,
    });
    expect(service.state()).toMatchObject({ dayRemaining: 980, minuteRemaining: 0 });
    clock.nowMs += 5_500;
    expect((await ask('/cards/base1-4')).status).toBe(200);
  });

  it('delays answers to the rate with a limiter that delays, also for clients that leave', async () => {
    const { service, ask } = serviceAtNoon();
    service.set({ limiter: 'delaying' });
    expect((await ask('/cards/base1-4')).status).toBe(200);
    const delayed = ask('/cards/base1-4', { signal: AbortSignal.timeout(20) });
    await expect(delayed).rejects.toThrow('aborted due to timeout');
    expect(service.state()).toMatchObject({ mostAtOnce: 21, minuteRemaining: 19, dayRemaining: 998 });
    expect(service.requests.map(({ sent }) => sent)).toEqual(['yes', 'too late']);
  });

  it('refills as a new day, so that late answers of the old one are not confused with it', async () => {
    const { service, clock, ask } = serviceAtNoon();
    await spendAll(ask, 3);
    clock.nowMs += 60_000;
    service.exhaustDay();
    service.refillDay();

    expect(service.state()).toMatchObject({ dayRemaining: 1_000, resetsAtMs: clock.nowMs + 86_400_000 });
    clock.nowMs += 86_400_000;
    expect(service.state().resetsAtMs).toBe(Date.UTC(2030, 0, 3));
  });

  it.each([
    ...[{ latencyMs: -1 }, { latencyMs: Number.NaN }, { downRetryAfterSeconds: 1.5 }, { bulkCost: 'two' as 'one' }],
  ])('has no switch like %o, and sets none beside it', (odd) => {
    const { service } = serviceAtNoon();
    expect(() => service.set({ down: true, ...odd })).toThrow(RangeError);
    expect(service.state().switches.down).toBe(false);
  });

  it('stores the last 1,000 requests and counts all', async () => {
    const { service, ask } = serviceAtNoon();
    await ask('/cards/first?includePrices=true');
    await spendAll(ask, 1_000);
    expect(service.requests).toHaveLength(1_000);
    const request = { method: 'GET', path: '/cards/base1-4', status: 200, authorized: false };
    expect(service.requests[0]).toEqual({ ...request, atMs: NOON_MS, sent: 'yes' });
    expect(service.counts.total).toBe(1_001);
  });
});

describe('a list of cards', () => {
  const IDS = ['base1-4', 'nowhere', 'base1-1'];
  const BATCH = { method: 'POST', body: JSON.stringify({ ids: IDS }) };

  it('is requested by GET or POST, and seen with its ids', async () => {
    const { service, ask } = serviceAtNoon();
    for (const response of [await ask(`/cards?ids=${IDS}`), await ask('/cards/batch', BATCH)])
      expect(await response.json()).toMatchObject([{ id: 'base1-4' }, { id: 'base1-1' }]);
    expect(service.requests).toMatchObject([{ cardIds: IDS }, { cardIds: IDS }]);
  });

  it.each([
    ['one', 999],
    ['each', 997],
  ] as const)('counts as %s: %i requests remain', async (bulkCost, remaining) => {
    const { service, ask } = serviceAtNoon();
    service.set({ bulkCost });
    await ask('/cards/batch', BATCH);
    expect(service.state().dayRemaining).toBe(remaining);
  });

  it('is refused as a whole, and counted not at all, when the limits have no room for each card', async () => {
    const { service, ask } = serviceAtNoon({ burst: 2 });
    service.set({ bulkCost: 'each' });
    const { status } = await ask('/cards/batch', BATCH);
    expect([status, service.state().minuteRemaining]).toEqual([429, 2]);
  });

  it.each(['{', '[]', '{"ids":3}'])('is nothing for the body %s', async (body) => {
    expect((await serviceAtNoon().ask('/cards/batch', { ...BATCH, body })).status).toBe(405);
  });
});

describe('the card service on a socket', () => {
  it('refuses a request under another host name, without counting it', async () => {
    const service = await startService();
    const request = get(`${service.url}/cards/base1-4`, { headers: { host: 'evil.example' } });
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(421);
    expect(service.counts.total).toBe(0);
    response.resume();
  });

  it('rejects when the port is taken', async () => {
    const service = await startService();
    await expect(startCardService({ port: Number(new URL(service.url).port) })).rejects.toThrow('EADDRINUSE');
  });

  it('closes at once although an answer is pending', async () => {
    const service = await startCardService({ latencyMs: 3_600_000 });
    const arrived = new Promise<void>((resolve) => void service.onChange(resolve));
    const answer = fetch(`${service.url}/cards/base1-4`);
    const failed = expect(answer).rejects.toThrow('fetch failed');
    await arrived;
    await service.close();
    await failed;
  });
});
