import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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
import { type DetourAnswer, startDetour } from './commands/detour.ts';
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

async function doctor(changes: Env = {}, args: readonly string[] = [], envFile: Env = {}) {
  const before = cardService.counts.total;
  const { code, out, err } = await run(['doctor', ...args], { env: { ...right, ...envFile, ...changes }, envFile });
  return { code, err, out, lines: out.trimEnd().split('\n'), requests: cardService.counts.total - before };
}

/** The lines that do not say that something is right. Only ✗ is a failure. */
async function objections(changes: Env = {}, args: readonly string[] = [], envFile: Env = {}): Promise<string[]> {
  const { code, lines } = await doctor(changes, args, envFile);
  expect(code).toBe(lines.some((line) => line.startsWith('✗')) ? 1 : 0);
  return lines.filter((line) => !line.startsWith('✓'));
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A program that answers everything so; without a body its answer never ends. */
async function answering(status: number, body: string, headers: OutgoingHttpHeaders = {}) {
  const methods: (string | undefined)[] = [];
  const server = createHttpServer(({ method }, response) => {
    methods.push(method);
    response.writeHead(status, { location: NOWHERE, ...headers }).end(body);
  });
  return { port: await portOf(server), methods };
}

/** Settings for a Discord that answers this one request otherwise. */
async function failingAt(route: string, answer: DetourAnswer): Promise<Env> {
  const failing = await startDetour(discord.apiUrl, { [route]: answer });
  onFinished(() => failing.close());
  return { DISCORD_API_URL: failing.apiUrl };
}

describe('npm run doctor', () => {
  it('finds everything right for one request, which it announces, and two with a list', async () => {
    const { url, prefix } = await startRedis();
    const more = { REDIS_URL: url, REDIS_KEY_PREFIX: prefix, HTTP_PORT: '0', ALERT_WEBHOOK_URL: '' };
    const { lines, err, requests } = await doctor(more);
    expect(lines.filter((line) => !line.startsWith('✓ ') && !line.includes('Set appendonly'))).toEqual([]);
    const checks = ['settings', 'data directory', 'names', 'Discord token', 'invite', 'commands', 'gateway'];
    expect(lines.map((line) => line.slice(2).split(':')[0])).toEqual([...checks, 'card service', 'plan', 'Redis']);
    expect([requests, err]).toEqual([1, expect.stringContaining('costs one of today')]);
    const listed = await doctor({ CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' });
    expect(listed.out).toContain('✓ bulk requests: it lists the card');
    expect([listed.requests, listed.err]).toEqual([2, expect.stringContaining('costs two of today')]);
  });

  it('asks nobody anything with --offline, nor where a setting is faulty that this needs', async () => {
    const unreachable = { DISCORD_API_URL: NOWHERE, REDIS_URL: 'redis://127.0.0.1:10901' };
    expect(await doctor(unreachable, ['--offline'])).toMatchObject({ code: 0, requests: 0, err: '' });
    expect(await doctor({ CARD_SERVICE_URL: 'cards.test' })).toMatchObject({ code: 1, requests: 0, err: '' });
  });

  it('prints JSON for programs, and no secret', async () => {
    const { code, out } = await doctor({ LOG_LEVEL: 'loud' }, ['--json', '--offline']);
    expect([code, JSON.parse(out)]).toEqual([
      1,
      [
        { check: 'LOG_LEVEL', ok: false, cure: expect.stringContaining('write one of') },
        { check: 'data directory', ok: true, cure: '' },
        { check: 'names', ok: true, cure: expect.stringContaining('members can only type ids') },
      ],
    ]);
    const keys = { DISCORD_TOKEN: 'secret.bot.token', CARD_SERVICE_API_KEY: 'secret-key' };
    const urls = { REDIS_URL: 'redis://:secret-pw@127.0.0.1:10901', ALERT_WEBHOOK_URL: `${NOWHERE}${WEBHOOK}` };
    const secretive = await doctor({ ...keys, ...urls });
    expect(secretive.out + secretive.err).not.toMatch(/secret\.bot|secret-key|secret-pw|kQ7-/);
  });

  it('notes that a bot knows no names, until it does', async () => {
    const { DATA_DIR = '' } = right;
    expect((await doctor({ CARD_SERVICE: 'scryfall', CARD_SERVICE_API_KEY: '' }, ['--offline'])).out).toContain(
      '✓ names: The bot knows no card by name yet, so members can only type ids. Run: npm run catalog -- fetch',
    );
    await run(['catalog', 'import', '-'], { env: { DATA_DIR }, stdin: 'id,name\nbase1-4,Emberwing Drake\n' });
    expect((await doctor({}, ['--offline'])).out).not.toContain('names');
  });
});

describe('settings that are wrong are named, each by itself', () => {
  const ENTERPRISE = { CARD_SERVICE_PLAN: 'enterprise', CARD_SERVICE_BURST: '5' };
  it.each<[check: string, cure: string, Env, file?: Env]>([
    ['DISCORD_TOKEN', 'missing; write the bot token', { DISCORD_TOKEN: '' }],
    ['CARD_SERVICE_REQUESTS_PER_MINUTE', 'is required for the plan enterprise', ENTERPRISE],
    ['CARD_SERVICE_URL', 'write an address that begins with https:// or http://', { CARD_SERVICE_URL: 'cards.test' }],
    ['DISCORD_TOKEN', 'It does not look like a bot token', { DISCORD_TOKEN: 'none' }],
    ['LOGLEVEL', 'Nothing reads it. Did you mean LOG_LEVEL?', { LOGLEVEL: 'k' }],
    ['CARD_LIMIT', 'Nothing reads it. Remove it', {}, { CARD_LIMIT: '3' }],
    ['REDIS_KEY_PREFIX', 'It has no effect without REDIS_URL', { REDIS_KEY_PREFIX: 'mine' }],
    ['KEEP_SECONDS', 'Cards are dropped', { KEEP_SECONDS: '60' }],
    ['PRICES_FRESH_SECONDS', 'Prices count as', { PRICES_FRESH_SECONDS: '700000' }],
    ['MEMBER_DAILY_REQUESTS', 'One member', { GUILD_DAILY_REQUESTS: '5', MEMBER_DAILY_REQUESTS: '6' }],
    ['a secret', 'One of fewer than 8 characters', { CARD_SERVICE_API_KEY: 'short' }],
    [
      'CARD_SERVICE_REQUESTS_PER_MINUTE',
      'The plan free allows 10',
      { CARD_SERVICE_PLAN: 'free', CARD_SERVICE_REQUESTS_PER_MINUTE: '11' },
    ],
    ['CARD_SERVICE_BURST', 'The plan pro allows 200', { CARD_SERVICE_PLAN: 'pro', CARD_SERVICE_BURST: '201' }],
  ])('%s: %s', async (check, cure, changes, file) => {
    const line = expect.stringMatching(`^✗ ${check}: ${cure.replace('?', '\\?')}`);
    expect(await objections(changes, ['--offline'], file)).toEqual([line]);
  });

  it.each<[string, Env, file?: Env]>([
    ['variables of other programs', { PATH: '/bin', KUBERNETES_PORT: '1' }, { NODE_OPTIONS: '', COMPOSE_PROJECT: '' }],
    ['a pace of its own with the plan auto', { CARD_SERVICE_REQUESTS_PER_MINUTE: '600' }],
  ])('but not %s', async (_, changes, file) => {
    expect(await objections(changes, ['--offline'], file)).toEqual([]);
  });

  it('.env is read as Node reads it, may be nobody else’s, and loses to the environment, which is no fault', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), '# comment\nLOG_LEVEL="info" # quoted\nREDIS_URL=\nCARD_LIMIT=3\n');
    chmodSync(join(cwd, '.env'), 0o640);
    const main = resolve('src/cli/main.ts');
    const env = { ...right, LOG_LEVEL: 'warn' };
    const process_ = startProgram([process.execPath, main, 'doctor', '--offline'], { cwd, env });
    expect(await process_.ended).toBe(1);
    const lines = process_.output().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      expect.stringContaining('✗ CARD_LIMIT'),
      expect.stringMatching(/^✓ LOG_LEVEL: .*the environment wins/),
      expect.stringMatching(/^✗ \.env: .* Run: chmod 600/),
    ]);
  });
});

describe('the data directory', () => {
  it('may not exist yet, and is not created', async () => {
    const folder = temporaryFolder();
    expect(await objections({ DATA_DIR: join(folder, 'new', 'deep') }, ['--offline'])).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, make: (path: string) => void, says: string, below?: string]>([
    ['a file', (path) => writeFileSync(path, ''), 'Set DATA_DIR to a folder'],
    ['below a file', (path) => writeFileSync(path, ''), 'DATA_DIR', 'deep'],
    ['open to others', (path) => chmodSync(path, 0o777), 'Run: chmod 700'],
    [
      'with a file that others may read',
      (path) => writeFileSync(join(path, 'x.sqlite'), '', { mode: 0o640 }),
      'chmod 600',
    ],
  ])('%s is named with what to do', async (_, make, says, below = '') => {
    const path = join(temporaryFolder(), 'at');
    if (says.includes('chmod')) mkdirSync(path, { mode: 0o700 });
    make(path);
    expect(await objections({ DATA_DIR: join(path, below) }, ['--offline'])).toEqual([expect.stringContaining(says)]);
  });

  it.runIf(process.getuid?.() === 0)(
    'of another user is right for root, and named where the bot is another',
    async () => {
      const { DATA_DIR = '' } = right;
      chownSync(DATA_DIR, 65_534, 65_534);
      expect(await objections({}, ['--offline'])).toEqual([]);
    },
  );
});

describe('at Discord', () => {
  const application = { id: '1', name: 'Cards', integration_types_config: { 0: {}, 1: {} } };
  const session_start_limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
  const gateway = { url: 'ws://127.0.0.1:10901', shards: 3, session_start_limit };
  const spent = { ...gateway, session_start_limit: { ...session_start_limit, remaining: 0 } };
  const ME = 'GET /applications/@me';
  const GATEWAY = 'GET /gateway/bot';
  const GUILDS = 'GET /users/@me/guilds';
  it.each<[line: string, route: string, status: number, body: unknown, Env?]>([
    [
      '✗ application: Discord sends the commands to https://old',
      ME,
      200,
      { ...application, interactions_endpoint_url: 'https://old' },
    ],
    ['✗ application: .* Code Grant', ME, 200, { ...application, bot_require_code_grant: true }],
    ['✗ application: Members cannot install', ME, 200, { ...application, integration_types_config: { 0: {} } }],
    ['✗ Discord token: Discord has a problem of its own', ME, 503, '<html>'],
    ['✗ Discord token: What answers at .* isn.t Discord', ME, 200, '<html>'],
    ['✗ invite: The bot is in no server.*client_id=', GUILDS, 200, []],
    ['\\? invite: Discord has a problem of its own', GUILDS, 503, '<html>'],
    ['✗ invite: Discord refuses the token', GUILDS, 401, { message: 'Unauthorized', code: 0 }],
    ['✗ gateway: Discord refuses the token', GATEWAY, 401, { message: 'Unauthorized', code: 0 }],
    ["✗ gateway: Discord's daily login limit is reached", GATEWAY, 200, spent],
    ['✗ gateway: .* does not answer', GATEWAY, 200, gateway],
    [
      '✗ DISCORD_SHARD_COUNT: Discord recommends 3',
      GATEWAY,
      200,
      gateway,
      { DISCORD_SHARDS: '0', DISCORD_SHARD_COUNT: '2' },
    ],
  ])('%s', async (line, route, status, body, changes = {}) => {
    const failing = await failingAt(route, { status, body });
    expect((await objections({ ...failing, ...changes }))[0]).toMatch(new RegExp(`^${line}`));
  });

  it('a token or an address that is wrong is all that is said of it', async () => {
    const refused = await objections({ DISCORD_TOKEN: 'refused.bot.token' });
    expect(refused).toEqual([expect.stringContaining('✗ Discord token: Discord refuses the token')]);
    const nowhere = await objections({ DISCORD_API_URL: `${NOWHERE}/api` });
    expect(nowhere).toEqual([expect.stringContaining("✗ Discord token: Can't reach Discord at")]);
  });

  it('commands of another version are named, and those that a server has twice', async () => {
    const [guild] = discord.guilds;
    const change = { USER_INSTALL_DAILY_REQUESTS: '0' };
    expect(await objections(change)).toEqual([
      expect.stringMatching(/^✗ commands: .*\/card.*npm run commands -- register$/),
    ]);
    const ofGuild = ['--guild', guild?.id ?? ''];
    await run(['commands', 'register', ...ofGuild], { env: right });
    expect(await objections()).toEqual([expect.stringMatching(`^✗ commands: .*clear ${ofGuild.join(' ')}$`)]);
    await run(['commands', 'clear', ...ofGuild], { env: right });
  });
});

const CARD = { id: 'base1-4', name: 'A', tcg: 'T', set: { id: 's', name: 'S' } };
const ERROR = { _tag: 'CardNotFound', message: 'no' };

describe('what a card service answers', () => {
  it.each([
    [
      404,
      ERROR,
      '? card service: It says that it has no card base1-4. Name one that it has (--id ID), or check CARD_SERVICE_URL',
    ],
    [429, undefined, '? card service: It asks to wait'],
    [200, { hello: 1 }, 'CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH'],
    [200, '<html>', '(unexpected answer: the body is not JSON). Check CARD_SERVICE_URL'],
    [404, '<html>', 'does not answer /cards/{id} with a card (unexpected answer: status 404'],
    [401, '', '✗ API key: The card service does not accept this key. Set CARD_SERVICE_API_KEY'],
    [403, ERROR, '✗ API key: The card service does not accept this key. Set CARD_SERVICE_API_KEY'],
    [403, '', '✗ card service: '],
    [503, '', '✗ card service: '],
    [302, '', 'a redirect to https://elsewhere.test/'],
    [400, ERROR, 'status 400'],
  ])('to a lookup: %i %j', async (status, body, says) => {
    cardService.script({ status, body, ...(status === 302 && { headers: { location: 'https://elsewhere.test/' } }) });
    expect(await objections()).toEqual([expect.stringContaining(says)]);
  });

  it('nothing, or that a key is needed, is named', async () => {
    const nowhere = [
      expect.stringMatching(/^✗ card service: 127\.0\.0\.1:10901 .*\(ECONNREFUSED\)\. Check CARD_SERVICE_URL/),
    ];
    expect(await objections({ CARD_SERVICE_URL: NOWHERE })).toEqual(nowhere);
    cardService.script({ status: 401 });
    expect(await objections({ CARD_SERVICE_API_KEY: '' })).toEqual([
      expect.stringContaining('✗ API key: The card service needs a key'),
    ]);
    const path = { CARD_SERVICE_CARD_PATH: '/wrong/{id}' };
    expect(await objections({ ...path, CARD_SERVICE_API_KEY: 'refused-key' })).toEqual([
      expect.stringContaining('✗ API key'),
    ]);
    expect(await objections(path)).toEqual([expect.stringMatching(/^\? card service: .*CARD_SERVICE_CARD_PATH/)]);
  });

  const others = [{ ...CARD, id: 'b' }];
  it.each([
    [200, { 'base1-4': CARD }, []],
    [200, [CARD, ...others], ['✗', 'was not asked for']],
    [200, others, ['✗', 'was not asked for']],
    [200, { data: [], error: 'no' }, ['✗', 'leaves it out']],
    [200, '<html>', ['✗', 'no list of cards']],
    [404, '', ['✗', 'status 404']],
    [405, ERROR, ['✗', 'status 405']],
    [401, ERROR, ['✗', 'status 401']],
    [403, '', ['✗', 'status 403']],
    [429, ERROR, ['?', 'Try again later']],
    [503, '', ['?', 'Try again later']],
    [200, [], ['?', 'no card'], 404],
    [404, ERROR, ['?', 'no card'], 404],
    [200, others, ['✗', 'was not asked for'], 404],
  ])('to a list of one card: %i %j', async (status, body, [sign, says = ''], ofLookup = 200) => {
    cardService.script({ status: ofLookup, body: ofLookup === 200 ? CARD : ERROR, path: /base1-4\?/ });
    cardService.script({ status, body, path: '?ids=' });
    const found = await objections({ CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' });
    const line = expect.stringMatching(`^\\${sign} bulk requests: .*${says}`);
    expect(found.slice(ofLookup === 200 ? 0 : 1)).toEqual(sign ? [line] : []);
    if (sign === '✗') expect(found.at(-1)).toContain('Check CARD_SERVICE_BULK_PATH');
  });

  const PACE = { CARD_SERVICE_REQUESTS_PER_MINUTE: '5', CARD_SERVICE_BURST: '5' };
  it.each<[plan: string, limit: string | undefined, says: string, Env?]>([
    ['auto', '1000', '✓ plan: free: 1,000 requests a day'],
    ['pro', '50000', '✓ plan: pro: 50,000 requests a day'],
    ['pro', '1000', '✗ plan: It allows 1,000 requests a day, which is the plan free, and CARD_SERVICE_PLAN is pro.'],
    ['free', '70', '✗ plan: It allows 70 requests a day, and CARD_SERVICE_PLAN is free.'],
    ['auto', '70', 'CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST'],
    ['auto', '70', '✓ plan: auto: 70 requests a day', PACE],
    ['enterprise', '70', '✓ plan: enterprise: 70', PACE],
    ['auto', undefined, '✗ plan: It does not say how many requests a day it allows. Set CARD_SERVICE_PLAN'],
    ['free', undefined, '✓ plan: free'],
  ])('of a plan %s with a daily limit of %s: %s', async (plan, limit, says, pace = {}) => {
    const none = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': undefined };
    cardService.script({ body: CARD, headers: none });
    const { code, out } = await doctor({ CARD_SERVICE_PLAN: plan, ...pace });
    expect(out).toContain(says);
    expect(code).toBe(says.startsWith('✓') ? 0 : 1);
  });
});

describe('a Redis', () => {
  it('that is not there, or never answers, is named', async () => {
    const silent = await portOf(createServer((socket) => void socket.on('error', () => {}).resume()));
    for (const port of [10_901, silent])
      expect(await objections({ REDIS_URL: `redis://127.0.0.1:${port}` })).toEqual([
        expect.stringMatching(`^✗ Redis: 127.0.0.1:${port} .*Check REDIS_URL`),
      ]);
  });

  it.skipIf(noRealRedis('Redis that refuses'))(
    'that refuses INFO may or may not keep replies, and one that refuses the password is named',
    async () => {
      const { url, command } = await startRealRedis();
      await command('ACL', 'SETUSER', 'bot', 'on', '>password', '~*', '+@all', '-info');
      const as = (user: string) => objections({ REDIS_URL: url.replace('//', `//${user}@`) });
      expect(await as('bot:password')).toEqual([expect.stringMatching(/^\? Redis settings: .*appendonly/)]);
      expect(await as('bot:another-one')).toEqual([expect.stringMatching(/^✗ Redis: .*WRONGPASS.*Check REDIS_URL/)]);
    },
  );
});

describe('HTTP_PORT and HTTP_HOST', () => {
  it('are right where the port is free, or this bot serves it', async () => {
    const { DISCORD_TOKEN = '' } = right;
    const id = Buffer.from(DISCORD_TOKEN.split('.')[0] ?? '', 'base64url').toString();
    const says = async (headers: OutgoingHttpHeaders) => {
      const { port } = await answering(200, '{}', headers);
      return await objections({ HTTP_PORT: String(port) }, ['--offline']);
    };
    expect(await says({ 'X-Application-Id': id })).toEqual([]);
    const other = [expect.stringMatching(/^✗ HTTP_PORT: Another program or bot uses 127/)];
    expect(await says({ 'X-Application-Id': '8' })).toEqual(other);
    expect(await says({})).toEqual(other);
    const elsewhere = { HTTP_HOST: '192.0.2.1', HTTP_PORT: '9464' };
    expect(await objections(elsewhere, ['--offline'])).toEqual([
      expect.stringContaining('✗ HTTP_HOST: 192.0.2.1 is no'),
    ]);
  });
});

it.each([
  [200, '{"id":"1180000000000000009","type":1}', ''],
  [200, '<html>', '✗'],
  [400, '{}', '✗'],
  [405, '', '✗'],
  [404, '{}', '✗'],
  [401, '{}', '✗'],
  [302, '', '✗'],
  [429, '{}', '?'],
  [408, '', '?'],
  [503, '<html>', '?'],
])('a webhook that answers %i %j: %s, and nothing is written to it', async (status, body, sign) => {
  const { port, methods } = await answering(status, body);
  const found = await objections({ ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}${WEBHOOK}` });
  expect(found).toEqual(sign ? [expect.stringMatching(`^\\${sign} alerts: .*ALERT_WEBHOOK_URL`)] : []);
  expect(methods).toEqual(['GET']);
});

/** Tries a description as an operator would in the folder of its file; it is the configured one unless `env` says otherwise. */
async function tryOwn(
  args: readonly string[] = [],
  changes: object = {},
  env: Env = {},
  ask?: (question: string) => Promise<string>,
) {
  const own = await startOwnService(changes);
  const outside = { env: { CARD_SERVICE: own.path, ...own.env, ...env }, folder: own.folder, ...(ask && { ask }) };
  return { ...(await run(['doctor', '--service', './mine.json', ...args], outside)), asked: own.asked };
}

const ID = ['--id', '7'];
const FIELDS = { id: 'number', name: 'title' };
const ROWS = { rows: 'offers.*', market: 'usd' };

describe('npm run doctor -- --service FILE', () => {
  it('shows what each field became, and from which path, and whether a missing card is known as one', async () => {
    const { code, out, err, asked } = await tryOwn(ID);
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
    ['prices.market', '$12.50', { prices: { ...ROWS, market: '=$12.50' } }],
    ['prices.market', '0', { prices: { ...ROWS, market: '=0' } }],
    ['prices.low', '17,513.22', { prices: { ...ROWS, low: '=17,513.22' } }],
    ['prices.currency', 'dollars', { prices: { ...ROWS, currency: '=dollars' } }],
    ['quota.day.limit', 'unlimited', { quota: [{ per: 'day', limit: '=unlimited' }] }],
    ['quota.day.reset', 'tomorrow', { quota: [{ per: 'day', reset: '=tomorrow' }] }],
  ])('does not tick %s for %j, which the bot cannot show', async (check, text, changes) => {
    const { code, out } = await tryOwn(ID, changes);
    expect(code).toBe(0);
    expect(out).toContain(`\n? ${check}: the bot cannot use ${text}, from =${text}`);
  });

  it('shows figures as the bot reads them, of the row whose price it shows', async () => {
    const rows = ['offers[kind=gold]', 'offers.*'];
    const prices = { ...ROWS, rows, low: ['least', '=09.50'], currency: '=eur' };
    const quota = [{ per: 'day', limit: '=0100', remaining: '=200', reset: '=60' }];
    const { out } = await tryOwn(ID, { prices, quota });
    expect(out.split('\n').filter((line) => /prices|quota/.test(line))).toEqual([
      '✓ prices.market: 36.33, from usd in offers.*',
      '✓ prices.low: 9.5, from =09.50 in offers.*',
      '✓ prices.currency: EUR, from =eur in offers.*',
      '✓ quota.day.limit: 100, from =0100',
      '✓ quota.day.remaining: 100, from =200',
      '✓ quota.day.reset: in 60 s, from =60',
    ]);
  });

  it('costs one request without a card, and says that none was found', async () => {
    const { code, out, asked } = await tryOwn();
    expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=99999999'] });
    expect(out).toMatch(/\n\? card service: .* Name one that it has \(--id ID\)/);
  });

  it('sends nothing with --offline, and names what does not fit', async () => {
    expect(await tryOwn(['--offline'])).toMatchObject({ code: 0, out: '✓ description: Hearthside\n', asked: [] });
    const wrong = await tryOwn([], { fields: { id: 'number' }, colour: 1 });
    expect(wrong).toMatchObject({ code: 1, out: '', asked: [] });
    expect(wrong.err).toMatch(/mine\.json: fields\.name: expected a path/);
    expect(wrong.err).toContain('mine.json: colour: unknown key');
    expect(await run(['doctor', '--service', 'scryfal'])).toMatchObject({ code: 1, out: '' });
  });

  it.each([
    [{ card: { path: '/items?number={id}', at: 'rows' } }, '? card.at: nothing in the answer at "rows"'],
    [{ fields: { id: 'number', name: 'label' } }, '? fields.name: nothing in the answer at "label"'],
    [{ url: NOWHERE }, '`url`'],
  ])('names what is wrong with the description for %j', async (changes, says) => {
    const { code, out } = await tryOwn(ID, changes);
    expect(code).toBe(1);
    expect(out).toContain(says);
    expect(out).toContain('in the description of Hearthside');
    expect(out).not.toContain('CARD_SERVICE_');
  });

  it('sends a key to a service that CARD_SERVICE does not name after a question, or with --yes', async () => {
    const other = { CARD_SERVICE: 'tcgapi' };
    const questions: string[] = [];
    const answers = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    const unasked = await tryOwn(ID, {}, other);
    expect(unasked).toMatchObject({ code: 1, out: '', asked: [] });
    expect(unasked.err).toMatch(/^This asks .*with your key .* Add --yes to go ahead\.\n$/);
    expect(await tryOwn(ID, {}, other, answers('no'))).toMatchObject({ code: 1, out: '', asked: [] });
    expect(questions).toEqual([expect.stringMatching(/with your key .* Type yes to go ahead: $/)]);
    expect((await tryOwn(ID, {}, other, answers('yes'))).asked).toHaveLength(2);
    expect((await tryOwn([...ID, '--yes'], {}, other)).asked).toHaveLength(2);
    const team = { key: false, headers: { 'X-Team': '$CARD_SERVICE_TEAM' } };
    const keyless = { CARD_SERVICE: '', CARD_SERVICE_API_KEY: '' };
    expect(await tryOwn([], team, { ...keyless, CARD_SERVICE_TEAM: 'team' })).toMatchObject({ code: 1, asked: [] });
    expect((await tryOwn([], { key: false }, keyless)).asked).toHaveLength(1);
  });

  it('names a wrong key, and prints none', async () => {
    const { code, out, err } = await tryOwn(ID, {}, { CARD_SERVICE_API_KEY: 'refused-key' });
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
