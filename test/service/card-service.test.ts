import http from 'node:http';
import net from 'node:net';
import { beforeAll, expect, it, vi } from 'vitest';
import { listen } from '../../sandbox/listen.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { keyHeader } from '../../src/service/request.ts';
import { described } from '../support/described.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { expectSaid, table } from '../table.ts';
import { cardOf, clientOf, type Pair, startPair } from './clients.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', tcg: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };
/** The same as it is read. */
const READ = { id: CARD.id, name: CARD.name, game: CARD.tcg, set: CARD.set };
const NO_SUCH_CARD = { _tag: 'CardNotFound', message: 'No card has this id.' };
const LONG = 'x'.repeat(1024 * 1024);

type Answer = Parameters<Pair['service']['script']>[0];

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});

/** Asks for a card that the service answers with this, or as it does by itself. */
function ask(answer?: Answer, client = pair.client) {
  if (answer) pair.service.script(answer);
  return cardOf(client, 'base1-4');
}

/** What that fails with. */
function failure(answer: Answer): Promise<unknown> {
  return ask(answer).catch((error: unknown) => error);
}

function usage(body: unknown) {
  pair.service.script({ path: '/v1/usage', body });
  return pair.client.usage();
}

it('a card is requested with the key, under its id, with prices', async () => {
  for (const id of ['base1-4', 'tide-63']) {
    await cardOf(pair.client, id);
    const path = `/cards/${id}?includePrices=true`;
    expect(pair.service.requests.at(-1)).toMatchObject({ method: 'GET', path, authorized: true });
  }
});

it('a card is what the service sends, under the names of the model', async () => {
  const { tcg, ...sample } = SAMPLE_CARDS.find(({ id }) => id === 'base1-4') ?? CARD;
  expect(await ask()).toEqual({ ...sample, game: tcg });
});

it('a card is requested without a key when none is configured', async () => {
  await ask(undefined, clientOf(pair.service.url, { apiKey: undefined }));
  expect(pair.service.requests.at(-1)).toMatchObject({ status: 200, authorized: false });
});

it.each([200, 201, 203, 299])('a card comes with status %d', async (status) => {
  expect(await ask({ status, body: CARD })).toEqual(READ);
});

it.each(table`
  no unknown fields | {"artist": "N. N.", "prices": {"mid": 3, "low": 1}} | {"prices": {"low": 1}}
  no unknown field of its set | {"set": {"id": "base1", "name": "First Fires", "year": 1}} | {}
  null as absent | {"number": null, "rarity": null, "imageUrl": null, "prices": null} | {}
  a price of null as absent | {"prices": {"market": null, "low": 2}} | {"prices": {"low": 2}}
  numbers that are texts | {"prices": {"market": "0.05", "low": " 1e1 "}} | {"prices": {"market": 0.05, "low": 10}}
  a name that is a number | {"name": 7, "number": 4} | {"name": "7", "number": "4"}
  a set of numbers | {"set": {"id": 1, "name": 151}} | {"set": {"id": "1", "name": "151"}}
  prices that are a list as absent | {"prices": []} | {}
  prices that are text as absent | {"prices": {"market": "n/a", "low": 3}} | {"prices": {"low": 3}}
  a picture that is an object as absent | {"imageUrl": {"small": "x"}, "rarity": "Rare"} | {"rarity": "Rare"}
  a number that was rounded as absent | {"number": 9007199254740992} | {}
  HTML entities, once | {"name": "Ace &amp; Newgate&#39;s &amp;lt;"} | {"name": "Ace & Newgate's &lt;"}
  only those that there are | {"set": {"id": "a&amp;b", "name": "R&D &eacute; &bogus;"}} | {"set": {"id": "a&amp;b", "name": "R&D é &bogus;"}}
  an empty name | {"name": ""} | {"name": ""}
  an empty name of its set | {"set": {"id": "base1", "name": ""}} | {"set": {"id": "base1", "name": ""}}
  its page and the currency of its price | {"pageUrl": "https://a.test/4", "prices": {"low": 1, "currency": "eur"}} | {"pageUrl": "https://a.test/4", "prices": {"low": 1, "currency": "EUR"}}
  a price without a currency that is no code | {"prices": {"low": 1, "currency": "€"}} | {"prices": {"low": 1}}
  a rarity as it is | {"rarity": "Rare_Holo"} | {"rarity": "Rare_Holo"}
  an id as it is | {"id": "a&amp;b"} | {"id": "a&amp;b"}
`)('a card is read with %s: %s', async (_, sent = '', found = '') => {
  expect(await ask({ body: { ...CARD, ...JSON.parse(sent) } })).toEqual({ ...READ, ...JSON.parse(found) });
});

it('a card is logged once for each field that cannot be read, in lists and reports of usage too', async () => {
  const { log, lines } = logLines();
  const client = clientOf(pair.service.url, { log, bulkPath: '/cards?ids={ids}', bulkMax: 5 });
  const odd = { ...CARD, imageUrl: {}, prices: { market: [], low: 2 } };
  pair.service.script({ body: odd }, { body: odd }, { body: [odd, { ...odd, id: 'b', rarity: {} }] });
  for (const ids of [['base1-4'], ['base1-4'], ['base1-4', 'b']])
    expect((await client.fetch(ids)).cards.size).toBe(ids.length);
  pair.service.script({ path: 'usage', body: { plan: 5, period: [], requests: { used: '12', limit: {} } } });
  expect(await client.usage()).toEqual({ plan: '5', requests: { used: 12 } });
  const fields = ['prices.market', 'imageUrl', 'rarity', 'requests.limit'];
  expect(lines.map(({ field }) => field)).toEqual(fields);
  expect(lines[1]).toMatchObject({ level: WARN, why: 'Invalid input: expected string, received object' });
});

it('a card is read whole although a character of it comes in two parts', async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...CARD, name: 'Glühwurm' }));
  const at = bytes.indexOf(0xc3) + 1;
  const body = ReadableStream.from([bytes.subarray(0, at), bytes.subarray(at)]);
  const client = clientOf(pair.service.url, { fetch: async () => new Response(body) });
  expect(await ask(undefined, client)).toMatchObject({ name: 'Glühwurm' });
});

it('a card may be as long as a mebibyte', async () => {
  const padding = 1024 * 1024 - JSON.stringify({ ...CARD, more: '' }).length;
  expect(await ask({ body: { ...CARD, more: 'x'.repeat(padding) } })).toEqual(READ);
});

const BODIES: Record<string, unknown> = {
  ERROR: NO_SUCH_CARD,
  'LONG ERROR': { ...NO_SUCH_CARD, more: LONG },
  'LONG CARD': { ...CARD, more: LONG },
  ENDLESS: LONG + LONG,
};

// A 403 without the service's own error comes from a firewall: the key is not refused.
it.each(table`
  a 404 with an error | 404 | ERROR | noSuchCard
  a 404 with an error of an empty text | 404 | {"_tag":"CardNotFound","message":""} | noSuchCard
  a 404 without body | 404 | | status 404
  a 404 with a page | 404 | <html> | status 404
  a 404 whose error has no message | 404 | {"_tag": "NotFound"} | status 404
  a 404 over a mebibyte | 404 | LONG ERROR | status 404
  400 | 400 | {"_tag": "InvalidRequest", "message": "no"} | status 400
  405 | 405 | | status 405
  a 304 | 304 | | status 304
  a 403 with a page | 403 | <h1>Request blocked</h1> | status 403
  a 403 without body | 403 | | status 403
  a 403 with another JSON | 403 | {"error": "blocked"} | status 403
  a 403 with an endless body | 403 | ENDLESS | status 403
  a 403 with an error of a refused key | 403 | {"_tag":"Forbidden","message":"no"} | KeyRefused: the card service refused the API key with 403
  a 403 with one of an empty text | 403 | {"_tag":"Forbidden","message":""} | KeyRefused: the card service refused the API key with 403
  a 401 with an error | 401 | {"_tag":"Unauthorized","message":"no"} | KeyRefused: the card service refused the API key with 401
  a 401 with a page | 401 | <h1>Unauthorized</h1> | KeyRefused: the card service refused the API key with 401
  a 401 with an endless body | 401 | ENDLESS | KeyRefused: the card service refused the API key with 401
  408 | 408 | ERROR | ServiceDown: card service down: it answered 408
  500 | 500 | ENDLESS | ServiceDown: card service down: it answered 500
  502 | 502 | ERROR | ServiceDown: card service down: it answered 502
  503 | 503 | ENDLESS | ServiceDown: card service down: it answered 503
  504 | 504 | ERROR | ServiceDown: card service down: it answered 504
  599 | 599 | ENDLESS | ServiceDown: card service down: it answered 599
  success without a body | 204 | | the body is not JSON
  a page | 200 | <html> | the body is not JSON
  half a card | 200 | {"id": "base1-4" | the body is not JSON
  nothing but null | 200 | null | the body: …
  a list | 200 | [{"id": "base1-4", "name": "Ember Drake", "tcg": "Wyrmfall"}] | the body: …
  an empty list | 200 | [] | the body: …
  a card without name | 200 | + {"name":null} | name: …
  one whose name is a list | 200 | + {"name":[]} | name: Invalid input: expected string, received array
  one whose set is text | 200 | + {"imageUrl":7,"set":"Base"} | set: …
  one whose id was rounded | 200 | + {"id":9007199254740992} | id: …
  one over a mebibyte | 200 | LONG CARD | a body over 1048576 bytes
  one that unpacks to over a mebibyte | 200 gzip | LONG CARD | a body over 1048576 bytes
`)('an answer that is no card is named: %s', async (_, status = '', text = '', told = '') => {
  const body = BODIES[text] ?? (text.startsWith('+') ? { ...CARD, ...JSON.parse(text.slice(1)) } : text || undefined);
  const found = await failure({ status: Number.parseInt(status, 10), body, gzip: status.endsWith('gzip') });
  const [beginning = '', isMore] = told.split('…');
  const named = String(found).replace('UnexpectedAnswer: unexpected answer: ', '');
  expect(isMore === undefined ? named : named.slice(0, beginning.length)).toBe(beginning);
});

it.each([
  [{ header: 'authorization' }, { authorization: 'Bearer wax' }],
  [{ header: 'Authorization', prefix: 'Token ' }, { Authorization: 'Token wax' }],
  [{ header: 'X-Seal' }, { 'X-Seal': 'wax' }],
])('a key is sent as %o says, and as a bearer where that is usual', (key, headers) => {
  expect(keyHeader({ ...described(), key }, 'wax')).toEqual(headers);
});

const REFUSED = { status: 401, body: { _tag: 'Unauthorized', message: 'no' } };
const STEPS: Record<string, [ids: string[], answer: Answer]> = {
  found: [['base1-4'], { body: CARD }],
  listed: [['base1-4', 'base1-5'], { body: [CARD] }],
  unlisted: [['base1-4', 'base1-5'], REFUSED],
  down: [['base1-4'], { status: 503 }],
};

it.each(table`
  that never worked is not | a | no
  that worked within the hour is | found, 59 min, a | yes
  that worked longer ago is not | found, 60 min, a | no
  that worked for a list is | listed, a | yes
  that did not work for a list is not | unlisted, a | no
  is however often one id is refused | found, a, a, a | yes yes yes
  is not once a second id was refused, until it works again | found, a, b, a, found, b | yes no no yes
  that worked between two refusals was refused once | found, a, found, b | yes yes
  is while the service is down | found, down, a | yes
`)(
  'a key %s believed: %s',
  expectSaid(async (steps) => {
    fakeTimers({ toFake: ['Date'] });
    const client = clientOf(pair.service.url, { bulkPath: '/cards?ids={ids}' });
    const told: string[] = [];
    for (const step of steps.split(', ')) {
      const minutes = Number.parseInt(step, 10) || 0;
      vi.setSystemTime(Date.now() + minutes * 60_000);
      const [ids, answer] = STEPS[minutes > 0 ? 'down' : step] ?? [[step], REFUSED];
      pair.service.script(answer);
      const fetched = await client.fetch(ids).catch(() => undefined);
      if (answer === REFUSED && ids.length === 1) told.push(fetched ? 'yes' : 'no');
    }
    return told.join(' ');
  }),
);

const down = (fault: object) => expect.objectContaining({ name: 'ServiceDown', ...fault });
const failureAt = (url: string, timeoutMs = 5_000) =>
  clientOf(url, { timeoutMs })
    .usage()
    .catch((error: unknown) => error);
/** The address of a service that is gone. */
const gone = async () => {
  const { service } = await startPair();
  await service.close();
  return service.url;
};

it('a request whose connection is refused has never left', async () => {
  expect(await failureAt(await gone())).toEqual(down({ neverLeft: true }));
});

it('a request that is aborted before there is a connection has never left', async () => {
  const silent = net.createServer();
  const port = await listen(silent, 0);
  expect(await failureAt(`https://127.0.0.1:${port}`, 100)).toEqual(down({ neverLeft: true }));
  silent.close();
});

it.each<[string, Answer, object]>([
  ['its connection is reset afterwards', { fault: 'reset' }, { reason: 'connection failed' }],
  ['its body cannot be decompressed', { body: 'not packed', headers: { 'content-encoding': 'gzip' } }, {}],
])('a request has left when %s', async (_, answer, more) => {
  expect(await failure(answer)).toEqual(down({ ...more, neverLeft: false }));
});

it('a request that has ended waits for no timeout', async () => {
  fakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await clientOf(pair.service.url, { fetch: async () => Response.json({}) }).usage();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['7', 7_000],
  ['soon', undefined],
])(
  'a service that is down may state for how long; what is not understood states nothing: %s',
  async (wait, retryAfterMs) => {
    const down = await failure({ status: 503, headers: { 'retry-after': wait } });
    expect(down).toMatchObject({ name: 'ServiceDown', retryAfterMs });
  },
);

it.each<['hang' | 'stall', number, string, timeoutMs?: number]>([
  ['hang', 200, 'no answer within 700 ms'],
  ['stall', 200, 'no answer within 700 ms'],
  ['stall', 429, '429, retry after', 3_000], // in which the head of the answer has come
])(
  'a service that %ss for longer than the timeout with the status %d: %s',
  async (fault, status, words, timeoutMs = 700) => {
    // One of its own: on a busy machine a request that was given up may arrive during the next test.
    const { service, client } = await startPair({ timeoutMs });
    service.script({ fault, status, body: CARD });
    await expect(cardOf(client, 'base1-4')).rejects.toThrow(words);
  },
);

it.each(['hang', 'stall'] as const)(
  'a caller who aborts gets its own reason as the error when the service %ss',
  async (fault) => {
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
  },
);

it('a caller who aborts before the request leaves causes none', async () => {
  const { total } = pair.service.counts;
  const signal = AbortSignal.abort(new Error('aborted'));
  await expect(cardOf(pair.client, 'base1-4', signal)).rejects.toThrow('aborted');
  expect(pair.service.counts.total).toBe(total);
});

it.each([301, 302, 303, 307, 308])(
  'a redirect with %d is not followed, so that the key reaches no other host',
  async (status) => {
    const { service } = await startPair();
    for (const location of [`${service.url}/cards/base1-4`, `${pair.service.url}/cards/base1-4`]) {
      const { total } = pair.service.counts;
      const detail = `status ${status}, a redirect to ${location}`;
      await expect(ask({ status, headers: { location } })).rejects.toMatchObject({ detail });
      expect(pair.service.counts.total).toBe(total + 1);
    }
    expect(service.counts.total).toBe(0);
  },
);

it('the usage report is read as the service sends it', async () => {
  const usage = await pair.client.usage();
  expect(usage).toMatchObject({ plan: 'free', requests: { limit: 1_000 } });
  expect((usage.period?.endMs ?? 0) - (usage.period?.startMs ?? 0)).toBe(86_400_000);
  expect(pair.service.requests.at(-1)).toMatchObject({ path: '/v1/usage', authorized: true });
});

it.each(table`
  {} | {}
  {"plan": null, "period": null, "requests": null} | {}
  {"requests": {"used": 3}} | {"requests": {"used": 3}}
  {"plan": 3, "requests": {"used": "12", "limit": "1000"}} | {"plan": "3", "requests": {"used": 12, "limit": 1000}}
  {"plan": "free", "period": {"start": "yesterday"}} | {"plan": "free", "period": {}}
  {"requests": {"used": 1.5, "limit": 3}} | {"requests": {"limit": 3}}
`)('the usage report says what can be read of it: %s', async (body = '', said = '') => {
  expect(await usage(JSON.parse(body))).toEqual(JSON.parse(said));
});

it('the usage report says when a period ends', async () => {
  const { period } = await usage({ period: { end: '2026-11-21T00:00:00+01:00' } });
  expect(period).toEqual({ endMs: Date.UTC(2026, 10, 20, 23) });
});

it('the usage report that is a list is refused, and a 404 is an unexpected answer', async () => {
  await expect(usage([])).rejects.toThrow('unexpected answer: the body: ');
  pair.service.script({ path: '/v1/usage', status: 404, body: NO_SUCH_CARD });
  await expect(pair.client.usage()).rejects.toMatchObject({ detail: 'status 404' });
});

it.each<[string, Answer]>([
  ['a card', {}],
  ['a 429', { status: 429 }],
  ['a redirect', { status: 302, headers: { location: '/' } }],
])('the rate limit headers are reported for %s', async (_, answer) => {
  const { service, client, readings } = await startPair();
  service.script(answer);
  await cardOf(client, 'base1-4').catch(() => {});
  expect(readings).toMatchObject([{ limit: 1_000, remaining: 1_000 }]);
  const [{ sentAtMs, receivedAtMs } = { sentAtMs: 0, receivedAtMs: -1 }] = readings;
  expect(sentAtMs).toBeLessThanOrEqual(receivedAtMs);
});

// Two, because a connection may become free only after the end of its last body was read.
it('many requests use at most two connections, whatever the answers', async () => {
  const statuses = [200, 429, 404, 500, 401, 302];
  let connections = 0;
  let requests = 0;
  const server = http.createServer((_, response) => {
    const status = statuses[requests++ % statuses.length] ?? 200;
    response.writeHead(status).end(JSON.stringify({ ...CARD, more: 'x'.repeat(200_000) }));
  });
  server.on('connection', () => connections++);
  const client = clientOf(`http://127.0.0.1:${await listen(server, 0)}`);
  for (let asked = 0; asked < 24; asked++) await ask(undefined, client).catch(() => {});
  expect(requests).toBe(24);
  expect(connections).toBeLessThanOrEqual(2);
  server.close();
  server.closeAllConnections();
});
