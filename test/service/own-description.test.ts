import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Path, Source } from '../../src/model/field-source.ts';
import type { QuotaReading } from '../../src/model/quota.ts';
import { AnswerReader } from '../../src/service/answers.ts';
import { listedCards } from '../../src/service/bulk.ts';
import { CardService } from '../../src/service/card-service.ts';
import { described } from '../support/described.ts';
import { logLines } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { table } from '../table.ts';
import { cardOf } from './clients.ts';

/** A service that nobody has: another envelope, prices in a list by shop, an error with status 200, figures in the body. */
const OWN = {
  name: 'Guild ledger',
  key: { header: 'X-Guild-Seal', prefix: 'seal ' },
  headers: { 'X-Branch': '$CARD_SERVICE_BRANCH' },
  game: 'Lanternfolk',
  currency: 'CHF',
  card: { path: '/v3/sheets?ref={id}&full=1', at: 'page.sheet', ids: { chars: 'a-z0-9-', longest: 12 } },
  list: {
    path: 'POST /v3/sheets/many',
    max: 4,
    at: 'page.sheets',
    missing: 'page.lost.*',
    body: { want: { refs: ['{id}'] } },
  },
  fields: { id: 'ref', name: '{title}[, {epithet}]', 'set.name': 'origin.book', number: '{leaf}[ of {origin.leaves}]' },
  prices: { rows: ['offers[shop=Crown][state=fine]', 'offers.*'], market: 'typical', low: 'least' },
  none: ['n/a'],
  absent: [{ status: 200, has: 'fault.word', like: '=no sheet' }],
  refused: [{ status: 403, has: 'fault.word', like: 'seal', means: 'key' }],
  quota: [
    { per: 'month', limit: 'header:X-Moon', remaining: 'header:X-Moon-Left' },
    { per: 'day', limit: 'tally.of', remaining: 'tally.left', reset: 'tally.anew' },
  ],
  wait: 'fault.rest',
};

const SHEET = {
  ref: 'lamp-7',
  title: 'Wick',
  epithet: 'Who Waits',
  leaf: 7,
  origin: { book: 'First Light', leaves: 102 },
  offers: [
    { shop: 'Mill', state: 'fine', typical: '9.90' },
    { shop: 'Crown', state: 'fine', typical: '12.50', least: 'n/a' },
  ],
};

/** The body of an answer with that card, but for this of it. */
const of = (more: object = {}) => ({ page: { sheet: { ...SHEET, ...more } } });

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

async function startOwn(answers: (path: string, body: string) => Answer, description: object = OWN) {
  const seen: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    seen.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    const { status = 200, headers = {}, body: sent } = answers(request.url ?? '', body);
    response.writeHead(status, headers).end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onFinished(async () => void server.close());
  const file = join(temporaryFolder(), 'guild.json');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(file, JSON.stringify({ ...description, url }));
  const config = readConfig({
    ...{ DISCORD_TOKEN: 'the-token', CARD_SERVICE: file },
    ...{ CARD_SERVICE_API_KEY: 'wax', CARD_SERVICE_BRANCH: 'north' },
  });
  const readings: QuotaReading[] = [];
  const { log, lines } = logLines();
  const limiter = { observe: (reading: QuotaReading) => void readings.push(reading) };
  return { client: new CardService({ ...config.cardService, limiter, log }), seen, readings, lines, file, url };
}

it('a description that nobody has seen is enough for a card, its list, what is missing, the day, the wait and the key', async () => {
  const tally = { of: 100, left: 61, anew: '2026-11-27T00:00:00Z' };
  const headers = { date: 'Thu, 26 Nov 2026 12:00:00 GMT', 'x-moon': '900', 'x-moon-left': '850' };
  const { client, seen, readings, lines } = await startOwn((path, body) => {
    if (path.endsWith('many')) return { body: { page: { sheets: [SHEET], lost: ['lamp-8'] }, tally, asked: body } };
    if (path.includes('lamp-7')) return { headers, body: { ...of(), tally } };
    if (path.includes('lamp-9')) return { status: 429, body: { fault: { word: 'later', rest: 40 } } };
    if (path.includes('lamp-0')) return { status: 403, body: { fault: { word: 'bad seal' } } };
    return { body: { fault: { word: 'no sheet' }, tally } };
  });
  expect(await cardOf(client, 'lamp-7')).toMatchObject({
    ...{ id: 'lamp-7', name: 'Wick, Who Waits', game: 'Lanternfolk', number: '7 of 102' },
    ...{ set: { id: 'First Light', name: 'First Light' }, prices: { market: 12.5, label: 'Crown, fine' } },
  });
  expect(readings).toMatchObject([
    { per: 'month', limit: 900, remaining: 850 },
    { limit: 100, remaining: 61, resetInMs: 43_200_000 },
  ]);
  expect(seen[0]?.path).toBe('GET /v3/sheets?ref=lamp-7&full=1');
  expect(seen[0]?.headers).toMatchObject({ 'x-guild-seal': 'seal wax', 'x-branch': 'north' });
  expect(await cardOf(client, 'lamp-8')).toBe('noSuchCard');
  const { cards } = await client.fetch(['lamp-7', 'lamp-8']);
  expect([...cards.keys(), cards.get('lamp-8')]).toEqual(['lamp-7', 'lamp-8', 'noSuchCard']);
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ want: { refs: ['lamp-7', 'lamp-8'] } });
  const types = seen.map(({ headers }) => [headers.accept, headers['content-type']]);
  expect([types.at(0), types.at(-1)]).toEqual([
    ['application/json', undefined],
    ['application/json', 'application/json'],
  ]);
  await expect(cardOf(client, 'lamp-9')).rejects.toMatchObject({ name: 'RateLimited', seconds: 40 });
  await expect(cardOf(client, 'lamp-0')).rejects.toMatchObject({ name: 'KeyRefused' });
  expect(lines).toEqual([]);
});

it.each<[string, string | undefined, Partial<Answer>, number | undefined]>([
  ['by a header', 'header:X-Rest', { headers: { 'x-rest': '40' } }, 40],
  ['by a time in a header', 'header:X-Rest', { headers: { 'x-rest': '1795694440' } }, 40],
  ['by digits that are text', 'fault.rest', { body: { fault: { rest: '40' } } }, 40],
  ['by no field that the description does not name', undefined, { body: { retryAfter: 40 } }, undefined],
])('a wait is stated %s', async (_, wait, { headers, body = {} }, seconds) => {
  const date = 'Thu, 26 Nov 2026 12:00:00 GMT';
  const { client } = await startOwn(() => ({ status: 429, headers: { date, ...headers }, body }), { ...OWN, wait });
  await expect(cardOf(client, 'lamp-7')).rejects.toMatchObject({ name: 'RateLimited', seconds });
});

it('a usage report is read from headers too, with an end in any form that a window may have', async () => {
  const usage = { path: '/tally', plan: 'rank', limit: 'header:X-Of', remaining: 'header:X-Left', reset: 'anew' };
  const headers = { date: 'Thu, 26 Nov 2026 12:00:00 GMT', 'x-of': '100', 'x-left': '61' };
  const { client } = await startOwn(() => ({ headers, body: { rank: 'squire', anew: 43_200 } }), { ...OWN, usage });
  const { plan, period, requests } = await client.usage();
  expect({ plan, requests }).toEqual({ plan: 'squire', requests: { limit: 100, remaining: 61 } });
  expect(Math.abs((period?.endMs ?? 0) - Date.now() - 43_200_000)).toBeLessThan(60_000);
});

it.each<[string, object, number, unknown]>([
  ['refused', { refused: [{ status: 429, means: 'key' }] }, 429, 'KeyRefused'],
  ['absent', { absent: [{ status: 500 }] }, 500, 'noSuchCard'],
])('what the description calls %s is that, whatever its status means otherwise', async (_, signs, status, found) => {
  const { client } = await startOwn(() => ({ status, body: {} }), { ...OWN, ...signs });
  expect(await cardOf(client, 'lamp-7').catch(({ name }) => name)).toBe(found);
});

it('a plan that lacks a card concerns that card alone while the key has worked, and all cards when two are lacking', async () => {
  const refused = [{ status: 402, has: 'fault.word', like: 'guild master', means: 'plan' }];
  const lacking = { status: 402, body: { fault: { word: 'for a Guild Master' } } };
  const { client } = await startOwn((path) => (path.includes('lamp-7') ? { body: of() } : lacking), {
    ...OWN,
    refused,
  });
  await cardOf(client, 'lamp-7');
  const { cards } = await client.fetch(['lamp-8']);
  expect(cards.get('lamp-8')).toMatchObject({ name: 'PlanRefused' });
  await expect(client.fetch(['lamp-9'])).rejects.toMatchObject({ name: 'PlanRefused' });
});

it.each([
  ['card.at', { page: { leaf: SHEET } }, 'page.sheet'],
  ['fields.name', of({ title: undefined }), '{title}[, {epithet}]'],
  ['fields.id', of({ ref: null }), 'ref'],
])(
  'an answer in another shape is none, and the log names the path that led nowhere, once: %s',
  async (field, body, path) => {
    const { client, lines } = await startOwn(() => ({ body }));
    for (const _ of [1, 2]) await expect(cardOf(client, 'lamp-7')).rejects.toMatchObject({ name: 'UnexpectedAnswer' });
    expect(lines).toMatchObject([{ field, why: `nothing in the answer at "${path}"` }]);
  },
);

it('names of prototypes in an answer are members like others, and change nothing else', async () => {
  const sheet = `{"ref":"lamp-7","title":"Wick","__proto__":{"leaf":3,"polluted":true},"constructor":{"leaf":4}}`;
  const fields = { ...OWN.fields, number: '__proto__.leaf', rarity: 'constructor.leaf' };
  const { client } = await startOwn(() => ({ body: `{"page":{"sheet":${sheet}}}` }), { ...OWN, fields });
  expect(await cardOf(client, 'lamp-7')).toMatchObject({ number: '3', rarity: '4' });
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

it.each([
  '$DISCORD_TOKEN',
  '$PATH',
  '$CARD_SERVICE_X$DISCORD_TOKEN',
  '$CARD_SERVICE_API_KEY; $DISCORD_TOKEN',
  '$card_service_x',
])('a header reads no variable but those of the card service: %s', (value) => {
  const file = join(temporaryFolder(), 'hostile.json');
  writeFileSync(file, JSON.stringify({ ...OWN, url: 'https://cards.example', headers: { 'X-Steal': value } }));
  const env = { DISCORD_TOKEN: 'the-token', CARD_SERVICE: file, CARD_SERVICE_API_KEY: 'wax' };
  expect(() => readConfig(env)).toThrow(/headers\.X-Steal: expected a text, or a variable as \$CARD_SERVICE_NAME/);
  expect(() => readConfig(env)).not.toThrow(/the-token/);
});

it.each(table`
  card | //elsewhere.example/{id}
  card | /\elsewhere.example/{id}
  card | /@elsewhere.example/{id}
  card | /../../{id}
  usage | //elsewhere.example/
  list | //elsewhere.example/{ids}
`)('the path of a %s leads to no other host: %s', async (what, path) => {
  const { client, seen } = await startOwn(() => ({ body: {} }), { ...OWN, [what]: { path } });
  await Promise.allSettled([client.fetch(['lamp-7']), client.fetch(['lamp-7', 'lamp-8']), client.usage()]);
  expect(seen).toHaveLength(3);
});

/** Reads cards as tcgapi.dev has them, but for this of its prices. */
function readerOf(more: object | undefined, told?: (field: string) => void) {
  const { prices, ...description } = described({}, 'tcgapi');
  const reader = new AnswerReader({ ...description, prices: more && prices && { ...prices, ...more } }, told);
  return (sent: object) => reader.read({ tcgplayer_id: 1, name: 'Wick', ...sent });
}
const rowsAt = (...paths: string[]) => ({ rows: paths.map((path) => new Path(path)) });

it('paths of several stars end, whatever an answer holds', () => {
  const many = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => [{ market_price: 1 }]));
  expect(readerOf(rowsAt('*.*.*', '*.*.*.*', ''))({ many })).toMatchObject({ id: '1', prices: { market: 1 } });
});

it('what stands in the place of a price row and is none is told of', () => {
  const told: string[] = [];
  readerOf(rowsAt('offers'), (field) => void told.push(field))({ offers: 'sold out' });
  expect(told).toEqual(['prices']);
});

/** What `String` cannot make a text of. */
const NO_TEXT = { toString: 1, valueOf: 1 };

it.each([
  ['what tells that there is no card', { fault: { word: NO_TEXT } }],
  ['what tells rows apart', of({ offers: [{ shop: NO_TEXT, state: [[]], typical: 1 }] })],
])('%s may be anything in an answer, and ends nothing', async (_, body) => {
  const { client } = await startOwn(() => ({ body }));
  expect(await cardOf(client, 'lamp-7').catch(({ name }) => name)).not.toBe('TypeError');
});

it('an answer of 340,000 members that are no cards is read no further than to the 10,000th', () => {
  const reader = new AnswerReader(described({}, 'ygoprodeck'));
  let visits = 0;
  const member = {
    get id() {
      visits += 1;
      return undefined;
    },
  };
  const data = Array(340_000).fill(member);
  const answer = { status: 200, headers: new Headers(), body: { data }, sentAtMs: 0, receivedAtMs: 0 };
  expect(() => reader.cardIn(answer, '7')).toThrow('unexpected answer');
  expect(listedCards({ data }, ['7', '8'], reader)).toBeUndefined();
  expect(visits).toBeLessThan(100_000);
});

it('rows that numbers tell apart have labels of their own, so that none is taken for the other', () => {
  const read = readerOf(rowsAt('prices[foil_only=0]', 'prices[foil_only=1]'));
  const [plain, foil] = [2, 9].map((market_price, foil_only) => ({ foil_only, market_price }));
  expect(read({ prices: [plain, foil] })).toMatchObject({ rows: [{ label: '0' }, { label: '1' }] });
  expect(read({ prices: [foil] })).toMatchObject({ prices: { label: '1', market: 9 } });
});

it('a service whose description tells of no prices has cards without any', () => {
  const card = readerOf(undefined)({ prices: [{ market_price: 2 }] });
  expect(card).toMatchObject({ name: 'Wick', prices: undefined });
});

it.each(['€', 'dollars', 'usdt'])(
  'a price whose currency cannot be told is none, and not of another currency: %s',
  (sign) => {
    const read = readerOf({ currency: new Source('unit') });
    const priced = (unit: string) => read({ prices: [{ printing: 'Normal', market_price: 2, unit }] });
    expect(priced('eur')).toMatchObject({ prices: { market: 2, currency: 'EUR' } });
    expect(priced(sign)).toMatchObject({ name: 'Wick' });
    expect(priced(sign)).not.toMatchObject({ prices: { market: 2 } });
  },
);

it('a row whose lowest offer cannot be read is still the one that is shown, and the log says so', async () => {
  const offers = [
    { shop: 'Crown', state: 'fine', typical: '12.50', least: 'ask us' },
    { shop: 'Mill', state: 'fine', typical: '9.90' },
  ];
  const { client, lines } = await startOwn(() => ({ body: of({ offers }) }));
  expect(await cardOf(client, 'lamp-7')).toMatchObject({
    prices: { market: 12.5, low: undefined, label: 'Crown, fine' },
  });
  expect(lines).toMatchObject([{ field: 'prices.low' }]);
});
