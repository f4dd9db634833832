import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ListeningCardService, SANDBOX_API_KEY, startCardService } from '../../sandbox/card-service.ts';
import { RateLimited, ServiceDown } from '../../src/model/errors.ts';
import { CardReader } from '../../src/service/described-card.ts';
import { againAtMost, Listing } from '../../src/service/listing.ts';
import type { ListingOutcome } from '../../src/service/listing-learning.ts';
import { described, listAt } from '../support/described.ts';
import { INFO, logLines, WARN } from '../support/log-lines.ts';
import { table } from '../table.ts';

const IDS = ['base1-4', 'base1-5', 'nowhere'];
const CARD = { id: 'base1-4', name: 'Ember Drake', tcg: 'T', set: { id: 's', name: 'S' } };
const MIB = 1024 * 1024;
const ANSWERS: Record<string, { headers?: Record<string, string>; body: unknown }> = {
  'a page': { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' },
  'an error': { body: { _tag: 'Refused', message: 'Refused.' } },
  'a message': { body: { message: 'ok' } },
};

let service: ListeningCardService;
beforeAll(async () => {
  service = await startCardService();
});
afterAll(() => service.close());

const GET = '/cards?ids={ids}';

function listingOf({
  bulkPath = GET,
  baseUrl = service.url,
  most = 20,
  perSecond = undefined as number | undefined,
} = {}) {
  const { log, lines } = logLines();
  const reader = new CardReader(described({ bulkPath }));
  return { listing: new Listing({ baseUrl, list: { ...listAt(bulkPath, most), perSecond }, reader, log }), lines };
}

function list(ids = IDS, { bulkPath = GET, baseUrl = service.url, timeoutMs = 5_000 } = {}) {
  const options = { description: described({ bulkPath }), apiKey: SANDBOX_API_KEY, timeoutMs };
  return listingOf({ bulkPath, baseUrl }).listing.request(ids, { ...options, limiter: { observe: () => {} } });
}
const listed = async (ids?: string[]) => {
  const answer = await list(ids);
  return answer.kind === 'listed' ? [...answer.cards.keys()] : answer;
};

const OUTCOMES: Record<string, ListingOutcome> = {
  found: { kind: 'listed', cards: new Map([['a', { id: 'a', name: 'A', game: 'G' }]]) },
  'refused as too many': { kind: 'tooMany', detail: 'status 413' },
  'no list': { kind: 'unusable', detail: 'status 404' },
  'refused with 429': { kind: 'rateLimited' },
};

it.each<[string, string, object[]]>([
  ['nothing of lists that work', '4 found, 1 found', []],
  ['that fewer go together', '4 refused as too many', [{ level: INFO, detail: 'status 413', most: 2 }]],
  ['that lists do not work', '4 no list, 1 found', [{ level: WARN, detail: 'status 404', minutes: 60 }]],
  ['that one did not, after others', '4 found, 4 no list, 1 found', [{ level: INFO, detail: 'status 404' }]],
  ['that a 429 stops lists', '4 refused with 429', [{ level: INFO, minutes: 15 }]],
])('the log tells %s: of %s', (_, ended, told) => {
  const { listing, lines } = listingOf();
  for (const [, count, outcome = ''] of ended.matchAll(/(\d) ([^,]+)/g)) {
    listing.sent(['a', 'b', 'c', 'd'].slice(0, Number(count)))(OUTCOMES[outcome] ?? { kind: 'other' });
  }
  expect(lines).toMatchObject(told);
});

it.each([
  ['tooMany', 5, 2],
  ['blocked', 4, 2],
  ['listed', 5, 1],
  ['unusable', 5, 1],
] as const)('what a list did not bring, being %s, is asked for again: of %i with %i at most', (kind, asked, again) => {
  expect(againAtMost({ kind, detail: '', cards: new Map() }, asked)).toBe(again);
});

it('no more cards go together than the path takes and than remain beside those under way, but always one', () => {
  const { listing } = listingOf({ most: 5 });
  const most = (cardsLeft?: number) => listing.limits(0, cardsLeft).most;
  const ended = listing.sent(['a', 'b', 'c']);
  expect([undefined, 9, 7, 3].map(most)).toEqual([5, 5, 4, 1]);
  ended({ kind: 'other' });
  expect([7, 3].map(most)).toEqual([5, 3]);
});

it.each([
  ['a tenth slower than its description has it', 3, 367],
  ['as single cards do where that has nothing of it', undefined, undefined],
])('lists leave %s', (_, perSecond, everyMs) => {
  expect(listingOf({ perSecond }).listing.limits(0).everyMs).toBe(everyMs);
});

describe('several cards', () => {
  it.each([GET, 'POST /cards/batch'])('are requested at once, with the key and their prices: %s', async (bulkPath) => {
    const answer = await list(IDS, { bulkPath });
    expect(service.requests.at(-1)).toMatchObject({ status: 200, cardIds: IDS, authorized: true });
    expect(answer.kind === 'listed' && answer.cards.get('base1-4')).toMatchObject({
      prices: { market: expect.any(Number) },
    });
  });

  it('come in an answer of 1 MiB', async () => {
    const text = 'x'.repeat(MIB - JSON.stringify([{ ...CARD, text: '' }]).length);
    service.script({ body: [{ ...CARD, text }] }, { body: [{ ...CARD, text: `${text}x` }] });
    expect(await listed()).toEqual(['base1-4']);
    expect(await listed()).toMatchObject({ kind: 'tooMany' });
  });

  it('come compressed, with one that is broken left out', async () => {
    service.script({ gzip: true, body: { data: [{ ...CARD, id: 'base1-5', set: 3 }, CARD] } });
    expect(await listed()).toEqual(['base1-4']);
  });

  it.each(table`
    400 | an error | tooMany
    413 | a page | tooMany
    414 | a page | tooMany
    422 | an error | tooMany
    431 | a page | tooMany
    404 | an error | tooMany
    404 | a page | unusable
    405 | an error | unusable
    501 | an error | unusable
    302 | a page | unusable
    200 | a page | unusable
    200 | a message | unusable
    401 | a page | keyRefused
    403 | an error | keyRefused
    403 | a page | blocked
  `)('are answered with %i and %s: %s', async (status, answer, kind) => {
    service.script({ status: Number(status), ...ANSWERS[answer] });
    expect(await list()).toMatchObject({ kind });
  });

  it('are refused with 429 as one card is', async () => {
    service.script({ status: 429, headers: { 'retry-after': '7' } });
    await expect(list()).rejects.toMatchObject({ name: RateLimited.name, seconds: 7 });
  });

  it.each([
    ['an answer that is cut off', { fault: 'reset' as const }],
    ['an answer that never ends', { fault: 'stall' as const, body: '[]'.padEnd(99) }],
    ['an answer that never comes', { fault: 'hang' as const }],
    ['an answer that is slow', { delayMs: 5_000 }],
    ['a 500', { status: 500 }],
  ])('fail with %s', async (_, fault) => {
    // One of its own: on a busy machine a request that was given up may arrive during the next test.
    const failing = await startCardService();
    onTestFinished(() => failing.close());
    failing.script(fault);
    await expect(list(IDS, { baseUrl: failing.url, timeoutMs: 200 })).rejects.toBeInstanceOf(ServiceDown);
  });

  it('fail when the connection breaks within the list', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 });
      response.write('[{"id":"base1-4",');
      setTimeout(() => response.socket?.destroy(), 10);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(list(IDS, { baseUrl, bulkPath: 'POST /cards' })).rejects.toBeInstanceOf(ServiceDown);
  });
});
