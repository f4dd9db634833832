import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { listen } from '../../sandbox/listen.ts';
import { readConfig } from '../../src/config/config.ts';
import { isObject } from '../../src/model/card.ts';
import { type AnsweredCard, AnswerReader } from '../../src/service/answers.ts';
import { listedCards } from '../../src/service/bulk.ts';
import { described } from '../support/described.ts';
import { onFinished } from '../support/on-finished.ts';
import { ownDescription } from '../support/own-service.ts';
import { table } from '../table.ts';
import { cardOf, reporting } from './clients.ts';

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

const HEADERS = { date: 'Thu, 26 Nov 2026 12:00:00 GMT' };

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

async function startOwn(answers: (path: string, body: string) => Answer, description: object = OWN) {
  const seen: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    seen.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    const { status = 200, headers = {}, body: sent } = answers(request.url ?? '', body);
    response.writeHead(status, headers).end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  });
  const port = await listen(server, 0);
  onFinished(async () => void server.close());
  const CARD_SERVICE = ownDescription({ ...description, url: `http://127.0.0.1:${port}` });
  const variables = { CARD_SERVICE, CARD_SERVICE_API_KEY: 'wax', CARD_SERVICE_BRANCH: 'north' };
  const config = readConfig({ DISCORD_TOKEN: 'the-token', ...variables });
  return { ...reporting(config.cardService), seen };
}

it('a description that nobody has seen is enough for a card, its list, what is missing, the day, the wait and the key', async () => {
  const tally = { of: 100, left: 61, anew: '2026-11-27T00:00:00Z' };
  const headers = { ...HEADERS, 'x-moon': '900', 'x-moon-left': '850' };
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
  const asked = { 'x-guild-seal': 'seal wax', 'x-branch': 'north', accept: 'application/json' };
  expect(seen[0]).toMatchObject({ path: 'GET /v3/sheets?ref=lamp-7&full=1', headers: asked });
  expect(seen[0]?.headers).not.toHaveProperty('content-type');
  expect(await cardOf(client, 'lamp-8')).toBe('noSuchCard');
  const { cards } = await client.fetch(['lamp-7', 'lamp-8']);
  expect([...cards.keys(), cards.get('lamp-8')]).toEqual(['lamp-7', 'lamp-8', 'noSuchCard']);
  const body = JSON.stringify({ want: { refs: ['lamp-7', 'lamp-8'] } });
  expect(seen.at(-1)).toMatchObject({ headers: { ...asked, 'content-type': 'application/json' }, body });
  await expect(cardOf(client, 'lamp-9')).rejects.toMatchObject({ name: 'RateLimited', seconds: 40 });
  await expect(cardOf(client, 'lamp-0')).rejects.toMatchObject({ name: 'KeyRefused' });
  expect(lines).toEqual([]);
});

const OFFERS = {
  CROWN: '"shop":"Crown","state":"fine","typical":"12.50"',
  MILL: '"shop":"Mill","state":"fine","typical":"9.90"',
  UNIT: '{"prices":{"currency":"unit"}}',
};

/** That description with what is given: objects are merged, and what is null is left out. */
function describedWith(given: Record<string, unknown>): object {
  const own: Record<string, unknown> = OWN;
  const changed = Object.entries(given).map(([key, value]) => [
    key,
    isObject(value) ? { ...Object(own[key]), ...value } : (value ?? undefined),
  ]);
  return { ...OWN, ...Object.fromEntries(changed) };
}

/** Of what the description has besides, and an answer with a `sheet` or another body, what is in the card, where null is what it has not, and what the log says cannot be read. */
it.each(table`
  a wait by a header | {"wait":"header:X-Rest"} | {"status":429,"headers":{"x-rest":"40"}} | "RateLimited 40"
  a wait by a time in a header | {"wait":"header:X-Rest"} | {"status":429,"headers":{"x-rest":"1795694440"}} | "RateLimited 40"
  a wait by digits that are text | {} | {"status":429,"body":{"fault":{"rest":"40"}}} | "RateLimited 40"
  no wait by a field that the description does not name | {"wait":null} | {"status":429,"body":{"retryAfter":40}} | "RateLimited"
  refused, whatever its status means otherwise | {"refused":[{"status":429,"means":"key"}]} | {"status":429} | "KeyRefused"
  no such card, whatever its status means otherwise | {"absent":[{"status":410},{"status":500}]} | {"status":500} | "noSuchCard"
  another shape around the card | {} | {"body":{"page":{"leaf":{}}}} | "UnexpectedAnswer" | card.at: nothing in the answer at "page.sheet"
  the card that was asked for in a bare list | {"card":{"at":""}} | {"body":[{"ref":"lamp-8","title":"Moth"},{"ref":"lamp-7","title":"Wick"}]} | "id":"lamp-7"
  without a name | {} | {"sheet":{"title":null}} | "UnexpectedAnswer" | fields.name: nothing in the answer at "{title}[, {epithet}]"
  without an id | {} | {"sheet":{"ref":null}} | "UnexpectedAnswer" | fields.id: nothing in the answer at "ref"
  with names of prototypes, which are members like others | {"fields":{"number":"__proto__.leaf","rarity":"constructor.leaf"}} | {"body":{"page":{"sheet":{"ref":"lamp-7","title":"Wick","__proto__":{"leaf":3,"polluted":true},"constructor":{"leaf":4}}}}} | "number":"3","rarity":"4"
  of what is no text where a sign of absence is | {} | {"body":{"fault":{"word":{"toString":1,"valueOf":1}}}} | "UnexpectedAnswer" | card.at: nothing in the answer at "page.sheet"
  of what is no text where rows are told apart | {} | {"sheet":{"offers":[{"shop":{"toString":1,"valueOf":1},"state":[[]],"typical":1}]}} | "prices":{"label":null,"currency":"CHF","market":1
  without a price row in its place | {"prices":{"rows":["offers"]}} | {"sheet":{"offers":"sold out"}} | "prices":null | prices: the body: Invalid input: expected object, received string
  without prices that the description tells of | {"prices":null} | {"sheet":{}} | "prices":null
  of rows that numbers tell apart, each with a label of its own | {"prices":{"rows":["offers[foil=0]","offers[foil=1]"]}} | {"sheet":{"offers":[{CROWN,"foil":0},{CROWN,"foil":1}]}} | "rows":[{"label":"0","currency":"CHF","market":12.5,"low":null,"high":null},{"label":"1"
  of rows with a label of theirs or the card's, a currency and figures of their own | {"prices":{"rows":[{"at":"offers[shop=Crown]","label":"state"},{"at":"offers[shop=Mill]","label":["pot","title"],"currency":"EUR","market":"dear"}]}} | {"sheet":{"offers":[{CROWN},{MILL,"dear":3}]}} | "rows":[{"label":"fine","currency":"CHF","market":12.5,"low":null,"high":null,"pathLabel":"Crown"},{"label":"Wick","currency":"EUR","market":3,
  of a row whose label is no text, called by its path | {"prices":{"rows":[{"at":"offers[shop=Crown]","label":"origin"}]}} | {"sheet":{"offers":[{CROWN}]}} | "prices":{"label":"Crown","currency":"CHF","market":12.5,"low":null,"high":null}
  of two rows with one label and currency, of which the first counts | {"prices":{"rows":["offers.*",{"at":"offers.*","currency":"EUR"}]}} | {"sheet":{"offers":[{CROWN},{MILL}]}} | "rows":[{"label":null,"currency":"CHF","market":12.5,"low":null,"high":null},{"label":null,"currency":"EUR","market":12.5,"low":null,"high":null}]
  without the price of a row whose own currency is not there, rather than one in another | {"prices":{"rows":[{"at":"offers.*","currency":"unit"}]}} | {"sheet":{"offers":[{CROWN}]}} | "prices":{}
  without the price of such a row, also where texts are taken as they are sent | {"none":false,"prices":{"rows":[{"at":"offers.*","currency":"unit"}]}} | {"sheet":{"offers":[{CROWN},{MILL,"unit":"€"}]}} | "prices":{}
  of members whose filtered text says that there is none, or is false | {"prices":{"rows":[{"at":"offers[!grade]","label":"shop"}]}} | {"sheet":{"offers":[{MILL,"grade":"PSA 10"},{CROWN,"grade":"n/a"},{MILL,"grade":false}]}} | "rows":[{"label":"Crown","currency":"CHF","market":12.5,"low":null,"high":null,"pathLabel":""},{"label":"Mill",
  with its currency | UNIT | {"sheet":{"offers":[{CROWN,"unit":"eur"}]}} | "prices":{"label":"Crown, fine","currency":"EUR","market":12.5
  without a price in €, which is no code, rather than one in another currency | UNIT | {"sheet":{"offers":[{CROWN,"unit":"€"}]}} | "prices":{}
  without a price in dollars, which is no code | UNIT | {"sheet":{"offers":[{CROWN,"unit":"dollars"}]}} | "prices":{}
  without a price in usdt, which is no code | UNIT | {"sheet":{"offers":[{CROWN,"unit":"usdt"}]}} | "prices":{}
  of a row whose lowest offer cannot be read, which is still the one that is shown | {} | {"sheet":{"offers":[{CROWN,"least":"ask us"},{MILL}]}} | "prices":{"label":"Crown, fine","currency":"CHF","market":12.5,"low":null | prices.low: Invalid input: expected number, received string
`)('an answer is read as %s', async (_, more, answer, is = '', told?: string) => {
  const given = (cell = '') =>
    JSON.parse(cell.replaceAll(/CROWN|MILL|UNIT/g, (name) => OFFERS[name as keyof typeof OFFERS]));
  const { status, headers, sheet, body = sheet ? of(sheet) : {} } = given(answer);
  const dictated = () => ({ status, headers: { ...HEADERS, ...headers }, body });
  const { client, lines } = await startOwn(dictated, describedWith(given(more)));
  const read = await cardOf(client, 'lamp-7').catch(({ name, seconds }) => `${name} ${seconds ?? ''}`.trim());
  expect(JSON.stringify(read, (_, value) => value ?? null)).toContain(is);
  await cardOf(client, 'lamp-7').catch(() => {});
  expect(lines.map(({ field, why }) => `${field}: ${why}`)).toEqual(told ? [told] : []);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

it('of an answer 25 rows of prices are read', async () => {
  const offers = Array.from({ length: 30 }, (_, at) => ({ shop: `shop ${at}`, state: 'fine', typical: at + 1 }));
  const { client } = await startOwn(() => ({ body: of({ offers }) }));
  const { rows } = (await cardOf(client, 'lamp-7')) as AnsweredCard;
  expect([rows?.length, rows?.at(-1)?.label]).toEqual([25, 'shop 24, fine']);
});

/** Of a usage report, and of what an answer states besides. */
async function reported(usage: object, answer: Answer, quota = OWN.quota) {
  const described = {
    ...OWN,
    quota,
    usage: { path: '/tally', limit: 'header:X-Of', remaining: 'header:X-Left', ...usage },
  };
  const headers = { ...HEADERS, 'x-of': '100', 'x-left': '61', ...answer.headers };
  const { client, readings } = await startOwn(() => ({ ...answer, headers }), described);
  return { ...(await client.usage()), left: readings.flatMap(({ remaining }) => remaining ?? []) };
}

it('a usage report is read from headers too, with an end in any form that a window may have', async () => {
  const usage = { plan: 'rank', reset: 'anew' };
  const { plan, period, requests } = await reported(usage, { body: { rank: 'squire', anew: 43_200 } });
  expect({ plan, requests }).toEqual({ plan: 'squire', requests: { limit: 100, remaining: 61 } });
  expect(Math.abs((period?.endMs ?? 0) - Date.now() - 43_200_000)).toBeLessThan(60_000);
});

it('the day of a usage report counts where its answer states nothing else of what remains', async () => {
  const quota = [{ per: 'day', limit: 'header:X-Of', remaining: 'header:X-Now' }];
  expect((await reported({}, { body: {} }, quota)).left).toEqual([61]);
  expect((await reported({}, { headers: { 'x-now': '50' }, body: {} }, quota)).left).toEqual([50]);
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
