import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { listen } from '../../sandbox/listen.ts';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { onFinished } from '../support/on-finished.ts';
import { startOwnService } from '../support/own-service.ts';
import { noRealRedis, startRealRedis, startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { table } from '../table.ts';
import { run } from './run.ts';

// The card service is the webhook and the bot that runs, too. The tests together send more than the burst of one plan.
const {
  discord,
  cardService,
  env: right,
} = await startBackends({ burst: 1_000 }, { CARD_SERVICE_BURST: '', MEMBER_DAILY_REQUESTS: '' });
const silent = createServer().on('clientError', () => {}); // otherwise it answers what is not HTTP
const mail = createServer().on('connection', (socket) => socket.end('220 mail\r\n'));
onFinished(() => silent.close() && mail.close());
const SILENT = `REDIS_URL=redis://127.0.0.1:${await listen(silent, 0)}`;
const MAIL = `http://127.0.0.1:${await listen(mail, 0)}`;
const SERVED = `HTTP_PORT=${new URL(cardService.url).port}`;
const ALERTS = `ALERT_WEBHOOK_URL=${cardService.url}/webhooks/1180000000000000009/token`;
const NOWHERE = 'http://127.0.0.1:10901';
const LIST = 'CARD_SERVICE_BULK_PATH=/cards?ids={ids}';
const PACE = 'CARD_SERVICE_REQUESTS_PER_MINUTE=5 CARD_SERVICE_BURST=5';

/** The requests of Discord that may be answered; before its servers the application is asked for. */
const ROUTES: NodeJS.Dict<'any' | 'gateway/bot'> = { application: 'any', servers: 'any', gateway: 'gateway/bot' };
const PATHS: NodeJS.Dict<string | RegExp> = { lookup: /base1-4\?/, list: '?ids=' };
const BODIES: NodeJS.Dict<string> = {
  error: '{"_tag":"CardNotFound","message":"no"}',
  card: '{"id":"base1-4","name":"A","tcg":"T","set":{"id":"s","name":"S"}}',
  other: '[{"id":"b","name":"A","tcg":"T","set":{"id":"s","name":"S"}}]',
};
/** What each answer of Discord has, unless it says otherwise. */
const DISCORD = {
  ...{ id: discord.applicationId, name: 'Cards', url: 'ws://127.0.0.1:10901', shards: 3, code: 0, message: '' },
  session_start_limit: { remaining: 1_000, reset_after: 0 },
};

/** @param text a body or the name of one, and the limit of the day */
function dictate(place: string, status: number, text: string): void {
  const route = ROUTES[place];
  if (route) {
    const body = /^["[]/.test(text) ? JSON.parse(text) : { ...DISCORD, ...JSON.parse(text || '{}') };
    if (place === 'servers') discord.faults.script({ route });
    discord.faults.script({ route, answer: { status, body }, times: status === 503 ? 2 : 1 }); // that is tried again
    return;
  }
  const [body = '', limit] = text.split(/(?<=^card)/);
  const headers = {
    location: 'https://elsewhere.test/',
    'x-application-id': body === 'ours' ? discord.applicationId : '8',
    ...(limit && { 'x-ratelimit-limit': limit.replace('none', ''), 'x-ratelimit-remaining': undefined }),
  };
  cardService.script({ status, body: BODIES[body] ?? body, headers, path: PATHS[place] ?? place });
}

/**
 * @param situation flags, variables that differ from the right ones, those in `.env` behind a dot, and what is answered
 *   where: `place:status:body`
 *
 * @returns `said`: the lines that do not say that something is right. Only ✗ is a failure
 */
async function doctor(situation = '', outside: Parameters<typeof run>[1] = {}) {
  const words = situation.split(' ');
  const variables = (named: RegExp) => parseEnv(words.flatMap((word) => named.exec(word)?.[1] ?? []).join('\n'));
  for (const [, place = '', status, body = ''] of situation.matchAll(/(?<=^| )([a-z/]+):(\d+):?(\S*)/g))
    dictate(place, Number(status), body);
  const args = words.filter((word) => word.startsWith('--'));
  const envFile = variables(/^\.(.*)/);
  const before = cardService.counts.total;
  const env = { ...(outside.env ?? right), ...envFile, ...variables(/^([A-Z_]+=.*)/) };
  const { code, out, err } = await run(['doctor', ...args], { envFile, ...outside, env });
  const said = out.split('\n').filter((each) => !/^(✓|$)/.test(each));
  if (!args.includes('--json') && !outside.env) expect(code).toBe(said.some((each) => each.startsWith('✗')) ? 1 : 0);
  return { code, err, out, said, requests: cardService.counts.total - before };
}

const says = (...lines: string[]) => lines.map((line) => expect.stringMatching(`^${line.replace(/^\?/, '\\?')}`));

it('finds everything right for one request, which it announces, and two with a list', async () => {
  const { url, prefix } = await startRedis();
  const { out, said, err, requests } = await doctor(`HTTP_PORT=0 REDIS_URL=${url} REDIS_KEY_PREFIX=${prefix}`);
  expect(said.filter((line) => !line.includes('Set appendonly'))).toEqual([]);
  const checks = ['settings', 'data directory', 'names', 'Discord token', 'invite', 'commands', 'gateway'];
  expect(out.match(/(?<=^. )[^:\n]+/gm)).toEqual([...checks, 'card service', 'plan', 'Redis']);
  expect([requests, err]).toEqual([1, expect.stringContaining('costs 1 of today')]);
  const listed = await doctor(LIST);
  expect(listed.out).toContain('✓ bulk requests: it lists the card');
  expect([listed.requests, listed.err]).toEqual([2, expect.stringContaining('costs 2 of today')]);
});

it('prints JSON for programs', async () => {
  const { code, out } = await doctor('--json --offline LOG_LEVEL=loud CARD_SERVICE=scryfall CARD_SERVICE_API_KEY=');
  const names = expect.stringMatching(/^The bot knows no card by name yet.* Run: npm run catalog -- fetch/);
  expect([code, JSON.parse(out)]).toEqual([
    1,
    [
      { check: 'LOG_LEVEL', ok: false, cure: expect.stringContaining('write one of') },
      { check: 'data directory', ok: true, cure: right.DATA_DIR },
      { check: 'names', ok: true, cure: names },
    ],
  ]);
});

/** As a process, whose `.env` is the one of that folder. */
const startIn = (cwd: string, env: Record<string, string>, ...flags: string[]) =>
  startProgram([process.execPath, resolve('src/cli/main.ts'), 'doctor', ...flags], { cwd, env });

it('.env is read as Node reads it, may be nobody else’s, and loses to the environment, which is no fault', async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, '.env'),
    '# comment\nLOG_LEVEL="info" # quoted\nREDIS_URL=\nCARD_LIMIT=3\nPRICE_CURRENCY=EUR',
    { mode: 0o640 },
  );
  const { ended, output } = startIn(cwd, { ...right, LOG_LEVEL: 'warn' }, '--offline');
  expect(await ended).toBe(1);
  const lines = says('✗ CARD_LIMIT', '✓ LOG_LEVEL: .*the environment wins', '✗ .env: .* Run: chmod go-rwx .env');
  expect(output().split('\n').slice(0, 3)).toEqual(lines);
});

it('.env that cannot be read is one sentence', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.env'));
  const { ended, output } = startIn(cwd, right, '--offline');
  expect([await ended, output()]).toEqual([1, expect.stringMatching(/^\.env cannot be read\. Make it a file .*\n$/)]);
});

it('a gateway that refuses connections is a finding, and not the end', async () => {
  dictate('gateway', 200, '');
  const { ended, output } = startIn(temporaryFolder(), right);
  expect([await ended, output()]).toEqual([
    1,
    expect.stringMatching(/✗ gateway: .* does not answer.*\n[✓✗] card service/),
  ]);
});

it('rights of others are named, of the data directory and its files, and another owner is right for root', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'x.sqlite');
  const said = async () => (await doctor(`--offline DATA_DIR=${folder}`)).said;
  writeFileSync(file, '', { mode: 0o640 });
  chmodSync(folder, 0o777);
  expect(await said()).toEqual(says('✗ data directory: .*Run: chmod go-rwx', '✗ x.sqlite: .*Run: chmod go-rwx'));
  chmodSync(folder, 0o755);
  chmodSync(file, 0o600);
  if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534);
  expect(await said()).toEqual([]);
});

const FOLDER = temporaryFolder();
writeFileSync(join(FOLDER, 'file'), '');

// With --offline nobody is asked anything, nor where a setting is faulty that this needs.
it.each(table`
  --offline DISCORD_API_URL=${NOWHERE} REDIS_URL=redis://127.0.0.1:10901 |
  CARD_SERVICE_URL=cards.test | ✗ CARD_SERVICE_URL
  --offline DATA_DIR=${FOLDER}/new/deep |
  --offline DATA_DIR=${FOLDER}/file | ✗ data directory: .*Set DATA_DIR to a folder
  --offline DATA_DIR=${FOLDER}/file/deep | ✗ data directory: .*Set DATA_DIR to a folder
  --offline DISCORD_TOKEN= | ✗ DISCORD_TOKEN: missing; write the bot token
  --offline DISCORD_TOKEN=none | ✗ DISCORD_TOKEN: It does not look like a bot token
  --offline LOGLEVEL=k | ✗ LOGLEVEL: Nothing reads it. Did you mean LOG_LEVEL
  --offline .CARD_LIMIT=3 | ✗ CARD_LIMIT: Nothing reads it. Remove it
  --offline REDIS_KEY_PREFIX=mine | ✗ REDIS_KEY_PREFIX: It has no effect without REDIS_URL
  --offline KEEP_SECONDS=60 | ✗ KEEP_SECONDS: Cards are dropped
  --offline KEEP_SECONDS=9000 PRICES_FRESH_SECONDS=9000 FACTS_FRESH_SECONDS=9000 |
  --offline PRICES_FRESH_SECONDS=700000 | ✗ PRICES_FRESH_SECONDS: Prices count as
  --offline GUILD_DAILY_REQUESTS=5 MEMBER_DAILY_REQUESTS=6 | ✗ MEMBER_DAILY_REQUESTS: One member
  --offline CARD_SERVICE_API_KEY=short | ✗ a secret: One of fewer than 8 characters
  --offline CARD_SERVICE_PLAN=free CARD_SERVICE_REQUESTS_PER_MINUTE=11 | ✗ CARD_SERVICE_REQUESTS_PER_MINUTE: The plan free allows 10
  --offline CARD_SERVICE_PLAN=pro CARD_SERVICE_BURST=201 | ✗ CARD_SERVICE_BURST: The plan pro allows 200
  --offline PATH=/bin KUBERNETES_PORT=1 CARD_SERVICE_REQUESTS_PER_MINUTE=600 .NODE_OPTIONS= .COMPOSE_PROJECT= |
  --offline HTTP_HOST=192.0.2.1 HTTP_PORT=9464 | ✗ HTTP_PORT: .*EADDRNOTAVAIL.*HTTP_HOST
  DISCORD_TOKEN=secret.bot.token CARD_SERVICE_API_KEY=secret-key REDIS_URL=redis://:secret-pw@127.0.0.1:10901 ALERT_WEBHOOK_URL=${NOWHERE}/webhooks/1/secret-webhook-012345 | ✗ Discord;✗ API key;✗ Redis;✗ alerts
  DISCORD_TOKEN=refused.bot.token | ✗ Discord: Discord refuses the token.*DISCORD_TOKEN
  DISCORD_API_URL=${NOWHERE}/api | ✗ Discord: Can't reach Discord at.*DISCORD_API_URL
  DISCORD_API_URL=${MAIL}/api | ✗ Discord: Can't reach Discord at.*DISCORD_API_URL
  application:200:{"interactions_endpoint_url":"https://old"} | ✗ application: .* to https://old
  application:200:{"bot_require_code_grant":true} | ✗ application: .* Code Grant
  application:200:{"integration_types_config":{"0":{}}} | ✗ application: Members cannot
  application:200:"<html>" | ✗ Discord: What answers at .* isn.t Discord
  application:503 | ✗ Discord: Discord has a problem of its own
  servers:503 | ? Discord: Discord has a problem of its own
  servers:401 | ✗ Discord: Discord refuses the token
  servers:200:[] | ✗ invite: The bot is in no server.*client_id=
  USER_INSTALL_DAILY_REQUESTS=0 | ✗ commands: .*/card.*npm run commands -- register$
  gateway:200:{"session_start_limit":{"remaining":0,"reset_after":0}} | ✗ gateway: Discord's daily login limit is reached
  gateway:200 | ✗ gateway: .* does not answer
  gateway:200 DISCORD_SHARDS=0 DISCORD_SHARD_COUNT=2 | ✗ gateway: Discord recommends 3.*DISCORD_SHARD_COUNT
  CARD_SERVICE_URL=${NOWHERE} | ✗ card service: 127.0.0.1:10901 .*ECONNREFUSED.* Check CARD_SERVICE_URL
  CARD_SERVICE_CARD_PATH=/wrong/{id} | ? card service: .*CARD_SERVICE_CARD_PATH
  CARD_SERVICE_CARD_PATH=/wrong/{id} CARD_SERVICE_API_KEY=refused-key | ✗ API key: .*401.*CARD_SERVICE_API_KEY
  lookup:404:error | ? card service: It says that it has no card base1-4. .*--id ID.*CARD_SERVICE_URL.*cards/base1-4
  lookup:429 | ? card service: .*429
  lookup:200:<html> | ✗ card service: .*/cards/{id} .*the body is not JSON.* Check CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH
  lookup:302 | ✗ card service: .*a redirect to https://elsewhere.test/
  lookup:401:error CARD_SERVICE_API_KEY= | ✗ API key: .*401.*CARD_SERVICE_API_KEY
  list:200:{"base1-4":{"name":"A","tcg":"T","set":{"id":"s","name":"S"}}} ${LIST} | ✓ bulk requests
  list:200:other ${LIST} | ✗ bulk requests: .*others.*Check CARD_SERVICE_BULK_PATH
  list:200:{"data":[],"error":"no"} ${LIST} | ✗ bulk requests: .*leaves it out.*Check CARD_SERVICE_BULK_PATH
  list:200:<html> ${LIST} | ✗ bulk requests: .*no list of cards.*Check CARD_SERVICE_BULK_PATH
  list:405:error ${LIST} | ✗ bulk requests: .*status 405.*Check CARD_SERVICE_BULK_PATH
  list:503 ${LIST} | ? bulk requests: .*try again later
  lookup:404:error list:200:[] ${LIST} | ? card service: .*no card;? bulk requests: .*CARD_SERVICE_BULK_PATH
  lookup:404:error list:404:error ${LIST} | ? card service: .*no card;? bulk requests: .*CARD_SERVICE_BULK_PATH
  lookup:404:error list:200:other ${LIST} | ? card service: .*no card;✗ bulk requests: .*others
  lookup:200:card1000 CARD_SERVICE_PLAN=auto | ✓ plan: free: 1,000 requests a day
  lookup:200:card50000 CARD_SERVICE_PLAN=pro | ✓ plan: pro: 50,000 requests a day
  lookup:200:cardnone CARD_SERVICE_PLAN=free | ✓ plan: free
  lookup:200:card1000 CARD_SERVICE_PLAN=pro | ✗ plan: It allows 1,000 .*CARD_SERVICE_PLAN is pro. Write free
  lookup:200:card70 CARD_SERVICE_PLAN=free | ✗ plan: It allows 70 .*CARD_SERVICE_PLAN is free. Write the one that you have
  lookup:200:card70 CARD_SERVICE_PLAN=auto | ✗ plan: It allows 70 .* CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST
  lookup:200:card70 CARD_SERVICE_PLAN=auto ${PACE} | ✓ plan: auto: 70 requests a day
  lookup:200:card70 CARD_SERVICE_PLAN=enterprise ${PACE} | ✓ plan: enterprise: 70
  lookup:200:cardnone CARD_SERVICE_PLAN=auto | ✗ plan: It allows an unstated number .*CARD_SERVICE_PLAN is auto
  REDIS_URL=redis://127.0.0.1:10901 | ✗ Redis: 127.0.0.1:10901 .*ECONNREFUSED.*Check REDIS_URL
  ${SILENT} | ✗ Redis: .*Check REDIS_URL
  /webhooks/:200:{"id":"1180000000000000009","type":1} ${ALERTS} | ✓ alerts
  /webhooks/:200:<html> ${ALERTS} | ✗ alerts: .*ALERT_WEBHOOK_URL
  /webhooks/:302 ${ALERTS} | ✗ alerts: .*ALERT_WEBHOOK_URL
  /webhooks/:408 ${ALERTS} | ? alerts: .*ALERT_WEBHOOK_URL
  /webhooks/:429:{} ${ALERTS} | ? alerts: .*ALERT_WEBHOOK_URL
  /webhooks/:503:<html> ${ALERTS} | ? alerts: .*ALERT_WEBHOOK_URL
  ALERT_WEBHOOK_URL=${NOWHERE}/webhooks/1/token | ✗ alerts: .*ECONNREFUSED.*ALERT_WEBHOOK_URL
  /readyz:200:ours ${SERVED} | ✓ HTTP_PORT
  /readyz:200 ${SERVED} | ✗ HTTP_PORT: .*EADDRINUSE
`)('where %s: %s', async (situation, lines = '') => {
  const { out, err, said, requests } = await doctor(situation);
  expect(out + err).not.toContain('secret-');
  if (/^--offline|^CARD_SERVICE_URL=cards/.test(situation ?? '')) expect([requests, err]).toEqual([0, '']);
  expect(readdirSync(FOLDER)).toEqual(['file']);
  const expected = lines.split(/;(?=[✓✗?])/).filter(Boolean);
  expect(out.split('\n')).toEqual(expect.arrayContaining(says(...expected)));
  expect(said).toHaveLength(expected.filter((line) => !line.startsWith('✓')).length);
  expect(cardService.requests.every(({ method }) => method === 'GET')).toBe(true);
});

it.each(table`
  lookup:403:<html> | card service
  lookup:429 | card service
  lookup:503:<html> | card service
  CARD_SERVICE_URL=${NOWHERE} | card service
  list:403:<html> ${LIST} | bulk requests
  list:429 ${LIST} | bulk requests
  lookup:404:<html> |
  lookup:401:error |
  lookup:200:<html> |
  list:405:error ${LIST} |
`)('--json says of what there was no answer where %s: %s', async (situation, checks) => {
  const { out } = await doctor(`--json ${situation}`);
  const findings: { check: string; noAnswer?: true }[] = JSON.parse(out);
  expect(findings.flatMap(({ check, noAnswer }) => (noAnswer ? check : [])).join()).toBe(checks);
});

it('commands that a server has twice are named', async () => {
  const ofGuild = ['--guild', discord.guilds[0]?.id ?? ''];
  await run(['commands', 'register', ...ofGuild], { env: right });
  expect((await doctor()).said).toEqual(says(`✗ commands: .*/card.* twice.*clear ${ofGuild.join(' ')}$`));
  await run(['commands', 'clear', ...ofGuild], { env: right });
});

it.skipIf(noRealRedis('Redis that refuses'))(
  'a Redis that refuses INFO may keep replies, or the password',
  async () => {
    const { url, command } = await startRealRedis();
    await command('ACL', 'SETUSER', 'bot', 'on', '>password', '~*', '+@all', '-info');
    const as = async (user: string) => (await doctor(`REDIS_URL=${url.replace('//', `//${user}@`)}`)).said;
    expect(await as('bot:password')).toEqual(says('? Redis: .*appendonly'));
    await command('ACL', 'SETUSER', 'reader', 'on', '>password', '~*', '+@all', '-set');
    expect(await as('reader:password')).toEqual(says('✗ Redis: .*NOPERM.*Check REDIS_URL'));
    expect(await as('bot:another-one')).toEqual(says('✗ Redis: .*WRONGPASS.*Check REDIS_URL'));
  },
);

/** As an operator would in the folder of the description's file, which is the configured one unless `situation` says otherwise. */
async function tryOwn(situation: string, description = '{}', answer = '') {
  const { asked, env, folder, path } = await startOwnService(JSON.parse(description));
  const outside = { env: { CARD_SERVICE: path, ...env }, folder, ...(answer && { ask: async () => answer }) };
  return { ...(await doctor(`--service=./mine.json ${situation}`, outside)), asked };
}

it('shows of a described service what each field became, and from where, and whether a missing card is known as one', async () => {
  const { code, out, err, asked } = await tryOwn('--id=7');
  expect({ code, asked }).toEqual({ code: 0, asked: ['/items?number=7', '/items?number=99999999'] });
  expect(err).toContain("which costs 2 of today's requests");
  expect(out.trimEnd().split('\n')).toEqual([
    '✓ description: Hearthside',
    '✓ card service: it answers with a card',
    '✓ fields.id: 7, from number',
    '✓ fields.name: Emberwing  Drake, from title',
    '✓ fields.rarity: rare, from grade or tier',
    '? fields.imageUrl: nothing that the bot can show, from picture',
    '✓ prices.market: 36.33, from usd',
    '✓ quota.day.limit: 120, from header:X-Day-Limit',
    '? quota.day.remaining: nothing that the bot can show, from header:X-Day-Left',
    '? prices.rows.0: nothing that the bot can show, from offers[kind=foil]',
    '? prices.rows.0.market: nothing that the bot can show, from usd',
    '✓ prices.rows.1: plain, from offers.*',
    '✓ prices.rows.1.market: 36.33, from usd',
    '✓ missing card: it answers, and has no card 99999999',
  ]);
});

const ANOTHER = 'CARD_SERVICE=tcgapi';
it.each(table`
  --id=7 | {"fields":{"id":"number","name":"title","imageUrl":"=javascript:alert(1)"}} | | 0 2 | ? fields.imageUrl: nothing
  --id=7 | {"fields":{"id":"number","name":"title","backImageUrl":"=/back.png"}} | | 0 2 | ? fields.backImageUrl: nothing
  --id=7 | {"fields":{"id":"number","name":"title","pageUrl":"=http://127.0.0.1/7"}} | | 0 2 | ? fields.pageUrl: nothing
  --id=7 | {"prices":{"rows":"offers.*","market":"=$12.50"}} | | 0 2 | ? prices.market: Invalid input
  --id=7 | {"prices":{"rows":"offers.*","market":"usd","currency":"=dollars"}} | | 0 2 | ? prices.currency: nothing
  --id=7 | {"prices":{"rows":"offers.*","market":"usd","currency":"=eur"}} | | 0 2 | ✓ prices.currency: EUR, from =eur
  --id=7 | {"quota":[{"per":"day","reset":"=tomorrow"}]} | | 0 2 | ? quota.day.reset: nothing
  --id=7 | {"quota":[{"per":"day","reset":"=60"}]} | | 0 2 | ✓ quota.day.reset: in 60 s
  --id=7 | {"card":{"path":"/items?number=7&{id}","at":"items.0","anySpelling":true}} | | 0 2 | ? missing card: It answers with a card
  --id=7 | {"list":{"path":"/items?number={ids}","at":"items"}} | | 1 3 | ✗ bulk requests: .*leaves it out
  --id=7 | {"card":{"path":"/items?number={id}","at":"rows"}} | | 1 1 | ? card.at: nothing in the answer at "rows"
  --id=7 | {"fields":{"id":"number","name":"label"}} | | 1 1 | ? fields.name: nothing in the answer at "label"
  --id=7 | {"url":"http://127.0.0.1:10901"} | | 1 0 | Check .url., .* in the description of Hearthside
  --id=7 CARD_SERVICE_API_KEY=refused-key | {} | | 1 1 | ✗ API key: .*CARD_SERVICE_API_KEY
  | {} | | 0 1 | ? card service: .*--id ID
  --offline | {} | | 0 0 | ✓ description: Hearthside
  | {"fields":{"id":"number"}} | | 1 0 | mine.json: fields.name: expected a path
  --id=7 ${ANOTHER} | {} | | 1 0 | This asks .*with your key .* Add --yes to go ahead
  --id=7 ${ANOTHER} | {} | no | 1 0 | Nothing more was sent
  --id=7 ${ANOTHER} | {} | yes | 0 2 | ✓ card service
  --id=7 --yes ${ANOTHER} | {} | | 0 2 | ✓ card service
  ${ANOTHER} CARD_SERVICE_API_KEY= CARD_SERVICE_TEAM=a | {"key":false,"headers":{"X-Team":"$CARD_SERVICE_TEAM"}} | | 1 0 | with your key
  ${ANOTHER} CARD_SERVICE_API_KEY= | {"key":false} | | 1 1 | ✗ API key
`)('--service with %s, %s and the answer %s', async (situation = '', description, answer, counts, words = '') => {
  const { code, out, err, asked } = await tryOwn(situation, description, answer);
  expect([`${code} ${asked.length}`, out + err]).toEqual([counts, expect.stringMatching(words.replace(/^\?/, '\\?'))]);
  expect(out).not.toMatch(/CARD_SERVICE_(URL|.*PATH)|own-key|refused-key/);
});

it('--service is not needed for that of the bot, of which a card is tried that members find by name', async () => {
  const team = { headers: { 'X-Team': '$CARD_SERVICE_TEAM' } };
  const { env, folder, path, asked } = await startOwnService(team);
  const bot = { ...right, CARD_SERVICE_URL: '', ...env, CARD_SERVICE: path, CARD_SERVICE_TEAM: 'any-other-team' };
  const named = async (rows: string, ...flags: string[]) => {
    await run(['catalog', 'import', '-'], { env: bot, folder, stdin: `id,name\nbase1-4,Wax Golem\n${rows}` });
    return (await run(['doctor', ...flags], { env: bot, envFile: bot, folder })).out;
  };
  expect(await named('', '--offline')).toContain('✗ names: `card.ids` in the description takes no id such as base1-4.');
  const out = await named('7,Drake\n');
  expect(out).toContain('✓ card service: it answers with a card\n✓ plan: auto: 120 requests a day');
  expect(out).not.toMatch(/names|Nothing reads it/);
  expect(asked).toEqual(['/items?number=7', '/items?number=99999999']);
});
