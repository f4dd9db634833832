import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  type CardServiceOptions,
  EmbeddedCardService,
  SANDBOX_API_KEY,
  startCardService,
} from '../../sandbox/card-service.ts';
import { PLAN_LIMITS } from '../../src/model/plan.ts';
import { startService } from '../support/backends.ts';

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

  it('resets every n-th connection while switched on, without counting it', async () => {
    const { service, ask } = serviceAtNoon();
    service.set({ resetEvery: 3 });
    const results = [];
    for (let request = 1; request <= 7; request++)
      results.push(await ask('/cards/base1-4').then(() => 'answered', String));
    const reset = 'TypeError: fetch failed';
    expect(results).toEqual(['answered', 'answered', reset, 'answered', 'answered', reset, 'answered']);
    expect(service.state().dayRemaining).toBe(995);
  });

  it('blocks only ids with a < while the firewall is switched on', async () => {
    const { service, ask } = serviceAtNoon();
    service.set({ firewall: true });
    const blocked = await ask(`/cards/${encodeURIComponent('<script>')}`);
    expect([blocked.status, await blocked.text()]).toEqual([403, expect.stringContaining('<h1>')]);
    expect((await ask('/cards/base1-4')).status).toBe(200);
    expect(service.state().dayRemaining).toBe(999);
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

  it.each([
    ['reset in milliseconds', '1000', '1893542400000'],
    ['reset with decimals', '1000', '1893542400.25'],
    ['reset from now', '1000', '43200'],
    ['no reset', '1000', null],
    ['limit 0', '0', '1893542400'],
  ] as const)('states its figures in another form: %s', async (oddFigures, limit, reset) => {
    const { service, ask } = serviceAtNoon();
    service.set({ oddFigures });
    const { headers } = await ask('/cards/base1-4');
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-reset')]).toEqual([limit, reset]);
  });

  it('has a limiter in front with its own window, which counts refused requests', async () => {
    const { service, clock, ask } = serviceAtNoon();
    service.set({ windowLimit: 2 });
    const answers = [];
    for (const waitMs of [0, 1_000, 1_000, 58_000]) {
      clock.nowMs += waitMs;
      const { status, headers } = await ask('/cards/base1-4');
      answers.push(
        [status, ...['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))].join(' '),
      );
    }
    expect(answers).toEqual(['200 2 1 60', '200 2 0 59', '429 2 0 58', '200 2 1 60']);
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
    ...[{ resetEvery: -1 }, { resetEvery: 1.5 }, { resetEvery: Number.NaN }, { latencyMs: Number.NaN }],
    ...[{ bulkShape: 'a scroll' as 'array' }, { bulkCost: 'two' as 'one' }],
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
