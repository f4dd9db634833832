import { describe, expect, it } from 'vitest';
import { bulkFinding, cardCheck } from '../../../src/cli/doctor/card-service-checks.ts';
import { readCardServiceConfig } from '../../../src/config/config.ts';
import { shippedNames } from '../../../src/config/description-file.ts';
import { described } from '../../support/described.ts';
import { startOwnService } from '../../support/own-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../run.ts';

/** Tries a description as an operator would in the folder of its file; it is the configured one unless `env` says otherwise. */
async function tryOwn(
  args: readonly string[] = [],
  changes: object = {},
  env: Record<string, string> = {},
  ask?: (question: string) => Promise<string>,
) {
  const own = await startOwnService(changes);
  const outside = { env: { CARD_SERVICE: own.path, ...own.env, ...env }, folder: own.folder, ...(ask && { ask }) };
  const { code, out, err } = await run(['doctor', '--service', './mine.json', ...args], outside);
  return { code, out, err, asked: own.asked };
}

const FIELDS = { id: 'number', name: 'title' };

describe('npm run doctor -- --service FILE', () => {
  it('shows what each field became, and from which path, and whether a missing card is known as one', async () => {
    const { code, out, err, asked } = await tryOwn(['--id', '7']);
    expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=7', '/items?number=99999999'] });
    expect(err).toContain("which costs two of today's requests");
    expect(out.trimEnd().split('\n')).toEqual([
      '✓ description: Hearthside',
      '✓ card service: it answers with a card',
      '✓ fields.id: 7, from number',
      '✓ fields.name: Emberwing  Drake, from title',
      '✓ fields.rarity: rare, from tier',
      '? fields.imageUrl: nothing at picture',
      '✓ prices.market: 36.33, from usd in offers.*',
      '✓ quota.day.limit: 120, from header:X-Day-Limit',
      '? quota.day.remaining: nothing at header:X-Day-Left',
      '✓ card service: it answers, and has no card 99999999',
    ]);
  });

  it.each<[check: string, text: string, changes: object]>([
    ['fields.imageUrl', 'javascript:alert(1)', { fields: { ...FIELDS, imageUrl: '=javascript:alert(1)' } }],
    ['fields.pageUrl', 'http://127.0.0.1/7', { fields: { ...FIELDS, pageUrl: '=http://127.0.0.1/7' } }],
    ['prices.market', '$12.50', { prices: { rows: 'offers.*', market: '=$12.50' } }],
    ['prices.market', '0', { prices: { rows: 'offers.*', market: '=0' } }],
    ['prices.low', '17,513.22', { prices: { rows: 'offers.*', market: 'usd', low: '=17,513.22' } }],
    ['prices.currency', 'dollars', { prices: { rows: 'offers.*', market: 'usd', currency: '=dollars' } }],
    ['quota.day.limit', 'unlimited', { quota: [{ per: 'day', limit: '=unlimited' }] }],
    ['quota.day.reset', 'tomorrow', { quota: [{ per: 'day', reset: '=tomorrow' }] }],
  ])('does not tick %s for %j, which the bot cannot show', async (check, text, changes) => {
    const { code, out } = await tryOwn(['--id', '7'], changes);
    expect(code).toBe(0);
    expect(out).toContain(`\n? ${check}: the bot cannot use ${text}, from =${text}`);
  });

  it('shows figures as the bot reads them, of the row whose price it shows', async () => {
    const prices = {
      rows: ['offers[kind=gold]', 'offers.*'],
      market: 'usd',
      low: ['least', '=09.50'],
      currency: '=eur',
    };
    const quota = [{ per: 'day', limit: '=0100', remaining: '=200', reset: '=60' }];
    const { out } = await tryOwn(['--id', '7'], { prices, quota });
    expect(out.split('\n').filter((line) => /prices|quota/.test(line))).toEqual([
      '✓ prices.market: 36.33, from usd in offers.*',
      '✓ prices.low: 9.5, from =09.50 in offers.*',
      '✓ prices.currency: EUR, from =eur in offers.*',
      '✓ quota.day.limit: 100, from =0100',
      '✓ quota.day.remaining: 100, from =200',
      '✓ quota.day.reset: in 60 s, from =60',
    ]);
  });

  it('costs one request without a card, and says that none was looked up', async () => {
    const { code, out, asked } = await tryOwn();
    expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=99999999'] });
    expect(out).toContain('? card: None was looked up. Name one that it has: --id ID');
  });

  it('sends nothing with --offline, and names what does not fit with exit code 1', async () => {
    expect(await tryOwn(['--offline'])).toMatchObject({ code: 0, out: '✓ description: Hearthside\n', asked: [] });
    const wrong = await tryOwn([], { fields: { id: 'number' }, colour: 1 });
    expect(wrong).toMatchObject({ code: 1, out: '', asked: [] });
    expect(wrong.err).toContain('mine.json: fields.name: expected a path');
    expect(wrong.err).toContain('mine.json: colour: unknown key');
    expect(await run(['doctor', '--service', 'scryfal'])).toMatchObject({ code: 1, out: '' });
  });

  it.each([
    [
      'a path that leads to no card',
      { card: { path: '/items?number={id}', at: 'rows' } },
      '`card`, `absent` and `fields`',
    ],
    ['a field that is not there', { fields: { id: 'number', name: 'label' } }, 'name'],
    ['an address where nothing is', { url: 'http://127.0.0.1:10901' }, '`url` in the description of Hearthside'],
  ])('names the description for %s', async (_, changes, place) => {
    const { code, out } = await tryOwn(['--id', '7'], changes);
    expect(code).toBe(1);
    expect(out).toContain(place);
    expect(out).toContain('in the description of Hearthside');
    expect(out).not.toContain('CARD_SERVICE_');
  });

  it('sends the key to a service that CARD_SERVICE does not name after a question, or with --yes', async () => {
    const other = { CARD_SERVICE: 'tcgapi' };
    const questions: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    const unasked = await tryOwn(['--id', '7'], {}, other);
    expect(unasked).toMatchObject({ code: 1, out: '', asked: [] });
    expect(unasked.err).toMatch(/^This asks 127\.0\.0\.1:\d+ with your key, .* Add --yes to go ahead\.\n$/);
    expect(await tryOwn(['--id', '7'], {}, other, answering('no'))).toMatchObject({ code: 1, out: '', asked: [] });
    expect(questions).toEqual([expect.stringMatching(/with your key, .* Type yes to go ahead: $/)]);
    expect((await tryOwn(['--id', '7'], {}, other, answering('yes'))).asked).toHaveLength(2);
    expect((await tryOwn(['--id', '7', '--yes'], {}, other)).asked).toHaveLength(2);
  });

  it('asks before it sends another secret of the environment, and not where there is none', async () => {
    const env = { CARD_SERVICE: '', CARD_SERVICE_API_KEY: '' };
    const headers = { 'X-Team': '$CARD_SERVICE_TEAM' };
    expect(await tryOwn([], { key: false, headers }, { ...env, CARD_SERVICE_TEAM: 'team' })).toMatchObject({
      code: 1,
      asked: [],
    });
    expect((await tryOwn([], { key: false }, env)).asked).toHaveLength(1);
    expect(await tryOwn(['--offline'], {}, { CARD_SERVICE: '' })).toMatchObject({ code: 0 });
  });

  it('names a wrong key, and prints none', async () => {
    const { code, out, err } = await tryOwn(['--id', '7'], {}, { CARD_SERVICE_API_KEY: 'refused-key' });
    expect(code).toBe(1);
    expect(out).toContain('✗ API key: The card service does not accept this key');
    expect(out + err).not.toContain('refused-key');
  });
});

describe('npm run doctor', () => {
  it('looks up a card that members find by name, by the description that the bot uses', async () => {
    const { env, folder, path, asked } = await startOwnService();
    const bot = {
      ...env,
      CARD_SERVICE: path,
      DISCORD_TOKEN: 'a.b.c',
      DISCORD_API_URL: 'http://127.0.0.1:10901',
      DATA_DIR: temporaryFolder(),
    };
    await run(['catalog', 'import', '-'], {
      env: bot,
      folder,
      stdin: 'id,name\nbase1-4,Wax Golem\n7,Emberwing Drake\n',
    });
    const { out } = await run(['doctor'], { env: bot, folder });
    expect(out).toContain('✓ card service: it answers with a card');
    expect(out).toContain('✓ plan: auto: 120 requests a day');
    expect(asked).toEqual(['/items?number=7', '/items?number=99999999']);
  });

  it('says of a list which names the card as missing that it does', () => {
    const description = described({}, 'scryfall');
    const body = { data: [], not_found: [{ id: 'a' }] };
    const answer = { status: 200, headers: new Headers(), body, receivedAtMs: 0 };
    expect(bulkFinding(answer, { id: 'a', exists: false, description }).found).toContain('does not exist');
  });

  it.each(shippedNames().filter((name) => name !== 'default'))('has an id to ask %s for that it may have', (name) => {
    const key = KEYLESS.includes(name) ? {} : { CARD_SERVICE_API_KEY: 'a-key' };
    const config = readCardServiceConfig({ CARD_SERVICE: name, ...key });
    expect(cardCheck(config, undefined, undefined).id).toMatch(/^([\da-f-]{36}|\d{8}|a{8}|a{8}:a{8})$/);
  });
});

const KEYLESS = ['lorcast', 'scryfall', 'tcgdex', 'ygoprodeck'];
