import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ADDRESS =
  'url: expected an address that begins with https:// and has no user, password, ? and #, found another text';

const FIELDS = { id: 'id', name: 'name' };
const MINE = { name: 'Mine', url: 'https://cards.test/v1/', key: { header: 'X-API-Key' }, fields: FIELDS };

/** @param description what differs from `MINE`, or what is in the file */
function config(description: object | string, environment: Record<string, string> = {}) {
  const file = join(temporaryFolder(), 'mine.json');
  const text = typeof description === 'string' ? description : JSON.stringify({ ...MINE, ...description });
  writeFileSync(file, text);
  return readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE: file, CARD_SERVICE_API_KEY: 'key', ...environment });
}

/** What is wrong, without the file's folder. */
function faults(...given: Parameters<typeof config>): string[] {
  try {
    config(...given);
    return [];
  } catch (error) {
    const [, ...lines] = String(error).split('\n');
    return lines.map((line) => line.replace(/\/\S+\/(?=mine.json)/, '').trim());
  }
}

describe('a description', () => {
  it('has the address, and the key that is sent as it says', () => {
    expect(config({}).cardService).toMatchObject({
      baseUrl: 'https://cards.test/v1',
      apiKey: 'key',
      isShipped: false,
    });
  });

  it.each<[string, object | string, string[]]>([
    ['is JSON', '{"token": "sesame"', ['the file is not JSON']],
    ['is an object', '[]', ['Invalid input: expected object, received array']],
    [
      'has a name and fields',
      '{}',
      [
        'name: Invalid input: expected string, received undefined',
        'fields: Invalid input: expected object, received undefined',
      ],
    ],
    ['has known keys', { card: { pth: 1 }, crad: 2 }, ['card: Unrecognized key: "pth"', 'Unrecognized key: "crad"']],
    [
      'has paths',
      { fields: { id: 7, name: 'a..b' } },
      [
        'fields.id: expected a path, a template, or a list of those',
        'fields.name: expected a path of names, numbers, * and [name=text], with dots between them',
      ],
    ],
    ...[
      'http://cards.test',
      ...['/?key=sesame', '/v1?', '/v1#', '/v1 ', '/a\tb'].map((end) => `https://cards.test${end}`),
    ].map((url): [string, object, string[]] => [
      `has an address of https that ends with its path: ${JSON.stringify(url)}`,
      { url },
      [ADDRESS],
    ]),
    [
      'has types as they are expected where there are several forms',
      {
        key: { header: 7, prefx: 'sesame', optional: 'yes' },
        card: { ids: { chars: 'a-z', longest: 'sesame' }, at: ['a', 5] },
        fields: { id: ['id', null], name: 'name' },
      },
      [
        'key: expected false, or an object with `header`',
        'card.ids: expected uuid, digits, or an object with `chars`',
        'card.at: expected a path, a template, or a list of those',
        'fields.id: expected a path, a template, or a list of those',
      ],
    ],
    [
      'has headers that can be sent',
      { key: { header: 'X Key', prefix: 'a\r\nHost: b' }, headers: { 'X-A': 'a\nb' } },
      [
        'key.header: Invalid string: must match pattern /^[\\w-]+$/',
        'key.prefix: Invalid string: must match pattern /^[ -~]*$/',
        'headers.X-A: expected a text, or a variable as $CARD_SERVICE_NAME, found another text',
      ],
    ],
    [
      'reads no header where a body alone is read',
      {
        card: { also: 'header:X-Ids' },
        list: { path: '/many?ids={ids}', missing: ['lost.*', 'header:X-Lost'] },
        fields: { ...FIELDS, tcg: 'header:X-Game' },
        prices: { rows: 'prices', market: 'market', currency: 'header:X-Unit' },
        refused: [{ status: 403, has: 'header:X-Why', means: 'plan' }],
      },
      [
        ...['card.also', 'list.missing', 'fields.tcg', 'prices.currency'].map(
          (place) => `${place}: expected a source in the body; headers are read by quota, usage and wait alone`,
        ),
        'refused.0.has: expected a path of names, numbers, * and [name=text], with dots between them',
      ],
    ],
    [
      'says where a text is that means something',
      { refused: [{ status: 403, like: 'upgrade', means: 'plan' }], spent: [{ per: 'day', like: 'day' }] },
      [
        'refused.0.like: expected `has` beside it, the path to this text',
        'spent.0.like: expected `has` beside it, the path to this text',
      ],
    ],
    ['is a small file', { fields: { id: `[{${'{'.repeat(40_000)}`, name: 'name' } }, ['the file is larger than 32 kB']],
  ])('%s', (_, description, lines) => {
    expect(faults(description)).toEqual(lines.map((line) => `CARD_SERVICE: mine.json: ${line}`));
  });

  it('never has its values shown', () => {
    const secret = { key: 'sesame', name: 4, url: 'sesame', card: 'sesame', plans: 'sesame', pictures: 'sesame' };
    expect(faults(secret).length).toBeGreaterThan(5);
    expect(faults(secret).join()).not.toContain('sesame');
  });

  it('may be on this machine without https', () => {
    expect(config({ url: 'http://127.0.0.1:4000' }).cardService.baseUrl).toBe('http://127.0.0.1:4000');
  });
});

describe('how cards are shown', () => {
  const TERMS = { freshSeconds: 60, keepSeconds: 120, pictures: false, notice: 'Data: Mine', currency: 'USD' };

  it('is as the description says, unless variables are set; nothing is kept for longer than it says', () => {
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

  it('belongs to a form of ids, characters among it', () => {
    const scopeBy = (chars: string) => config({ card: { ids: { chars, longest: 9 } } }).cardService.scope;
    expect(scopeBy('0-9')).not.toBe(scopeBy('a-z'));
  });

  it('is told from another by address, rows and currency of its prices', () => {
    const by = (more: object) => config(more).freshness.pricesBy;
    const rows = (row: string) => ({ prices: { rows: [row], market: 'market' } });
    expect(by({ notice: 'x' })).toBe(by({}));
    const all = [{}, { url: 'https://cards.test/v2' }, { currency: 'USD' }, rows('prices.normal'), rows('prices.foil')];
    expect(new Set(all.map(by)).size).toBe(all.length);
    const plain = readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test', PRICE_CURRENCY: 'EUR' });
    expect(plain.freshness.pricesBy).toBeUndefined();
  });
});

describe('the variables beside a description', () => {
  it.each<[string, object, Record<string, string>, string]>([
    ['lack no key that it needs', {}, { CARD_SERVICE_API_KEY: '' }, 'CARD_SERVICE_API_KEY: missing; Mine needs a key'],
    ['have no key that it never sends', { key: false }, {}, 'CARD_SERVICE_API_KEY: Mine takes no key: remove it'],
    [
      'name one of its plans',
      { plans: { small: {} } },
      { CARD_SERVICE_PLAN: 'pro' },
      'CARD_SERVICE_PLAN: write one of: auto, small',
    ],
    [
      'lack no header that it takes from them',
      { headers: { 'X-Team': '$CARD_SERVICE_TEAM' } },
      {},
      'CARD_SERVICE_TEAM: missing; Mine needs it: see its documentation',
    ],
  ])('%s', (_, description, environment, line) => {
    expect(faults(description, environment)).toEqual([line]);
  });

  it('are the only secrets that headers get', () => {
    const headers = { 'X-Team': '$CARD_SERVICE_TEAM', Accept: 'application/json' };
    expect(config({ headers }, { CARD_SERVICE_TEAM: 'reds' }).cardService).toMatchObject({
      headers: { 'X-Team': 'reds', Accept: 'application/json' },
      secrets: ['reds'],
    });
    expect(faults({ headers: { 'X-Token': '$DISCORD_TOKEN' } })).toEqual([
      'CARD_SERVICE: mine.json: headers.X-Token: expected a text, or a variable as $CARD_SERVICE_NAME, found another text',
    ]);
  });

  it('name a description that ships, or are told which was meant', () => {
    const named = (name: string) => () => readConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE: name });
    expect(named('defalt')).toThrow('CARD_SERVICE: unknown; did you mean default?');
    expect(named('constructor')).toThrow('CARD_SERVICE: unknown; write one of');
    expect(named('/nowhere/mine.json')).toThrow('CARD_SERVICE: /nowhere/mine.json: the file cannot be read');
  });

  it('pace a plan by the slowest figure that it states, and at two a second where it states none', () => {
    const plans = { free: { perDay: 100 }, paid: { perSecond: 2, perMinute: 60, burst: 1 } };
    expect(config({ plans }).plan.plans).toEqual({
      free: { requestsPerDay: 100, requestsPerMinute: 120, burst: 5, isWindow: false },
      paid: { requestsPerMinute: 60, burst: 1, isWindow: false },
    });
  });

  it('end the start where requests cost money and nobody says how many the plan has in a month', () => {
    const billed = { billed: true, plans: { paid: { perSecond: 10 }, small: { perMonth: 500 } } };
    expect(() => config(billed)).toThrow(/CARD_SERVICE_REQUESTS_PER_MONTH: missing; .* bills what is beyond the plan/);
    expect(config(billed, { CARD_SERVICE_REQUESTS_PER_MONTH: '1000' }).plan).toMatchObject({
      requestsPerMonth: 1_000,
      isBilled: true,
      monthBegins: 1,
    });
    expect(config(billed, { CARD_SERVICE_PLAN: 'small' }).plan.plan).toBe('small');
  });
});
