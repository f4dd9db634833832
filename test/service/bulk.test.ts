import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { listedIds } from '../../sandbox/service/rules.ts';
import { type DictatedAnswer, EmbeddedCardService } from '../../sandbox/service/service.ts';
import { type BulkAddress, bulkRequest, roomForIds } from '../../src/service/bulk.ts';
import { anyId } from '../support/any-id.ts';
import { listAt } from '../support/described.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { table } from '../table.ts';
import { clientOf } from './clients.ts';

const card = (id: string, more: object = {}) => ({
  ...{ id, name: `Card ${id}`, tcg: 'T' },
  ...{ set: { id: 's', name: 'S' }, ...more },
});
const { id: _, ...WITHOUT_ID } = card('a');
const CARDS: Record<string, object> = {
  ...{ A: card('a'), B: card('b'), C: card('c'), D: card('d'), WITHOUT_ID },
  ...{ BROKEN: card('a', { name: [7] }), IN_CAPITALS: card('A', { name: 'Card a' }) },
};

/** A client of a service that lists cards, and answers with what is said. */
function listing(bulkPath = '/cards?ids={ids}') {
  const service = new EmbeddedCardService();
  const { fetch } = service;
  const client = clientOf('http://cards.test', { bulkPath, bulkMax: 20, fetch });
  const answered = (ids: readonly string[], answer: DictatedAnswer) => {
    service.script(answer);
    return client.fetch(ids);
  };
  const most = (cardsLeft?: number) => client.limits?.(Date.now(), cardsLeft).most;
  return { service, client, answered, most };
}

/** Of each id that is found in this body, the name of its card; names of cards stand for them. */
async function names(text: string, ids = ['a', 'b']): Promise<Record<string, string>> {
  const body = text.replaceAll(/(?<!")\b[A-Z_]+\b/g, (name) => JSON.stringify(CARDS[name]) ?? name);
  const { cards } = await listing().answered(ids, { body });
  return Object.fromEntries([...cards].map(([id, found]) => [id, (found as { name: string }).name]));
}

it.each(table`
  is read from a bare array | [A, B] | a b
  is read from an array under data | {"data": [A, B], "total": 2} | a b
  is read from an array under cards | {"cards": [A, B]} | a b
  is read from an array under items | {"items": [A, B], "data": null} | a b
  is read from an array under results | {"results": [A, B], "data": {"pages": 1}} | a b
  is read from an object keyed by id | {"a": A, "b": B} | a b
  is read from an object keyed by id, whose cards do not repeat it | {"a": WITHOUT_ID, "b": B} | a b
  is read from an object keyed by id in capitals | {"A": A, "B": B} | a b
  is read from an object keyed by id, whose cards have each other's | {"a": B, "b": A} | a b
  is read from another order | [B, A] | a b
  is read from repeated cards | [A, A, B, B, A] | a b
  is read from a repeated card that is broken once | [BROKEN, A, B] | a b
  is read from cards nobody asked for | [C, A, D, B] | a b
  is read from ids in another case | [IN_CAPITALS, B] | a b
  is read from a place for what was not found | [A, null, B] | a b
  brings the others, that has one broken card | [BROKEN, B] | b
  brings the others, keyed by id that has one broken card | {"a": "Card a", "b": B} | b
  brings the others, that has no card for one id | {"data": [B]} | b
  brings the others, keyed by id with nothing for one | {"a": null, "b": B} | b
  brings the others, keyed by id whose cards have other ids | {"a": C, "b": B} | b
  brings none, keyed by id with nothing for any | {"a": null, "b": null} |
  brings none, that is empty | [] |
  brings none, under data that is empty | {"data": []} |
  brings none, keyed by id that is empty | {} |
  brings none, keyed by id whose only card has another id | {"a": C} |
  brings none, of the one broken card that was found | [BROKEN] |
  brings none, of strangers | [C] |
  brings none, that is text | "a, b" |
  brings none, that is nothing | null |
  brings none, that is a number | 2 |
  brings none, that is an error with status 200 | {"error": "not found"} |
  brings none, of ids | ["a", "b"] |
  brings none, of something else | [{"id": "a"}, {"id": "b"}] |
  brings none, twice | {"data": [A], "cards": [B]} |
  brings none, that is an object of other keys | {"total": 2, "found": {}} |
  brings none, without a body |  |
`)('a list of cards %s: %s', async (_, body = '', found = '') => {
  const ids = found.split(' ').filter(Boolean);
  expect(await names(body)).toEqual(Object.fromEntries(ids.map((id) => [id, `Card ${id}`])));
});

it('a list of cards with the same id in two cases answers for each by its own, and for a third by neither', async () => {
  const both = JSON.stringify([card('ab'), card('AB')]);
  expect(await names(both, ['AB', 'ab', 'Ab'])).toEqual({ AB: 'Card AB', ab: 'Card ab' });
  expect(await names(both, ['Ab', 'b'])).toEqual({});
  expect(await names(JSON.stringify([card('aB')]), ['ab', 'AB'])).toEqual({ ab: 'Card aB', AB: 'Card aB' });
});

it('a list of cards may hold ids that are names of every object', async () => {
  const found = await names('{"__proto__": WITHOUT_ID, "b": B}', ['__proto__', 'constructor', 'b']);
  expect(found).toEqual(JSON.parse('{"__proto__": "Card a", "b": "Card b"}'));
});

it('a list of cards comes compressed, and as long as 1 MiB', async () => {
  const { answered } = listing();
  const text = 'x'.repeat(1024 * 1024 - JSON.stringify([card('a', { text: '' })]).length);
  const body = [card('a', { text })];
  expect((await answered(['a', 'b'], { gzip: true, body })).cards.size).toBe(1);
  const longer = await answered(['a', 'b', 'c', 'd'], { body: [card('a', { text: `${text}x` })] });
  expect(longer).toEqual({ cards: new Map(), againAtMost: 2 });
});

const BODIES: Record<string, unknown> = {
  'a page': '<!doctype html>',
  'an error': { _tag: 'Refused', message: 'Refused.' },
  'a message': { message: 'ok' },
};

it.each(table`
  400 | an error | 2
  413 | a page | 2
  414 | a page | 2
  422 | an error | 2
  431 | a page | 2
  404 | an error | 2
  403 | a page | 2
  404 | a page | 1
  405 | an error | 1
  501 | an error | 1
  302 | a page | 1
  200 | a page | 1
  200 | a message | 1
  401 | a page | 1
  403 | an error | 1
`)('the cards of a list of four that ends with %i and %s are asked for again by %i', async (status, what, again) => {
  const { answered } = listing();
  const fetched = await answered(['a', 'b', 'c', 'd'], { status: Number(status), body: BODIES[what ?? ''] });
  expect(fetched).toEqual({ cards: new Map(), againAtMost: Number(again) });
});

it.each(table`
  RateLimited | {"status":429}
  ServiceDown | {"status":500}
  ServiceDown | {"fault":"reset"}
  ServiceDown | {"fault":"hang"}
`)('a list fails as one card does: with %s after %s', async (name, answer = '') => {
  await expect(listing().answered(['a', 'b'], JSON.parse(answer))).rejects.toMatchObject({ name });
});

const ANSWERS: Record<string, DictatedAnswer> = {
  listed: { body: [card('a')] },
  empty: { body: [] },
  refused: { status: 413 },
  odd: { status: 405 },
  keyless: { status: 401 },
  down: { status: 503 },
  limited: { status: 429 },
  found: { body: card('a') },
  missing: { status: 404, body: { _tag: 'CardNotFound', message: 'no' } },
};

/**
 * `20 odd, found, 15 min`: a list of 20 got an odd answer, a card alone was found, a quarter of an hour has passed. Those with ` & `
 * between them leave together. @returns how many go together, at each `most` and at the end
 */
async function learned(steps: string) {
  fakeTimers({ toFake: ['Date'] });
  const { answered, most } = listing();
  const told: unknown[] = [];
  const take = async (step: string) => {
    const [, size = '1', what = ''] = /^(\d+)? ?(.+)$/.exec(step) ?? [];
    const ids = Array.from({ length: Number(size) }, (_, at) => 'abcdefghijklmnopqrst'[at] ?? '');
    if (what === 'most') told.push(most());
    else if (what === 'min') vi.setSystemTime(Date.now() + Number(size) * 60_000);
    else await answered(ids, ANSWERS[what] ?? {}).catch(() => {});
  };
  for (const moment of steps.split(', ')) await Promise.all(moment.split(' & ').map(take));
  return [...told, most()].join(' ');
}

it.each(table`
  20 listed | 20
  20 refused | 10
  20 refused, 10 refused | 5
  20 refused, 10 listed | 10
  20 refused, 10 refused, 20 refused | 5
  3 refused | 1
  20 refused, 14 min | 10
  20 refused, 15 min | 20
  20 odd | 1
  20 odd, found | 20
  20 odd, found, 20 odd | 1
  20 odd, found, 20 odd, found | 1
  20 odd, found, 20 odd, 14 min | 1
  20 odd, found, 20 odd, 15 min | 20
  20 odd, found, 20 odd, 15 min, 20 odd | 1
  20 odd, found, 20 listed, 20 odd, found | 20
  20 keyless, found, 20 keyless, found | 1
  20 down | 1
  20 down, down | 1
  20 down, down, found | 20
  20 down, found, 20 down, found | 1
  20 limited, found | 20
  20 limited, found, 20 limited, found | 1
  20 empty, found, 20 empty, found | 1
  20 empty, missing, 20 listed, 20 empty, missing | 20
  20 odd, missing, 20 down, found | 1
  down, 20 listed | 20
  found & 2 odd & 2 odd & 2 odd, most, found | 1 20
  found & 2 down & 2 down & 2 down, most, found | 1 20
  found & 2 empty & 2 empty & 2 empty, most, found | 1 20
`)('after %s, %s cards go together', async (steps = '', most) => {
  expect(await learned(steps)).toBe(most);
});

it('a list that brought cards while one card was asked for alone is believed', async () => {
  fakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { service, answered, most } = listing();
  const fails = () => answered(['a', 'b'], ANSWERS.down ?? {}).catch(() => {});
  const late = answered(['a', 'b'], { ...ANSWERS.listed, delayMs: 20 });
  await fails();
  const alone = answered(['a'], { ...ANSWERS.found, delayMs: 50 });
  await expect.poll(() => service.requests).toHaveLength(3);
  vi.advanceTimersByTime(20);
  await late;
  vi.advanceTimersByTime(30);
  await alone;
  await fails();
  await answered(['a'], ANSWERS.found ?? {});
  expect(most()).toBe(20);
});

it('no more cards go together than the path takes and than remain beside those under way, but always one', async () => {
  const { client, most } = listing();
  const ended = client.fetch(['base1-4', 'base1-5', 'base1-6']);
  const alone = client.fetch(['base1-7']);
  expect([undefined, 30, 7, 3].map(most)).toEqual([20, 20, 3, 1]);
  await Promise.all([ended, alone]);
  expect([7, 3].map(most)).toEqual([7, 3]);
});

const BASE = 'http://cards.test';
const GET = { baseUrl: BASE, list: listAt('/cards?ids={ids}'), query: 'includePrices=true' };
const POST = { ...GET, list: listAt('POST /cards/batch') };

function goTogether(address: BulkAddress, ids: readonly string[]): boolean {
  const { room, lengthOf } = roomForIds(address);
  return ids.reduce((sum, id) => sum + lengthOf(id), 0) <= room;
}

it.each(table`
  /cards?ids={ids} | /cards?ids=a,b%20c&includePrices=true
  GET /cards?ids={ids} | /cards?ids=a,b%20c&includePrices=true
  /cards/{ids}/all | /cards/a,b%20c/all?includePrices=true
  /cards?includePrices=1&ids={ids} | /cards?includePrices=1&ids=a,b%20c
  POST /cards/batch | /cards/batch?includePrices=true | {"ids":["a","b c"]}
  POST /cards/batch?v=2 | /cards/batch?v=2&includePrices=true | {"ids":["a","b c"]}
`)('the request for several cards by the path "%s" goes to %s', (bulkPath = '', path, json) => {
  const request = bulkRequest({ ...GET, baseUrl: `${BASE}/`, list: listAt(bulkPath) }, ['a', 'b c']);
  expect([request.url.href, JSON.stringify(request.json)]).toEqual([BASE + path, json]);
});

it.each(['/cards?ids={ids}', 'POST /cards/batch'])(
  'the request for several cards is sent with the key, and brings prices: %s',
  async (bulkPath) => {
    const { client, service } = listing(bulkPath);
    const { cards } = await client.fetch(['base1-4', 'base1-5', 'nowhere']);
    const cardIds = ['base1-4', 'base1-5', 'nowhere'];
    expect(service.requests).toMatchObject([{ status: 200, cardIds, authorized: true }]);
    expect(cards.get('base1-4')).toMatchObject({ prices: { market: expect.any(Number) } });
  },
);

it('the request for several cards arrives with the same ids, whatever they hold, and is no longer than servers read', () => {
  fc.assert(
    fc.property(fc.array(anyId, { minLength: 1, maxLength: 30 }), fc.constantFrom(GET, POST), (ids, address) => {
      fc.pre(goTogether(address, ids));
      const { url, json } = bulkRequest(address, ids);
      expect(url.href.length).toBeLessThanOrEqual(8_000);
      expect(url.searchParams.getAll('includePrices')).toEqual(['true']);
      const [method, path] = [json ? 'POST' : 'GET', url.pathname + url.search];
      expect(listedIds({ method, path, authorization: undefined, body: JSON.stringify(json) })).toEqual(ids);
    }),
    { numRuns: 300 },
  );
});

it('cards that go together are all but those with a comma, by which ids are separated', () => {
  fc.assert(
    fc.property(fc.array(anyId, { minLength: 2, maxLength: 5 }), (ids) => {
      expect(goTogether(GET, ids)).toBe(!ids.some((id) => id.includes(',')));
    }),
  );
});

it.each([
  [7_999, true],
  [8_001, false],
])('cards that go together are those whose address has no more than 8,000 characters: %i', (length, expected) => {
  const idsOf = (filling: number) => ['a', 'b'.repeat(filling)];
  const ids = idsOf(length - bulkRequest(GET, idsOf(0)).url.href.length);
  expect(bulkRequest(GET, ids).url.href).toHaveLength(length);
  expect([GET, POST].map((address) => goTogether(address, ids))).toEqual([expected, true]);
});
