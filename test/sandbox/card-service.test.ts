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

  it('has all prices so many percent higher, in cents, while that is switched on', async () => {
    const { service, ask } = serviceAtNoon();
    const prices = async (path: string) => {
      const answer = await ask(`${path}includePrices=true`);
      const [card] = [(await answer.json()) as object].flat();
      return Reflect.get(card ?? {}, 'prices');
    };
    const before = await prices('/cards/base1-4?');
    expect(before).toEqual({ market: 36.33, low: 27.51, high: 67.86 });
    service.set({ pricePercent: 10 });
    for (const path of ['/cards/base1-4?', '/cards?ids=base1-4&'])
      expect(await prices(path)).toEqual({ market: 39.96, low: 30.26, high: 74.65 });
    expect(await prices('/cards/base1-17?')).toBeUndefined();
    service.reset();
    expect(await prices('/cards/base1-4?')).toEqual(before);
  });

  it('reads the id as one encoded path segment', async () => {
    const { ask } = serviceAtNoon();
    expect((await ask(`/cards/${encodeURIComponent('promo 1/2')}`)).status).toBe(200);
    expect((await ask('/cards/promo 1/2')).status).toBe(404);
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

  it('reports the usage of plan and day to clients with the key', async () => {
    const { ask } = serviceAtNoon({ plan: 'pro' });
    await spendAll(ask, 3);
    expect(await (await ask('/v1/usage', KEY)).json()).toEqual({
      plan: 'pro',
      period: { start: '2030-01-01T00:00:00.000Z', end: '2030-01-02T00:00:00.000Z' },
      requests: { used: 4, limit: 50_000, remaining: 49_996 },
    });
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

  it('limits by another limiter', async () => {
    const { service, clock, ask } = serviceAtNoon();
    service.set({ limiter: 'fixed window' });
    await spendAll(ask, 10);
    clock.nowMs += 40_000;
    expect(await (await ask('/cards/base1-4')).json()).toMatchObject({ retryAfter: 20 });
    expect(service.state()).toMatchObject({ mostAtOnce: 10, minuteRemaining: 0, dayRemaining: 990 });
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

  it('is down, storms and refills as switched', async () => {
    const { service, clock, ask } = serviceAtNoon();
    service.set({ down: true, downRetryAfterSeconds: 30 });
    const { status, headers } = await ask('/cards/base1-4');
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    service.set({ down: false });
    service.storm(20_000);
    expect(await (await ask('/cards/base1-4')).json()).toMatchObject({ retryAfter: 20 });
    expect(service.state().switches.stormUntilMs).toBe(NOON_MS + 20_000);
    clock.nowMs += 20_000;
    expect(service.state().switches.stormUntilMs).toBe(0);
    service.exhaustDay();
    service.refillDay();
    expect((await ask('/cards/base1-4')).status).toBe(200);
    expect(service.counts.byStatus).toEqual({ 200: 1, 429: 1, 503: 1 });
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

  it('distinguishes sent answers, pending ones, and those whose client left', async () => {
    const { service, ask } = serviceAtNoon();
    const sent = () => service.requests.map(({ status, sent }) => `${status} ${sent}`);
    await ask('/cards/base1-4');
    service.set({ latencyMs: 60_000 });
    const gone = new AbortController();
    const answer = ask('/cards/base1-4', { signal: gone.signal });
    expect(sent()).toEqual(['200 yes', '200 not yet']);

    gone.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(sent()).toEqual(['200 yes', '200 too late']);
  });

  it('resets at the given time instead of midnight', async () => {
    const { service } = serviceAtNoon({ nextResetMs: (nowMs) => nowMs + 60_000 });
    expect(service.state().resetsAtMs).toBe(NOON_MS + 60_000);
  });

  it('refuses an odd figure with a sentence', () => {
    const sentence = 'latencyMs: Too small: expected number to be >=0.';
    expect(() => new EmbeddedCardService({ latencyMs: -1 })).toThrow(sentence);
  });

  it.each([
    ...[{ resetEvery: -1 }, { resetEvery: 1.5 }, { resetEvery: Number.NaN }, { latencyMs: Number.NaN }],
    ...[{ bulkShape: 'a scroll' as 'array' }, { bulkCost: 'two' as 'one' }],
  ])('has no switch like %o, and sets none beside it', (odd) => {
    const { service } = serviceAtNoon();
    expect(() => service.set({ down: true, ...odd })).toThrow(RangeError);
    expect(service.state().switches.down).toBe(false);
  });

  it('notifies listeners of requests and switches until they unsubscribe', async () => {
    const { service, ask } = serviceAtNoon();
    let changes = 0;
    const stop = service.onChange(() => changes++);
    await ask('/cards/base1-4');
    service.set({ down: true });
    stop();
    service.set({ down: false });
    expect(changes).toBe(2);
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

describe('scripted answers', () => {
  it('apply to the next matching requests in order, and then the normal rules apply again', async () => {
    const { service, ask } = serviceAtNoon();
    service.script({ path: '/v1/usage', status: 500 }, { status: 502, times: 2 }, ({ path }) =>
      path.endsWith('-9') ? { body: '<html>', headers: { 'Content-Type': 'text/html' } } : undefined,
    );
    const statuses = [];
    for (const path of ['/cards/a', '/cards/b', '/cards/base1-4', '/v1/usage', '/v1/usage']) {
      statuses.push((await ask(path)).status);
    }
    expect(statuses).toEqual([502, 502, 200, 500, 401]);
    expect((await ask('/cards/base1-9')).headers.get('content-type')).toBe('text/html');
    expect((await ask('/cards/base1-9')).headers.get('content-type')).toMatch('json');
  });

  it('count against the day only when they are set to, and can remove headers', async () => {
    const { service, ask } = serviceAtNoon();
    service.script({ status: 500 }, { counted: true, headers: { 'X-RateLimit-Reset': undefined } });
    expect((await ask('/cards/base1-4')).headers.get('x-ratelimit-remaining')).toBe('1000');
    const counted = await ask('/cards/base1-4');
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('999');
    expect(counted.headers.has('x-ratelimit-reset')).toBe(false);
  });
});

describe.each(['without a socket', 'on a socket'])('connections %s', (kind) => {
  async function make() {
    if (kind === 'without a socket') return serviceAtNoon();
    const service = await startService();
    return { service, ask: (path: string, init?: RequestInit) => fetch(service.url + path, init) };
  }

  it('decompress a compressed body', async () => {
    const { service, ask } = await make();
    service.script({ body: { long: 'x'.repeat(2_000_000) }, gzip: true });
    expect((await (await ask('/cards/base1-4')).text()).length).toBeGreaterThan(2_000_000);
  });

  it('break off with a reset', async () => {
    const { service, ask } = await make();
    service.script({ fault: 'reset' });
    await expect(ask('/cards/base1-4')).rejects.toThrow('fetch failed');
    expect(service.counts.byStatus).toEqual({ 0: 1 });
  });

  it('refuse a redirect when the caller does', async () => {
    const { service, ask } = await make();
    service.script({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    await expect(ask('/cards/base1-4', { redirect: 'error' })).rejects.toThrow('fetch failed');
    expect(service.counts.total).toBe(1);
  });

  it.each(['hang', 'stall'] as const)('%s until the caller gives up', async (fault) => {
    const { service, ask } = await make();
    service.script({ fault, body: { id: 'base1-4' } });
    const patience = new AbortController();
    const answer = ask('/cards/base1-4', { signal: patience.signal });
    if (fault === 'stall') expect((await answer).status).toBe(200);
    const read = answer.then((response) => response.text());
    patience.abort();
    await expect(read).rejects.toThrow('aborted');
  });

  it('send statuses that have no body', async () => {
    const { service, ask } = await make();
    service.script({ status: 204 });
    expect((await ask('/cards/base1-4')).status).toBe(204);
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
