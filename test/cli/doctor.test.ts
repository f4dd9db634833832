import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type OutgoingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListeningCardService, startCardService } from '../../sandbox/card-service.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { startProgram } from '../support/bot-process.ts';
import { onFinished } from '../support/on-finished.ts';
import { startOwnService } from '../support/own-service.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './run.ts';

type Env = Record<string, string>;

const NOWHERE = 'http://127.0.0.1:10901';
const WEBHOOK = '/api/webhooks/1180000000000000009/kQ7-webhook-token-0123456789';

let discord: EmulatedDiscord;
let cardService: ListeningCardService;
let right: Env;
beforeAll(async () => {
  discord = await startEmulatedDiscord();
  cardService = await startCardService({ burst: 1_000 }); // the tests together send more than the burst of one plan
  onFinished(() => Promise.all([discord.close(), cardService.close()]));
});
beforeEach(async () => {
  const atDiscord = { DISCORD_TOKEN: discord.botToken, DISCORD_API_URL: discord.apiUrl };
  right = { ...atDiscord, CARD_SERVICE_URL: cardService.url, CARD_SERVICE_API_KEY: 'sandbox-key' };
  right.DATA_DIR = temporaryFolder();
  await run(['commands', 'register'], { env: atDiscord });
});

/** `said`: the lines that do not say that something is right. Only ✗ is a failure. */
async function doctor(line = '', changes: Env = {}, envFile: Env = {}) {
  const before = cardService.counts.total;
  const args = ['doctor', ...line.split(' ').filter(Boolean)];
  const { code, out, err } = await run(args, { env: { ...right, ...envFile, ...changes }, envFile });
  const said = out.split('\n').filter((each) => !/^(✓|$)/.test(each));
  if (!line.includes('--json')) expect(code).toBe(said.some((each) => each.startsWith('✗')) ? 1 : 0);
  return { code, err, out, said, requests: cardService.counts.total - before };
}

const says = (...lines: string[]) => lines.map((each) => expect.stringMatching(`^${each}`));

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A program that answers everything so, but what would write to it. */
function answering(status: number, body: string, headers: OutgoingHttpHeaders = {}): Promise<number> {
  const answered = (method = '') => (method === 'GET' ? status : 500);
  return portOf(
    createHttpServer(({ method }, response) => void response.writeHead(answered(method), headers).end(body)),
  );
}

it('finds everything right for one request, which it announces, and two with a list', async () => {
  const { url, prefix } = await startRedis();
  const { out, said, err, requests } = await doctor('', { REDIS_URL: url, REDIS_KEY_PREFIX: prefix, HTTP_PORT: '0' });
  expect(said.filter((line) => !line.includes('Set appendonly'))).toEqual([]);
  const checks = ['settings', 'data directory', 'names', 'Discord token', 'invite', 'commands', 'gateway'];
  expect(out.match(/(?<=^. )[^:\n]+/gm)).toEqual([...checks, 'card service', 'plan', 'Redis']);
  expect([requests, err]).toEqual([1, expect.stringContaining('costs one of today')]);
  const listed = await doctor('', LIST);
  expect(listed.out).toContain('✓ bulk requests: it lists the card');
  expect([listed.requests, listed.err]).toEqual([2, expect.stringContaining('costs two of today')]);
});

it('asks nobody anything with --offline, nor where a setting is faulty that this needs', async () => {
  const unreachable = { DISCORD_API_URL: NOWHERE, REDIS_URL: 'redis://127.0.0.1:10901' };
  expect(await doctor('--offline', unreachable)).toMatchObject({ code: 0, requests: 0, err: '' });
  expect(await doctor('', { CARD_SERVICE_URL: 'cards.test' })).toMatchObject({ code: 1, requests: 0, err: '' });
});

it('prints JSON for programs, and no secret', async () => {
  const { code, out } = await doctor('--json --offline', { LOG_LEVEL: 'loud' });
  const names = { check: 'names', ok: true, cure: expect.stringContaining('members can only type ids') };
  const level = { check: 'LOG_LEVEL', ok: false, cure: expect.stringContaining('write one of') };
  expect([code, JSON.parse(out)]).toEqual([1, [level, { check: 'data directory', ok: true, cure: '' }, names]]);
  const keys = { DISCORD_TOKEN: 'secret.bot.token', CARD_SERVICE_API_KEY: 'secret-key' };
  const urls = { REDIS_URL: 'redis://:secret-pw@127.0.0.1:10901', ALERT_WEBHOOK_URL: NOWHERE + WEBHOOK };
  const secretive = await doctor('', { ...keys, ...urls });
  expect(secretive.out + secretive.err).not.toMatch(/secret\.bot|secret-key|secret-pw|kQ7-/);
});

it('notes that a bot knows no names, until it does', async () => {
  const { DATA_DIR = '' } = right;
  const { out } = await doctor('--offline', { CARD_SERVICE: 'scryfall', CARD_SERVICE_API_KEY: '' });
  expect(out).toContain(
    '✓ names: The bot knows no card by name yet, so members can only type ids. Run: npm run catalog -- fetch',
  );
  await run(['catalog', 'import', '-'], { env: { DATA_DIR }, stdin: 'id,name\nbase1-4,Emberwing Drake\n' });
  expect((await doctor('--offline')).out).not.toContain('names');
});

it.each<[string, Env, file?: Env]>([
  ['DISCORD_TOKEN: missing; write the bot token', { DISCORD_TOKEN: '' }],
  ['DISCORD_TOKEN: It does not look like a bot token', { DISCORD_TOKEN: 'none' }],
  ['LOGLEVEL: Nothing reads it. Did you mean LOG_LEVEL', { LOGLEVEL: 'k' }],
  ['CARD_LIMIT: Nothing reads it. Remove it', {}, { CARD_LIMIT: '3' }],
  ['REDIS_KEY_PREFIX: It has no effect without REDIS_URL', { REDIS_KEY_PREFIX: 'mine' }],
  ['KEEP_SECONDS: Cards are dropped', { KEEP_SECONDS: '60' }],
  ['PRICES_FRESH_SECONDS: Prices count as', { PRICES_FRESH_SECONDS: '700000' }],
  ['MEMBER_DAILY_REQUESTS: One member', { GUILD_DAILY_REQUESTS: '5', MEMBER_DAILY_REQUESTS: '6' }],
  ['a secret: One of fewer than 8 characters', { CARD_SERVICE_API_KEY: 'short' }],
  [
    'CARD_SERVICE_REQUESTS_PER_MINUTE: The plan free allows 10',
    { CARD_SERVICE_PLAN: 'free', CARD_SERVICE_REQUESTS_PER_MINUTE: '11' },
  ],
  ['CARD_SERVICE_BURST: The plan pro allows 200', { CARD_SERVICE_PLAN: 'pro', CARD_SERVICE_BURST: '201' }],
  ['', { PATH: '/bin', KUBERNETES_PORT: '1' }, { NODE_OPTIONS: '', COMPOSE_PROJECT: '' }],
  ['', { CARD_SERVICE_REQUESTS_PER_MINUTE: '600' }],
])('of settings: %s', async (line, changes, file) => {
  const { said } = await doctor('--offline', changes, file);
  expect(said).toEqual(line ? says(`✗ ${line}`) : []);
});

it('.env is read as Node reads it, may be nobody else’s, and loses to the environment, which is no fault', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, '.env'), '# comment\nLOG_LEVEL="info" # quoted\nREDIS_URL=\nCARD_LIMIT=3\n', { mode: 0o640 });
  const main = resolve('src/cli/main.ts');
  const env = { ...right, LOG_LEVEL: 'warn' };
  const process_ = startProgram([process.execPath, main, 'doctor', '--offline'], { cwd, env });
  expect(await process_.ended).toBe(1);
  const lines = says('✗ CARD_LIMIT', '✓ LOG_LEVEL: .*the environment wins', '✗ .env: .* Run: chmod 600');
  expect(process_.output().split('\n').slice(0, 3)).toEqual(lines);
});

it.each<[string, make: (at: string) => void, line: string, below?: string]>([
  ['absent is right, and made by the bot', () => {}, '', 'new/deep'],
  ['a file', (at) => writeFileSync(at, ''), '✗ data directory: .*Set DATA_DIR to a folder'],
  ['below a file', (at) => writeFileSync(at, ''), '✗ data directory: .*DATA_DIR', 'deep'],
])('a data directory that is %s', async (_, make, line, below = '') => {
  const folder = temporaryFolder();
  make(join(folder, 'at'));
  const before = readdirSync(folder);
  expect((await doctor('--offline', { DATA_DIR: join(folder, 'at', below) })).said).toEqual(line ? says(line) : []);
  expect(readdirSync(folder)).toEqual(before);
});

it('rights of others are named, for the data directory and then its files, and another owner is right for root', async () => {
  const { DATA_DIR = '' } = right;
  writeFileSync(join(DATA_DIR, 'x.sqlite'), '', { mode: 0o640 });
  expect((await doctor('--offline')).said).toEqual(says('✗ x.sqlite: .*chmod 600'));
  chmodSync(DATA_DIR, 0o777);
  expect((await doctor('--offline')).said).toEqual(says('✗ data directory: .*Run: chmod 700'));
  chmodSync(DATA_DIR, 0o700);
  chmodSync(join(DATA_DIR, 'x.sqlite'), 0o600);
  if (process.getuid?.() === 0) chownSync(DATA_DIR, 65_534, 65_534);
  expect((await doctor('--offline')).said).toEqual([]);
});

describe('at Discord', () => {
  const application = (fields: object) => ({ id: '1', name: 'Cards', ...fields });
  const gateway = (remaining: number) => {
    const session_start_limit = { total: 1_000, remaining, reset_after: 0, max_concurrency: 1 };
    return { url: 'ws://127.0.0.1:10901', shards: 3, session_start_limit };
  };
  const FEW = { DISCORD_SHARDS: '0', DISCORD_SHARD_COUNT: '2' };
  it.each<[line: string, request: 'first' | 'second' | 'gateway/bot', body: unknown, Env?]>([
    ['✗ application: .* to https://old', 'first', application({ interactions_endpoint_url: 'https://old' })],
    ['✗ application: .* Code Grant', 'first', application({ bot_require_code_grant: true })],
    ['✗ application: Members cannot', 'first', application({ integration_types_config: { 0: {} } })],
    ['✗ Discord token: Discord has a problem of its own', 'first', 503],
    ['✗ Discord token: What answers at .* isn.t Discord', 'first', '<html>'],
    ['✗ invite: The bot is in no server.*client_id=', 'second', []],
    ['\\? invite: Discord has a problem of its own', 'second', 503],
    ['✗ invite: Discord refuses the token', 'second', 401],
    ['✗ gateway: Discord refuses the token', 'gateway/bot', 401],
    ["✗ gateway: Discord's daily login limit is reached", 'gateway/bot', gateway(0)],
    ['✗ gateway: .* does not answer', 'gateway/bot', gateway(1_000)],
    ['✗ DISCORD_SHARD_COUNT: Discord recommends 3', 'gateway/bot', gateway(1_000), FEW],
  ])('%s', async (line, request, body, changes) => {
    const answer =
      typeof body === 'number' ? { status: body, body: { code: 0, message: 'no' } } : { status: 200, body };
    if (request === 'second') discord.faults.script({ route: 'any' });
    discord.faults.script({ route: request === 'gateway/bot' ? request : 'any', times: 2, answer });
    const { said } = await doctor('', changes);
    discord.faults.clear();
    expect(said[0]).toMatch(new RegExp(`^${line}`));
  });

  it('a token or an address that is wrong is all that is said of it', async () => {
    const refused = await doctor('', { DISCORD_TOKEN: 'refused.bot.token' });
    expect(refused.said).toEqual(says('✗ Discord token: Discord refuses the token'));
    const nowhere = await doctor('', { DISCORD_API_URL: `${NOWHERE}/api` });
    expect(nowhere.said).toEqual(says("✗ Discord token: Can't reach Discord at"));
  });

  it('commands of another version are named, and those that a server has twice', async () => {
    const other = await doctor('', { USER_INSTALL_DAILY_REQUESTS: '0' });
    expect(other.said).toEqual(says('✗ commands: .*/card.*npm run commands -- register$'));
    const ofGuild = ['--guild', discord.guilds[0]?.id ?? ''];
    await run(['commands', 'register', ...ofGuild], { env: right });
    expect((await doctor()).said).toEqual(says(`✗ commands: .*clear ${ofGuild.join(' ')}$`));
    await run(['commands', 'clear', ...ofGuild], { env: right });
  });
});

const CARD = { id: 'base1-4', name: 'A', tcg: 'T', set: { id: 's', name: 'S' } };
const ERROR = { _tag: 'CardNotFound', message: 'no' };
const OTHER = { ...CARD, id: 'b' };
const ABSENT = '\\? card service: It says that it has no card base1-4. .*--id ID.*CARD_SERVICE_URL';
const LIST = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };
const notListed = (why: string) => [`✗ bulk requests: .*${why}.*Check CARD_SERVICE_BULK_PATH`];

it.each<[status: number, body: unknown, lines: string[], listed?: [status: number, body: unknown]]>([
  [404, ERROR, [ABSENT]],
  [429, '', ['\\? card service: It asks to wait']],
  [200, { hello: 1 }, ['✗ card service: .*CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH']],
  [200, '<html>', ['✗ card service: .*the body is not JSON.* Check CARD_SERVICE_URL']],
  [404, '<html>', ['✗ card service: .*/cards/{id} .*status 404.* Check CARD_SERVICE_URL']],
  [403, ERROR, ['✗ API key: .*does not accept this key. Set CARD_SERVICE_API_KEY']],
  [403, '', ['✗ card service: ']],
  [503, '', ['✗ card service: ']],
  [302, '', ['✗ card service: .*a redirect to https://elsewhere.test/']],
  [400, ERROR, ['✗ card service: .*status 400']],
  [200, CARD, [], [200, { 'base1-4': CARD }]],
  [200, CARD, notListed('was not asked for'), [200, [CARD, OTHER]]],
  [200, CARD, notListed('leaves it out'), [200, { data: [], error: 'no' }]],
  [200, CARD, notListed('no list of cards'), [200, '<html>']],
  [200, CARD, notListed('status 405'), [405, ERROR]],
  [200, CARD, notListed('status 403'), [403, '']],
  [200, CARD, ['\\? bulk requests: .*Try again later'], [503, '']],
  [200, CARD, ['\\? bulk requests: .*Try again later'], [429, ERROR]],
  [404, ERROR, [ABSENT, '\\? bulk requests: .*no card .* CARD_SERVICE_BULK_PATH'], [200, []]],
  [404, ERROR, [ABSENT, '\\? bulk requests: .*no card .* CARD_SERVICE_BULK_PATH'], [404, ERROR]],
  [404, ERROR, [ABSENT, ...notListed('was not asked for')], [200, [OTHER]]],
])('a lookup that is answered %i %j: %j, and a list %j', async (status, body, lines, listed) => {
  const headers = { location: 'https://elsewhere.test/' };
  cardService.script({ status, body, path: /base1-4\?/, ...(status === 302 && { headers }) });
  if (listed) cardService.script({ status: listed[0], body: listed[1], path: '?ids=' });
  expect((await doctor('', listed && LIST)).said).toEqual(says(...lines));
});

it('of a card service that is not there, or needs a key, or of a wrong path', async () => {
  const nowhere = await doctor('', { CARD_SERVICE_URL: NOWHERE });
  expect(nowhere.said).toEqual(says('✗ card service: 127.0.0.1:10901 .*ECONNREFUSED.* Check CARD_SERVICE_URL'));
  cardService.script({ status: 401 });
  expect((await doctor('', { CARD_SERVICE_API_KEY: '' })).said).toEqual(says('✗ API key: .* needs a key'));
  const path = { CARD_SERVICE_CARD_PATH: '/wrong/{id}' };
  expect((await doctor('', { ...path, CARD_SERVICE_API_KEY: 'refused-key' })).said).toEqual(says('✗ API key'));
  expect((await doctor('', path)).said).toEqual(says('\\? card service: .*CARD_SERVICE_CARD_PATH'));
});

const PACE = { CARD_SERVICE_REQUESTS_PER_MINUTE: '5', CARD_SERVICE_BURST: '5' };
it.each<[plan: string, limit: string | undefined, line: string, Env?]>([
  ['auto', '1000', '✓ plan: free: 1,000 requests a day'],
  ['pro', '50000', '✓ plan: pro: 50,000 requests a day'],
  ['free', undefined, '✓ plan: free'],
  ['pro', '1000', '✗ plan: It allows 1,000 requests a day, and CARD_SERVICE_PLAN is pro. Write free.'],
  ['free', '70', '✗ plan: It allows 70 requests a day, and CARD_SERVICE_PLAN is free. Write auto.'],
  ['auto', '70', 'CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST'],
  ['auto', '70', '✓ plan: auto: 70 requests a day', PACE],
  ['enterprise', '70', '✓ plan: enterprise: 70', PACE],
  ['auto', undefined, '✗ plan: It does not say how many requests a day it allows. Set CARD_SERVICE_PLAN'],
])('a plan %s with a daily limit of %s: %s', async (plan, limit, line, pace = {}) => {
  const headers = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': undefined };
  cardService.script({ body: CARD, headers });
  const { code, out } = await doctor('', { CARD_SERVICE_PLAN: plan, ...pace });
  expect([code, out]).toEqual([line.startsWith('✓') ? 0 : 1, expect.stringContaining(line)]);
});

it('a Redis that is not there, or never answers, is named', async () => {
  const silent = await portOf(createServer((socket) => void socket.on('error', () => {}).resume()));
  for (const port of [10_901, silent]) {
    const { said } = await doctor('', { REDIS_URL: `redis://127.0.0.1:${port}` });
    expect(said).toEqual(says(`✗ Redis: 127.0.0.1:${port} .*Check REDIS_URL`));
  }
});

it.skipIf(noRealRedis('Redis that refuses'))(
  'a Redis that refuses INFO may keep replies, or the password',
  async () => {
    const { url, command } = await startRealRedis();
    await command('ACL', 'SETUSER', 'bot', 'on', '>password', '~*', '+@all', '-info');
    const as = async (user: string) => (await doctor('', { REDIS_URL: url.replace('//', `//${user}@`) })).said;
    expect(await as('bot:password')).toEqual(says('\\? Redis settings: .*appendonly'));
    expect(await as('bot:another-one')).toEqual(says('✗ Redis: .*WRONGPASS.*Check REDIS_URL'));
  },
);

it('HTTP_PORT is right where it is free, or this bot serves it', async () => {
  const saysOf = async (id?: string) => {
    const HTTP_PORT = String(await answering(200, '{}', id === undefined ? {} : { 'X-Application-Id': id }));
    return (await doctor('--offline', { HTTP_PORT })).said;
  };
  expect(await saysOf(discord.applicationId)).toEqual([]);
  for (const other of ['8', undefined])
    expect(await saysOf(other)).toEqual(says('✗ HTTP_PORT: Another program or bot uses 127'));
  const elsewhere = await doctor('--offline', { HTTP_HOST: '192.0.2.1', HTTP_PORT: '9464' });
  expect(elsewhere.said).toEqual(says('✗ HTTP_PORT: 192.0.2.1:9464 cannot be used .*HTTP_HOST'));
});

it.each([
  [200, '{"id":"1180000000000000009","type":1}', ''],
  [200, '<html>', '✗'],
  [302, '', '✗'],
  [404, '{}', '✗'],
  [408, '', '\\?'],
  [429, '{}', '\\?'],
  [503, '<html>', '\\?'],
])('a webhook that answers %i %j: %s, and nothing is written to it', async (status, body, sign) => {
  const port = await answering(status, body, { location: NOWHERE });
  const { said } = await doctor('', { ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}${WEBHOOK}` });
  expect(said).toEqual(sign ? says(`${sign} alerts: .*ALERT_WEBHOOK_URL`) : []);
});

describe('npm run doctor -- --service FILE', () => {
  /** As an operator would in the folder of the file, which is the configured one unless `env` says otherwise. */
  async function tryOwn(line = '', changes: object = {}, env: Env = {}, answer?: string) {
    const own = await startOwnService(changes);
    const ask = answer === undefined ? {} : { ask: async () => answer };
    const outside = { env: { CARD_SERVICE: own.path, ...own.env, ...env }, folder: own.folder, ...ask };
    const args = ['doctor', '--service', './mine.json', ...line.split(' ').filter(Boolean)];
    return { ...(await run(args, outside)), asked: own.asked };
  }

  it('shows what each field became, and from where, and whether a missing card is known as one', async () => {
    const { code, out, err, asked } = await tryOwn('--id 7');
    expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=7', '/items?number=99999999'] });
    expect(err).toContain("which costs two of today's requests");
    expect(out.trimEnd().split('\n')).toEqual([
      '✓ description: Hearthside',
      '✓ card service: it answers with a card',
      '✓ fields.id: 7, from number',
      '✓ fields.name: Emberwing  Drake, from title',
      '✓ fields.rarity: rare, from grade or tier',
      '? fields.imageUrl: nothing that the bot can show, from picture',
      '✓ prices.market: 36.33, from usd in offers[kind=foil] or offers.*',
      '✓ quota.day.limit: 120, from header:X-Day-Limit',
      '? quota.day.remaining: nothing that the bot can show, from header:X-Day-Left',
      '✓ card service: it answers, and has no card 99999999',
    ]);
  });

  const FIELDS = { id: 'number', name: 'title' };
  const ROWS = { rows: 'offers.*', market: 'usd' };
  const day = (sources: object) => ({ quota: [{ per: 'day', ...sources }] });
  it.each<[sign: string, line: string, changes: object]>([
    ['?', 'fields.imageUrl: nothing', { fields: { ...FIELDS, imageUrl: '=javascript:alert(1)' } }],
    ['?', 'fields.pageUrl: nothing', { fields: { ...FIELDS, pageUrl: '=http://127.0.0.1/7' } }],
    ['?', 'prices.market: nothing', { prices: { ...ROWS, market: '=0' } }],
    ['?', 'prices.market: Invalid input', { prices: { ...ROWS, market: '=$12.50' } }],
    ['?', 'quota.day.reset: nothing', day({ reset: '=tomorrow' })],
    ['✓', 'prices.currency: EUR', { prices: { ...ROWS, currency: '=eur' } }],
    ['✓', 'quota.day.limit: 100,', day({ limit: '=0100' })],
    ['?', 'prices.low: Invalid input', { prices: { ...ROWS, low: '=17,513.22' } }],
    ['?', 'prices.currency: nothing', { prices: { ...ROWS, currency: '=dollars' } }],
    ['?', 'quota.day.limit: nothing', day({ limit: '=unlimited' })],
    ['✓', 'prices.low: 9.5, from least or =09.50 in', { prices: { ...ROWS, low: ['least', '=09.50'] } }],
    ['✓', 'quota.day.remaining: 100,', day({ limit: '=0100', remaining: '=200' })],
    ['✓', 'quota.day.reset: in 60 s', day({ reset: '=60' })],
  ])('%s %s', async (sign, line, changes) => {
    const { code, out } = await tryOwn('--id 7', changes);
    expect([code, out]).toEqual([0, expect.stringContaining(`\n${sign} ${line}`)]);
  });

  it('costs one request without a card, and says that none was found', async () => {
    const { code, out, asked } = await tryOwn();
    expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=99999999'] });
    expect(out).toMatch(/\n\? card service: .*\(--id ID\)/);
  });

  it('sends nothing with --offline, and names what does not fit', async () => {
    expect(await tryOwn('--offline')).toMatchObject({ code: 0, out: '✓ description: Hearthside\n', asked: [] });
    const wrong = await tryOwn('', { fields: { id: 'number' }, colour: 1 });
    expect(wrong).toMatchObject({ code: 1, out: '', asked: [] });
    expect(wrong.err).toMatch(/mine\.json: fields\.name: expected a path/);
    expect(wrong.err).toContain('mine.json: Unrecognized key: "colour"');
    expect(await run(['doctor', '--service', 'scryfal'])).toMatchObject({ code: 1, out: '' });
  });

  it.each([
    [{ card: { path: '/items?number={id}', at: 'rows' } }, '? card.at: nothing in the answer at "rows"'],
    [{ fields: { id: 'number', name: 'label' } }, '? fields.name: nothing in the answer at "label"'],
    [{ url: NOWHERE }, '`url`'],
  ])('names what is wrong with the description for %j', async (changes, line) => {
    const { code, out } = await tryOwn('--id 7', changes);
    expect([code, out]).toEqual([1, expect.stringContaining(line)]);
    expect(out).toContain('in the description of Hearthside');
    expect(out).not.toContain('CARD_SERVICE_');
  });

  it('sends a key to a service that CARD_SERVICE does not name after a question, or with --yes', async () => {
    const other = { CARD_SERVICE: 'tcgapi' };
    const unasked = await tryOwn('--id 7', {}, other);
    expect(unasked).toMatchObject({ code: 1, out: '', asked: [] });
    expect(unasked.err).toMatch(/^This asks .*with your key .* Add --yes to go ahead\.\n$/);
    expect(await tryOwn('--id 7', {}, other, 'no')).toMatchObject({ code: 1, out: '', asked: [] });
    expect((await tryOwn('--id 7', {}, other, 'yes')).asked).toHaveLength(2);
    expect((await tryOwn('--id 7 --yes', {}, other)).asked).toHaveLength(2);
    const keyless = { CARD_SERVICE: '', CARD_SERVICE_API_KEY: '' };
    const team = { key: false, headers: { 'X-Team': '$CARD_SERVICE_TEAM' } };
    expect(await tryOwn('', team, { ...keyless, CARD_SERVICE_TEAM: 'team' })).toMatchObject({ code: 1, asked: [] });
    expect((await tryOwn('', { key: false }, keyless)).asked).toHaveLength(1);
  });

  it('names a wrong key, and prints none', async () => {
    const { code, out, err } = await tryOwn('--id 7', {}, { CARD_SERVICE_API_KEY: 'refused-key' });
    expect([code, out]).toEqual([1, expect.stringContaining('✗ API key: The card service does not accept this key')]);
    expect(out + err).not.toContain('refused-key');
  });

  it('is not needed for the described service of the bot, of which a card is tried that members find by name', async () => {
    const { env, folder, path, asked } = await startOwnService();
    const bot = { ...right, CARD_SERVICE_URL: '', ...env, CARD_SERVICE: path };
    await run(['catalog', 'import', '-'], { env: bot, folder, stdin: 'id,name\nbase1-4,Wax Golem\n7,Drake\n' });
    const { out } = await run(['doctor'], { env: bot, folder });
    expect(out).toContain('✓ card service: it answers with a card\n✓ plan: auto: 120 requests a day');
    expect(asked).toEqual(['/items?number=7', '/items?number=99999999']);
  });
});
