import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../../src/model/errors.ts';
import { keyHeader } from '../../src/service/request.ts';
import { described } from '../support/described.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { cardOf, clientOf, type Pair, startPair } from './clients.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', tcg: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };
const NO_SUCH_CARD = { _tag: 'CardNotFound', message: 'No card has this id.' };
const LONG = 'x'.repeat(1024 * 1024);

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.service.close());

function ask() {
  return cardOf(pair.client, 'base1-4');
}

describe('a card', () => {
  it('is requested with the key, under its id, with prices', async () => {
    await cardOf(pair.client, 'base1-4');
    await cardOf(pair.client, 'tide-63');
    expect(pair.service.requests.slice(-2)).toEqual([
      expect.objectContaining({ method: 'GET', path: '/cards/base1-4?includePrices=true', authorized: true }),
      expect.objectContaining({ method: 'GET', path: '/cards/tide-63?includePrices=true', authorized: true }),
    ]);
  });

  it('is what the service sends, under the names of the model', async () => {
    const { tcg, ...sample } = SAMPLE_CARDS.find(({ id }) => id === 'base1-4') ?? CARD;
    expect(await ask()).toEqual({ ...sample, game: tcg });
  });

  it('is requested without a key when none is configured', async () => {
    await cardOf(clientOf(pair.service.url, { apiKey: undefined }), 'base1-4');
    expect(pair.service.requests.at(-1)).toMatchObject({ status: 200, authorized: false });
  });

  it('is requested at the address of the path template', async () => {
    const client = clientOf(`${pair.service.url}/api/`, { cardPath: '/v2/cards/{id}/full' });
    pair.service.script({ path: '/api/v2/cards/a%2Fb/full?', body: CARD });
    expect(await cardOf(client, 'a/b')).toMatchObject({ id: 'base1-4' });
  });

  it.each([200, 201, 203, 299])('comes with status %d', async (status) => {
    pair.service.script({ status, body: CARD });
    expect(await ask()).toMatchObject({ name: 'Ember Drake' });
  });

  it('loses unknown fields', async () => {
    pair.service.script({
      body: { ...CARD, artist: 'N. N.', set: { ...CARD.set, year: 1 }, prices: { mid: 3, low: 1 } },
    });
    const { tcg, ...known } = CARD;
    expect(await ask()).toEqual({ ...known, game: tcg, prices: { low: 1 } });
  });

  it('may have null for what it does not have', async () => {
    const nothing = { number: null, rarity: null, imageUrl: null };
    pair.service.script(
      { body: { ...CARD, ...nothing, prices: { market: null, low: 2 } } },
      { body: { ...CARD, prices: null } },
    );
    expect(await ask()).toEqual(expect.objectContaining({ number: undefined, prices: { low: 2 } }));
    expect(await ask()).not.toHaveProperty('prices', expect.anything());
  });

  it.each([
    ['numbers that are texts', { prices: { market: '0.05', low: ' 1e1 ' } }, { prices: { market: 0.05, low: 10 } }],
    [
      'texts that are numbers',
      { name: 7, number: 4, set: { id: 1, name: 151 } },
      { name: '7', number: '4', set: { id: '1', name: '151' } },
    ],
    ['prices that are a list as absent', { prices: [] }, { prices: undefined }],
    ['prices that are text as absent', { prices: { market: 'n/a', low: 3 } }, { prices: { low: 3 } }],
    [
      'a picture that is an object as absent',
      { imageUrl: { small: 'x' }, rarity: 'Rare' },
      { imageUrl: undefined, rarity: 'Rare' },
    ],
    ['a number that was rounded as absent', { number: 2 ** 53 }, { number: undefined }],
    [
      'HTML entities, once',
      { name: 'Ace &amp; Newgate&#39;s &amp;lt;', set: { id: 'a&amp;b', name: 'R&D &eacute; &bogus;' } },
      { name: "Ace & Newgate's &lt;", set: { id: 'a&amp;b', name: 'R&D é &bogus;' } },
    ],
    ['an id as it is', { id: 'a&amp;b' }, { id: 'a&amp;b' }],
  ])('is read with %s', async (_, sent, found) => {
    pair.service.script({ body: { ...CARD, ...sent } });
    expect(await ask()).toMatchObject(found);
  });

  it('is logged once for each field that cannot be read, in lists and reports of usage too', async () => {
    const { log, lines } = logLines();
    const client = clientOf(pair.service.url, { log, bulkPath: '/cards?ids={ids}', bulkMax: 5 });
    const odd = { ...CARD, imageUrl: {}, prices: { market: [], low: 2 } };
    pair.service.script({ body: odd }, { body: odd }, { body: [odd, { ...odd, id: 'b', rarity: {} }] });
    for (const ids of [['base1-4'], ['base1-4'], ['base1-4', 'b']])
      expect((await client.fetch(ids)).cards.size).toBe(ids.length);
    pair.service.script({ path: 'usage', body: { plan: 5, period: [], requests: { used: '12', limit: {} } } });
    expect(await client.usage()).toEqual({ plan: '5', requests: { used: 12 } });
    expect(lines.map(({ field }) => field)).toEqual([
      'imageUrl',
      'prices.market',
      'rarity',
      'requests.limit',
      'period',
    ]);
    expect(lines[0]).toMatchObject({ level: WARN, why: 'Invalid input: expected string, received object' });
  });

  it('is read whole although a character of it comes in two parts', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...CARD, name: 'Glühwurm' }));
    const at = bytes.indexOf(0xc3) + 1;
    const body = ReadableStream.from([bytes.subarray(0, at), bytes.subarray(at)]);
    const client = clientOf(pair.service.url, { fetch: async () => new Response(body) });
    expect(await cardOf(client, 'base1-4')).toMatchObject({ name: 'Glühwurm' });
  });

  it('does not exist when a 404 has an error body', async () => {
    pair.service.script({ path: 'nope', status: 404, body: NO_SUCH_CARD });
    expect(await cardOf(clientOf(pair.service.url), 'nope')).toBe('noSuchCard');
  });
});

describe('an answer that does not fit', () => {
  it.each([
    ['a 404 without body', { status: 404 }, 'status 404'],
    ['a 404 with a page', { status: 404, body: '<html>' }, 'status 404'],
    ['a 404 whose error has no message', { status: 404, body: { _tag: 'NotFound' } }, 'status 404'],
    ['a 404 over a mebibyte', { status: 404, body: { ...NO_SUCH_CARD, more: LONG } }, 'status 404'],
    ['400', { status: 400, body: { _tag: 'InvalidRequest', message: 'no' } }, 'status 400'],
    ['405', { status: 405 }, 'status 405'],
    [
      'a redirect',
      { status: 301, headers: { Location: 'https://new.test/cards' } },
      'status 301, a redirect to https://new.test/cards',
    ],
    ['a card with status 304', { status: 304 }, 'status 304'],
    ['success without a body', { status: 204 }, 'the body is not JSON'],
    ['a page', { body: '<html>' }, 'the body is not JSON'],
    ['half a card', { body: '{"id":"base1-4"' }, 'the body is not JSON'],
    ['nothing but null', { body: 'null' }, 'the body: '],
    ['a list', { body: [CARD] }, 'the body: '],
    ['a card without name', { body: { ...CARD, name: undefined } }, 'name: '],
    ['a name that is a list', { body: { ...CARD, name: [] } }, 'name: Invalid input: expected string, received array'],
    ['a set that is text', { body: { ...CARD, imageUrl: 7, set: 'Base' } }, 'set: '],
    ['an id that was rounded', { body: { ...CARD, id: 2 ** 53 } }, 'id: '],
    ['a card over a mebibyte', { body: { ...CARD, more: LONG } }, 'a body over 1048576 bytes'],
    [
      'a card that unpacks to over a mebibyte',
      { body: { ...CARD, more: LONG }, gzip: true },
      'a body over 1048576 bytes',
    ],
  ])('is named: %s', async (_, answer, detail) => {
    pair.service.script(answer);
    const refused = await ask().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnexpectedAnswer);
    expect((refused as UnexpectedAnswer).detail.slice(0, detail.length)).toBe(detail);
  });

  it('may be as long as a mebibyte', async () => {
    const padding = 1024 * 1024 - JSON.stringify({ ...CARD, more: '' }).length;
    pair.service.script({ body: { ...CARD, more: 'x'.repeat(padding) } });
    expect(await ask()).toMatchObject({ id: 'base1-4' });
  });
});

it.each([
  ['are given up when two of their cards are found alone', CARD, 1],
  ['go on when what is found alone is no card', { body: {} }, 5],
  ['go on when there are no such cards', { status: 404, body: NO_SUCH_CARD }, 5],
])('lists that brought none of their cards %s', async (_, answer, most) => {
  const client = clientOf(pair.service.url, { bulkPath: '/cards?ids={ids}', bulkMax: 5 });
  for (const ids of [['a', 'b'], ['c', 'd'], ['a'], ['c']]) {
    pair.service.script(ids.length > 1 ? { body: [] } : { body: CARD, ...answer });
    await client.fetch(ids);
  }
  expect(client.limits?.(Date.now(), undefined).most).toBe(most);
});

describe('a key', () => {
  it.each([
    [{ header: 'authorization' }, { authorization: 'Bearer wax' }],
    [{ header: 'Authorization', prefix: 'Token ' }, { Authorization: 'Token wax' }],
    [{ header: 'X-Seal' }, { 'X-Seal': 'wax' }],
  ])('is sent as %o says, and as a bearer where that is usual', (key, headers) => {
    expect(keyHeader({ ...described(), key }, 'wax')).toEqual(headers);
  });

  it.each([
    [401, 'an error body', { _tag: 'Unauthorized', message: 'no' }],
    [401, 'a page', '<h1>Unauthorized</h1>'],
    [401, 'an endless body', 'x'.repeat(2 * LONG.length)],
    [403, 'an error body', { _tag: 'Forbidden', message: 'no' }],
  ])('is refused with %d and %s', async (status, _, body) => {
    pair.service.script({ status, body });
    const refused = ask();
    await expect(refused).rejects.toThrow(KeyRefused);
    await expect(refused).rejects.toMatchObject({ status });
  });

  it.each([
    ['a page', '<h1>Request blocked</h1>'],
    ['missing', ''],
    ['another JSON', { error: 'blocked' }],
    ['an endless body', 'x'.repeat(2 * LONG.length)],
  ])('is not refused by a 403 with %s, which comes from a firewall', async (_, body) => {
    pair.service.script({ status: 403, body });
    await expect(ask()).rejects.toThrow(new UnexpectedAnswer({ detail: 'status 403' }));
  });

  it('that a list has shown to work is believed when one card is refused, and not when the list was refused', async () => {
    const client = clientOf(pair.service.url, { bulkPath: '/cards?ids={ids}' });
    const refusal = { status: 401, body: { _tag: 'Unauthorized', message: 'no' } };
    pair.service.script(refusal);
    await client.fetch(['base1-4', 'base1-5']);
    pair.service.script(refusal);
    await expect(client.fetch(['base1-4'])).rejects.toThrow(KeyRefused);
    await client.fetch(['base1-4', 'base1-5']);
    pair.service.script(refusal);
    expect((await client.fetch(['base1-4'])).cards.get('base1-4')).toBeInstanceOf(KeyRefused);
  });

  it('that one card has shown to work is believed when another card is refused', async () => {
    const client = clientOf(pair.service.url);
    await client.fetch(['base1-4']);
    pair.service.script({ status: 403, body: { _tag: 'Forbidden', message: 'no' } });
    expect((await client.fetch(['base1-5'])).cards.get('base1-5')).toBeInstanceOf(KeyRefused);
  });

  it('that has shown to work says nothing of an outage: that is not of one card', async () => {
    const client = clientOf(pair.service.url);
    await client.fetch(['base1-4']);
    pair.service.script({ status: 503 });
    await expect(client.fetch(['base1-5'])).rejects.toThrow(ServiceDown);
  });

  it('is refused by a service that expects another', async () => {
    await expect(clientOf(pair.service.url, { apiKey: 'other' }).usage()).rejects.toThrow(KeyRefused);
  });
});

describe('a request', () => {
  const down = (fault: object) => expect.objectContaining({ name: 'ServiceDown', ...fault });
  const failure = (url: string, timeoutMs = 5_000) =>
    clientOf(url, { timeoutMs })
      .usage()
      .catch((error: unknown) => error);

  it('whose connection is refused has never left', async () => {
    const gone = await startPair();
    await gone.service.close();
    expect(await failure(gone.service.url)).toEqual(down({ neverLeft: true }));
  });

  it('that is aborted before there is a connection has never left', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expect(await failure(`https://127.0.0.1:${port}`, 100)).toEqual(down({ neverLeft: true }));
    silent.close();
  });

  it('has left when its connection is reset afterwards', async () => {
    pair.service.script({ fault: 'reset' });
    expect(await failure(pair.service.url)).toEqual(down({ reason: 'connection failed', neverLeft: false }));
  });

  it('that has ended waits for no timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await clientOf(pair.service.url, { fetch: async () => Response.json({}) }).usage();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that has ended without having left watches no later one', async () => {
    const watching = () => {
      let count = 0;
      const message = {
        get request() {
          return ++count;
        },
      };
      for (const name of ['undici:request:create', 'undici:client:sendHeaders']) channel(name).publish(message);
      return count;
    };
    const gone = await startPair();
    await gone.service.close();
    const before = watching();
    await failure(gone.service.url);
    expect(watching()).toBe(before);
  });
});

describe('a service', () => {
  it.each([408, 500, 502, 503, 504, 599])('is down when it answers %d, whatever the body', async (status) => {
    pair.service.script({ status, body: NO_SUCH_CARD }, { status, body: LONG + LONG });
    await expect(ask()).rejects.toThrow(`card service down: it answered ${status}`);
    await expect(ask()).rejects.toThrow(ServiceDown);
  });

  it.each([
    ['7', 7_000],
    ['soon', undefined],
  ])('that is down may state for how long; what is not understood states nothing: %s', async (wait, retryAfterMs) => {
    pair.service.script({ status: 503, headers: { 'retry-after': wait } });
    const down = await ask().catch((error: unknown) => error);
    expect(down).toMatchObject({ name: 'ServiceDown', retryAfterMs });
  });

  it('is down when its body cannot be decompressed, and has been asked', async () => {
    pair.service.script({ body: 'not packed', headers: { 'content-encoding': 'gzip' } });
    await expect(ask()).rejects.toMatchObject({ name: 'ServiceDown', neverLeft: false });
  });

  it.each(['hang', 'stall'] as const)('is down when it %ss for longer than the timeout', async (fault) => {
    // One of its own: on a busy machine a request that was given up may arrive during the next test.
    const { service, client } = await startPair({ timeoutMs: 60 });
    onTestFinished(() => service.close());
    service.script({ fault, body: CARD });
    await expect(cardOf(client, 'base1-4')).rejects.toThrow('no answer within 60 ms');
  });
});

describe('a caller who aborts', () => {
  it.each(['hang', 'stall'] as const)('gets its own reason as the error when the service %ss', async (fault) => {
    const abort = new AbortController();
    const reason = new Error('aborted');
    const readings: unknown[] = [];
    const client = clientOf(pair.service.url, {
      limiter: {
        observe: (reading) => {
          readings.push(reading);
          if (fault === 'stall') abort.abort(reason);
        },
      },
    });
    const stop = pair.service.onChange(() => fault === 'hang' && abort.abort(reason));
    pair.service.script({ fault, body: CARD });
    await expect(cardOf(client, 'base1-4', abort.signal)).rejects.toBe(reason);
    stop();
    expect(readings).toHaveLength(fault === 'stall' ? 1 : 0);
  });

  it('before the request leaves causes none', async () => {
    const { total } = pair.service.counts;
    const signal = AbortSignal.abort(new Error('aborted'));
    await expect(cardOf(pair.client, 'base1-4', signal)).rejects.toThrow('aborted');
    expect(pair.service.counts.total).toBe(total);
  });
});

it.each([301, 302, 303, 307, 308])(
  'a redirect with %d is not followed, so that the key reaches no other host',
  async (status) => {
    const elsewhere = await startPair();
    for (const location of [`${elsewhere.service.url}/cards/base1-4`, `${pair.service.url}/cards/base1-4`]) {
      const { total } = pair.service.counts;
      pair.service.script({ status, headers: { location } });
      await expect(ask()).rejects.toMatchObject({ detail: `status ${status}, a redirect to ${location}` });
      expect(pair.service.counts.total).toBe(total + 1);
    }
    expect(elsewhere.service.counts.total).toBe(0);
    await elsewhere.service.close();
  },
);

describe('a 429', () => {
  const TOO_MANY = { _tag: 'RateLimitExceeded', message: 'Retry after 7 seconds.' };

  it.each([
    ['states its wait in the body', { ...TOO_MANY, retryAfter: 7 }, {}, { seconds: 7 }],
    ['may be longer than a mebibyte', LONG + LONG, { 'retry-after': '2' }, { seconds: 2 }],
  ])('%s', async (_, body, headers, facts) => {
    pair.service.script({ status: 429, body, headers });
    const refused = await ask().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimited);
    expect(refused).toMatchObject(facts);
  });

  it('states a date by the clock of the service', async () => {
    const date = 'Wed, 01 Jan 2031 12:00:00 GMT';
    pair.service.script({ status: 429, headers: { date, 'retry-after': 'Wed, 01 Jan 2031 12:00:30 GMT' } });
    await expect(ask()).rejects.toMatchObject({ seconds: 30 });
  });

  it('is one even when its body never ends', async () => {
    pair.service.script({ status: 429, body: TOO_MANY, headers: { 'retry-after': '30' }, fault: 'stall' });
    const client = clientOf(pair.service.url, { timeoutMs: 1_000 });
    await expect(cardOf(client, 'base1-4')).rejects.toMatchObject({ seconds: 30 });
  });
});

describe('the usage report', () => {
  it('is read as the service sends it', async () => {
    const usage = await pair.client.usage();
    expect(usage).toMatchObject({ plan: 'free', requests: { limit: 1_000 } });
    expect((usage.period?.endMs ?? 0) - (usage.period?.startMs ?? 0)).toBe(86_400_000);
    expect(pair.service.requests.at(-1)).toMatchObject({ path: '/v1/usage', authorized: true });
  });

  it.each([
    ['missing', {}, {}],
    ['nulls', { plan: null, period: null, requests: null }, {}],
    [
      'half of everything',
      { period: { end: '2026-11-21T00:00:00+01:00' }, requests: { used: 3 } },
      { period: { startMs: undefined, endMs: Date.UTC(2026, 10, 20, 23) }, requests: { used: 3 } },
    ],
  ])('may hold %s', async (_, body, usage) => {
    pair.service.script({ path: '/v1/usage', body });
    expect(await pair.client.usage()).toEqual(usage);
  });

  it.each([
    [
      { plan: 3, requests: { used: '12', limit: '1000' } },
      { plan: '3', requests: { used: 12, limit: 1000 } },
    ],
    [
      { plan: 'free', period: { start: 'yesterday' } },
      { plan: 'free', period: {} },
    ],
    [{ requests: { used: 1.5, limit: 3 } }, { requests: { limit: 3 } }],
  ])('says what can be read of it: %j', async (body, usage) => {
    pair.service.script({ path: '/v1/usage', body });
    expect(await pair.client.usage()).toEqual(usage);
  });

  it('that is a list is refused', async () => {
    pair.service.script({ path: '/v1/usage', body: [] });
    await expect(pair.client.usage()).rejects.toThrow('unexpected answer: the body: ');
  });

  it('with a 404 is an unexpected answer', async () => {
    pair.service.script({ path: '/v1/usage', status: 404, body: NO_SUCH_CARD });
    await expect(pair.client.usage()).rejects.toMatchObject({ detail: 'status 404' });
  });
});

it.each([
  ['a card', {}],
  ['a 429', { status: 429 }],
  ['a redirect', { status: 302, headers: { location: '/' } }],
])('the rate limit headers are reported for %s', async (_, answer) => {
  const fresh = await startPair();
  fresh.service.script(answer);
  await cardOf(fresh.client, 'base1-4').catch(() => {});
  expect(fresh.readings).toMatchObject([{ limit: 1_000, remaining: 1_000 }]);
  const [{ sentAtMs, receivedAtMs } = { sentAtMs: 0, receivedAtMs: -1 }] = fresh.readings;
  expect(sentAtMs).toBeLessThanOrEqual(receivedAtMs);
  await fresh.service.close();
});
