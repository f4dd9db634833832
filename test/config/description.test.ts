import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { changed, table } from '../table.ts';

const ADDRESS =
  'url: expected an address that begins with https:// and has no user, password, ? and #, found another text';

const MINE = {
  name: 'Mine',
  url: 'https://cards.test/v1/',
  key: { header: 'X-API-Key' },
  card: {},
  fields: { id: 'id', name: 'name' },
};

/** @param changes what differs from `MINE` */
function config(changes = '', environment: Record<string, string> = {}) {
  return configOf(JSON.stringify(changed(MINE, changes)), environment);
}

function configOf(text: string, environment: Record<string, string> = {}) {
  const file = join(temporaryFolder(), 'mine.json');
  writeFileSync(file, text);
  return readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE: file, CARD_SERVICE_API_KEY: 'key', ...environment });
}

/** What is wrong with it, without the file's folder. */
function faults(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    const [, ...lines] = String(error).split('\n');
    return lines.map((line) => line.replace(/\/\S+\/(?=mine.json)/, '').trim()).join(' / ');
  }
}

const IN_BODY = 'expected a source in the body; headers are read by quota, usage and wait alone';
const BESIDE = 'expected `has` beside it, the path to this text';
const SOURCE = 'expected a path, a template, or a list of those';
const PATH = 'a path of names, numbers, * and [name=text], with dots between them';

it('a description has the address, and the key that is sent as it says; it may be on this machine without https', () => {
  const { cardService } = config();
  expect(cardService).toMatchObject({ baseUrl: 'https://cards.test/v1', apiKey: 'key', isShipped: false });
  expect(config('url="http://127.0.0.1:4000"').cardService.baseUrl).toBe('http://127.0.0.1:4000');
});

it.each([
  ['JSON', '{"token": "sesame"', 'the file is not JSON'],
  ['an object', '[]', 'Invalid input: expected object, received array'],
  ['small', `{"name": "${'x'.repeat(40_000)}"}`, 'the file is larger than 32 kB'],
])('a description is %s', (_, text, fault) => {
  expect(faults(() => configOf(text))).toBe(`CARD_SERVICE: mine.json: ${fault}`);
});

it.each(table`
  a name and fields | name=; fields= | name: Invalid input: expected string, received undefined
    / fields: Invalid input: expected object, received undefined
  known keys | card={"pth":1}; crad=2 | card: Unrecognized key: "pth" / Unrecognized key: "crad"
  paths | fields={"id":7,"name":"a..b"}
    | fields.id: expected a path, a template, or a list of those / fields.name: expected ${PATH}
  an address of https | url="http://cards.test" | ${ADDRESS}
  an address that ends with its path | url="https://cards.test/?key=sesame" | ${ADDRESS}
  an address without ? | url="https://cards.test/v1?" | ${ADDRESS}
  an address without # | url="https://cards.test/v1#" | ${ADDRESS}
  an address without a blank at its end | url="https://cards.test/v1 " | ${ADDRESS}
  an address without a tab | url="https://cards.test/a\tb" | ${ADDRESS}
  types as they are expected where there are several forms
    | key={"header":7,"prefx":"sesame","optional":"yes"}; fields.id=["id",null];
    card={"ids":{"chars":"a-z","longest":"sesame"},"at":["a",5]}
    | key: expected false, or an object with ${'`header`'}
    / card.ids: expected uuid, digits, or an object with ${'`chars`'}
    / card.at: expected a path, a template, or a list of those
    / fields.id: expected a path, a template, or a list of those
  headers that can be sent | key={"header":"X Key","prefix":"a\r\nHost: b"}; headers={"X-A":"a\nb"}
    | key.header: Invalid string: must match pattern /^[\w-]+$/
    / key.prefix: Invalid string: must match pattern /^[ -~]*$/
    / headers.X-A: expected a text, or a variable as $CARD_SERVICE_NAME, found another text
  no header where a body alone is read
    | card.also="header:X-Ids"; list={"path":"/many?ids={ids}","missing":["lost.*","header:X-Lost"]};
    fields.tcg="header:X-Game"; prices={"rows":"prices","market":"market","currency":"header:X-Unit"};
    refused=[{"status":403,"has":"header:X-Why","means":"plan"}]
    | card.also: ${IN_BODY} / list.missing: ${IN_BODY} / fields.tcg: ${IN_BODY} / prices.currency: ${IN_BODY}
    / refused.0.has: expected ${PATH}
  rows of prices that are paths, or objects with one and its sources
    | prices={"market":"market","rows":[5,{"label":"sesame"},"a..b",{"at":"a","currency":"eur"},{"at":"a","label":7,"market":{},"low":"header:X-Low","currency":false,"colour":"sesame"}]}
    | prices.rows.0: expected a path, or an object with ${'`at`'}
    / prices.rows.1.at: Invalid input: expected string, received undefined / prices.rows.2.at: expected ${PATH}
    / prices.rows.3.currency: expected a code such as EUR, or a source
    / prices.rows.4.label: ${SOURCE} / prices.rows.4.currency: ${SOURCE} / prices.rows.4.market: ${SOURCE}
    / prices.rows.4.low: ${IN_BODY} / prices.rows.4: Unrecognized key: "colour"
  a path to a text that means something
    | refused=[{"status":403,"like":"upgrade","means":"plan"}]; spent=[{"per":"day","like":"day"}]
    | refused.0.like: ${BESIDE} / spent.0.like: ${BESIDE}
`)('a description has %s', (_, changes, lines = '') => {
  const expected = lines.split(' / ').map((line) => `CARD_SERVICE: mine.json: ${line}`);
  expect(faults(() => config(changes))).toBe(expected.join(' / '));
});

it('a description never has its values shown', () => {
  const told = faults(() =>
    config('key="sesame"; name=4; url="sesame"; card="sesame"; plans="sesame"; pictures="sesame"'),
  );
  expect(told.split(' / ').length).toBeGreaterThan(5);
  expect(told).not.toContain('sesame');
});

const TERMS = 'freshSeconds=60; keepSeconds=120; pictures=false; notice="Data: Mine"; currency="USD"';

it('cards are shown as the description says, unless variables are set; nothing is kept for longer than it says', () => {
  const { freshness, currency, display } = config(TERMS);
  expect(freshness).toMatchObject({ pricesFreshMs: 60_000, keepMs: 120_000, historyMs: 120_000 });
  expect(currency).toBe('USD');
  expect(display).toEqual({ pageUrl: undefined, hasPictures: false, notice: 'Data: Mine' });
  const set = { PRICES_FRESH_SECONDS: '50', KEEP_SECONDS: '900', PRICE_CURRENCY: 'EUR', CARD_PICTURES: 'on' };
  const own = config(TERMS, set);
  expect(own.freshness).toMatchObject({ pricesFreshMs: 50_000, keepMs: 120_000 });
  expect(own).toMatchObject({ currency: 'EUR', display: { hasPictures: true } });
  expect(own.cardService.description.currency).toBe('EUR');
});

it('a scope belongs to a form of ids, characters among it', () => {
  const scopeBy = (chars: string) => config(`card.ids={"chars":"${chars}","longest":9}`).cardService.scope;
  expect(scopeBy('0-9')).not.toBe(scopeBy('a-z'));
});

it('prices are told from others by the address, rows and currency of a description', () => {
  const by = (changes?: string) => config(changes).freshness.pricesBy;
  const rows = (row: string) => `prices={"rows":["prices.${row}"],"market":"market"}`;
  expect(by('notice="x"')).toBe(by());
  const all = ['', 'url="https://cards.test/v2"', 'currency="USD"', rows('normal'), rows('foil')];
  expect(new Set(all.map(by)).size).toBe(all.length);
  expect(by(rows('normal'))).toMatch(/^f63383ddfa8b\./); // as 0.4.0 had it: kept cards stay fresh over an update
  const serviceBy = (changes?: string) => by(changes)?.split('.')[1];
  expect(serviceBy(rows('foil'))).toBe(serviceBy(rows('normal')));
  expect(serviceBy('prices={"rows":"prices","market":"high"}')).not.toBe(serviceBy(rows('normal')));
  expect(serviceBy('url="https://cards.test/v2"')).not.toBe(serviceBy());
  const plain = readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test', PRICE_CURRENCY: 'EUR' });
  expect(plain.freshness.pricesBy).toBeUndefined();
});

it.each(table`
  lack no key that it needs | | CARD_SERVICE_API_KEY= | CARD_SERVICE_API_KEY: missing; Mine needs a key
  have no key that it never sends | key=false | | CARD_SERVICE_API_KEY: Mine takes no key: remove it
  name one of its plans | plans={"small":{}} | CARD_SERVICE_PLAN=pro | CARD_SERVICE_PLAN: write one of: auto, small
  lack no header that it takes from them | headers={"X-Team":"$CARD_SERVICE_TEAM"} |
    | CARD_SERVICE_TEAM: missing; Mine needs it: see its documentation
`)('the variables beside a description %s', (_, changes, environment = '', line) => {
  const set = Object.fromEntries(environment ? [environment.split('=')] : []);
  expect(faults(() => config(changes, set))).toBe(line);
});

it.each([
  '$DISCORD_TOKEN',
  '$PATH',
  '$CARD_SERVICE_X$DISCORD_TOKEN',
  '$CARD_SERVICE_API_KEY; $DISCORD_TOKEN',
  '$card_service_x',
])('the variables beside a description are no others in a header, whose values are not shown: %s', (value) => {
  const told = 'expected a text, or a variable as $CARD_SERVICE_NAME, found another text';
  const hostile = JSON.stringify({ ...MINE, headers: { 'X-Steal': value } });
  const found = faults(() => configOf(hostile, { DISCORD_TOKEN: 'the-token' }));
  expect(found).toBe(`CARD_SERVICE: mine.json: headers.X-Steal: ${told}`);
});

it('the variables beside a description are secrets where headers hold them', () => {
  const headers = 'headers={"X-Team":"$CARD_SERVICE_TEAM","Accept":"application/json"}';
  expect(config(headers, { CARD_SERVICE_TEAM: 'reds' }).cardService).toMatchObject({
    headers: { 'X-Team': 'reds', Accept: 'application/json' },
    secrets: ['reds'],
  });
});

it('the variables beside a description name a description that ships, or are told which was meant', () => {
  const named = (name: string) => () => readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE: name });
  expect(named('defalt')).toThrow('CARD_SERVICE: unknown; did you mean default?');
  expect(named('constructor')).toThrow('CARD_SERVICE: unknown; write one of');
  expect(named('/nowhere/mine.json')).toThrow('CARD_SERVICE: /nowhere/mine.json: the file cannot be read');
});

it('a plan is paced by the slowest figure that its description states, and at two a second where it states none', () => {
  const plans = 'plans={"free":{"perDay":100},"paid":{"perSecond":2,"perMinute":60,"burst":1}}';
  expect(config(plans).plan.plans).toEqual({
    free: { requestsPerDay: 100, requestsPerMinute: 120, burst: 5, isWindow: false },
    paid: { requestsPerMinute: 60, burst: 1, isWindow: false },
  });
});

it('a start ends where requests cost money and nobody says how many the plan has in a month', () => {
  const billed = 'billed=true; plans={"paid":{"perSecond":10},"small":{"perMonth":500}}';
  const missing = /CARD_SERVICE_REQUESTS_PER_MONTH: missing; .* bills what is beyond the plan/;
  expect(() => config(billed)).toThrow(missing);
  const { plan } = config(billed, { CARD_SERVICE_REQUESTS_PER_MONTH: '1000' });
  expect(plan).toMatchObject({ requestsPerMonth: 1_000, isBilled: true, monthBegins: 1 });
  expect(config(billed, { CARD_SERVICE_PLAN: 'small' }).plan.plan).toBe('small');
});
