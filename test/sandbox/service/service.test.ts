import { once } from 'node:events';
import { get } from 'node:http';
import { expect, it } from 'vitest';
import { PLAN_LIMITS } from '../../../sandbox/service/limiters.ts';
import {
  type CardServiceOptions,
  EmbeddedCardService,
  SANDBOX_API_KEY,
  startCardService,
} from '../../../sandbox/service/service.ts';
import { startService } from '../../support/backends.ts';
import { table } from '../../table.ts';

const NOON_MS = Date.UTC(2030, 0, 1, 12);
const MIDNIGHT_MS = Date.UTC(2030, 0, 2);
const CARD = '/cards/base1-4';
const KEY = { headers: { authorization: `Bearer ${SANDBOX_API_KEY}` } };

/** A service with a clock that the test sets. */
function serviceAtNoon(options: CardServiceOptions = {}) {
  const clock = { nowMs: NOON_MS };
  const service = new EmbeddedCardService({ nowMs: () => clock.nowMs, ...options });
  const ask = (path = CARD, init?: RequestInit) => service.fetch(`http://cards.test${path}`, init);
  const spend = async (times: number) => {
    for (let spent = 0; spent < times; spent++) await ask();
  };
  return { service, clock, ask, spend };
}

it('the service sends a card, with prices only on request', async () => {
  const { ask } = serviceAtNoon();
  const sent = async (path?: string) => JSON.parse(await (await ask(path)).text());
  const [listed] = await sent('/cards?ids=base1-4');
  const plain = await sent();
  expect(plain).toMatchObject({ id: 'base1-4', set: { id: 'base1' }, number: '4/102' });
  for (const card of [plain, listed]) expect(card).not.toHaveProperty('prices');
  expect(await sent(`${CARD}?includePrices=true`)).toHaveProperty('prices.market');
});

it.each(table`
  /cards/nope-1 | 404 CardNotFound
  /cards/%E0%A4%A | 400 InvalidRequest
  ${CARD}?includePrices=maybe | 400 InvalidRequest
  /sets/base1 | 404 NotFound
  /v1/usage | 401 Unauthorized
`)('the service answers %s with %s and a sentence', async (path, refusal) => {
  const response = await serviceAtNoon().ask(path);
  const { _tag, ...body } = JSON.parse(await response.text());
  expect(`${response.status} ${_tag}`).toBe(refusal);
  expect(body).toEqual({ message: expect.stringMatching(/\.$/) });
});

it('a wrong key is refused for cards too, and its own while that is revoked, and not counted', async () => {
  const { service, ask } = serviceAtNoon();
  expect((await ask(CARD, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  service.set({ keyRevoked: true });
  expect((await ask(CARD, KEY)).status).toBe(401);
  expect(service.state().dayRemaining).toBe(1_000);
});

it('every response states the limit, the remaining requests and the reset, by the clock of the service', async () => {
  const { service, ask } = serviceAtNoon();
  service.script({ status: 500, body: 'oops' });
  for (const path of [CARD, CARD, '/nowhere', '/v1/usage'])
    expect(Object.fromEntries((await ask(path)).headers)).toMatchObject({
      ...{ 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(service.state().dayRemaining) },
      ...{ 'x-ratelimit-reset': String(MIDNIGHT_MS / 1000), date: 'Tue, 01 Jan 2030 12:00:00 GMT' },
    });
});

it('the service is asked through what stands in front of it, whose headers prevail', async () => {
  const { service, ask } = serviceAtNoon();
  service.inFront = (answer) => ({ ...answer(), headers: { 'x-ratelimit-limit': '0' } });
  const { status, headers } = await ask();
  expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([200, '0', '999']);
});

it('the request after the burst is answered with 429 and the time to the next token, and not counted', async () => {
  const { service, clock, ask, spend } = serviceAtNoon();
  await spend(PLAN_LIMITS.free.burst);
  clock.nowMs += 500;
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6']);
  const message = 'Rate limit exceeded. Retry after 5.5 seconds.';
  expect(await refused.json()).toEqual({ _tag: 'RateLimitExceeded', message, retryAfter: 5.5 });
  expect(service.state()).toMatchObject({ dayRemaining: 980, minuteRemaining: 0 });
  clock.nowMs += 5_500;
  expect((await ask()).status).toBe(200);
});

it('a limiter that delays answers at the rate, also to clients that leave', async () => {
  const { service, ask } = serviceAtNoon();
  service.set({ limiter: 'delaying' });
  expect((await ask()).status).toBe(200);
  await expect(ask(CARD, { signal: AbortSignal.timeout(20) })).rejects.toThrow('aborted due to timeout');
  expect(service.state()).toMatchObject({ mostAtOnce: 21, minuteRemaining: 19, dayRemaining: 998 });
  expect(service.requests.map(({ sent }) => sent)).toEqual(['yes', 'too late']);
});

it('a day is refilled as a new one, so that late answers of the old one are not confused with it', async () => {
  const { service, clock, spend } = serviceAtNoon();
  await spend(3);
  clock.nowMs += 60_000;
  service.exhaustDay();
  service.refillDay();
  expect(service.state()).toMatchObject({ dayRemaining: 1_000, resetsAtMs: clock.nowMs + 86_400_000 });
  clock.nowMs += 86_400_000;
  expect(service.state().resetsAtMs).toBe(Date.UTC(2030, 0, 3));
});

it('a bucket that was overdrawn, and a day that is spent, are waited for', async () => {
  const { service, ask, spend } = serviceAtNoon();
  const waitS = async () => (await ask()).headers.get('retry-after');
  const overdraw = async (times: number) => {
    service.script({ status: 500, counted: true, times });
    await spend(times);
  };
  await spend(19);
  expect(await waitS()).toBeNull();
  await overdraw(2);
  expect(await waitS()).toBe('18');
  service.exhaustDay();
  await overdraw(1);
  expect([await waitS(), service.state().dayRemaining]).toEqual([String(12 * 3_600), 0]);
});

it('a new day begins at midnight with the bucket of the old one', async () => {
  const { service, clock, spend } = serviceAtNoon();
  clock.nowMs = MIDNIGHT_MS - 1;
  await spend(20);
  clock.nowMs = MIDNIGHT_MS;
  const resetsAtMs = Date.UTC(2030, 0, 3);
  expect(service.state()).toMatchObject({ dayRemaining: 1_000, minuteRemaining: 0, resetsAtMs });
});

it('what was used stays when the plan changes', async () => {
  const { service, spend } = serviceAtNoon();
  await spend(20);
  service.set({ plan: 'pro' });
  expect(service.state()).toMatchObject({ dayRemaining: 49_980, minuteRemaining: 180 });
});

it.each([
  ['requestsPerMinute', 0],
  ['burst', 0.5],
  ['requestsPerDay', Number.NaN],
  ['burst', Number.POSITIVE_INFINITY],
])('there is no service with %s of %d', (name, value) => {
  const sentence = `${name} must be a number of at least 1, not ${value}.`;
  expect(() => serviceAtNoon({ [name]: value })).toThrow(sentence);
});

it.each([
  ...[{ latencyMs: -1 }, { latencyMs: Number.NaN }, { downRetryAfterSeconds: 1.5 }, { bulkCost: 'two' as 'one' }],
])('there is no switch like %o, and none is set beside it', (odd) => {
  const { service } = serviceAtNoon();
  expect(() => service.set({ down: true, ...odd })).toThrow(RangeError);
  expect(service.state().switches.down).toBe(false);
});

it('the last 1,000 requests are stored and all are counted', async () => {
  const { service, ask, spend } = serviceAtNoon();
  await ask('/cards/first?includePrices=true');
  await spend(1_000);
  const request = { method: 'GET', path: CARD, status: 200, authorized: false, atMs: NOON_MS, sent: 'yes' };
  expect([service.requests.length, service.counts.total]).toEqual([1_000, 1_001]);
  expect(service.requests[0]).toEqual(request);
});

const IDS = ['base1-4', 'nowhere', 'base1-1'];
const BATCH = { method: 'POST', body: JSON.stringify({ ids: IDS }) };

it('a list of cards is requested by GET or POST, and seen with its ids', async () => {
  const { service, ask } = serviceAtNoon();
  for (const response of [await ask(`/cards?ids=${IDS}`), await ask('/cards/batch', BATCH)])
    expect(await response.json()).toMatchObject([{ id: 'base1-4' }, { id: 'base1-1' }]);
  expect(service.requests).toMatchObject([{ cardIds: IDS }, { cardIds: IDS }]);
});

it.each([
  ['one', {}, 200, { dayRemaining: 999 }],
  ['each', {}, 200, { dayRemaining: 997 }],
  ['each', { burst: 2 }, 429, { minuteRemaining: 2 }], // refused as a whole, without room for each
] as const)('a list of three counts as %s, with %o: %i', async (bulkCost, limits, status, left) => {
  const { service, ask } = serviceAtNoon(limits);
  service.set({ bulkCost });
  expect((await ask('/cards/batch', BATCH)).status).toBe(status);
  expect(service.state()).toMatchObject(left);
});

it.each(['{', '[]', '{"ids":3}'])('a list is nothing for the body %s', async (body) => {
  expect((await serviceAtNoon().ask('/cards/batch', { ...BATCH, body })).status).toBe(405);
});

it('a request under another host name is refused on a socket, without counting it', async () => {
  const service = await startService();
  const [response] = await once(get(`${service.url}${CARD}`, { headers: { host: 'evil.example' } }), 'response');
  expect([response.resume().statusCode, service.counts.total]).toEqual([421, 0]);
});

it('a port that is taken is refused', async () => {
  const service = await startService();
  await expect(startCardService({ port: Number(new URL(service.url).port) })).rejects.toThrow('EADDRINUSE');
});

it('the service closes at once although an answer is pending', async () => {
  const service = await startCardService({ latencyMs: 3_600_000 });
  const arrived = new Promise<void>((resolve) => void service.onChange(resolve));
  const failed = expect(fetch(`${service.url}${CARD}`)).rejects.toThrow('fetch failed');
  await arrived;
  await service.close();
  await failed;
});
