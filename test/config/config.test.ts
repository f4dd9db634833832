import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { readConfig, readRegistrationConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/variables.ts';
import { table } from '../table.ts';

const REQUIRED = { DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test' };

/** The lines that name problems. */
function problems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return String((error as ConfigError).message)
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

it('readConfig requires two variables and has a default for every other', () => {
  expect(readConfig(REQUIRED)).toMatchObject({
    discord: { token: 'a.b.c', apiUrl: 'https://discord.com/api', shards: 'auto', hasUserInstall: true },
    cardService: {
      baseUrl: 'https://cards.test',
      apiKey: undefined,
      description: { name: 'Card service', card: { path: '/cards/{id}' }, list: undefined },
      timeoutMs: 10_000,
    },
    plan: { plan: 'auto', requestsPerMinute: undefined, burst: undefined },
    freshness: {
      factsFreshMs: 604_800_000,
      pricesFreshMs: 21_600_000,
      keepMs: 7_776_000_000,
    },
    budgets: { guildDaily: undefined, memberDaily: undefined, foreignDaily: undefined },
    longestWaitMs: 300_000,
    currency: undefined,
    dataDir: './data',
    redis: undefined,
    memberHistory: true,
    renewsWatched: true,
    logLevel: 'info',
  });
});

it('readConfig reads every variable', () => {
  const config = readConfig({
    ...REQUIRED,
    DISCORD_API_URL: 'http://127.0.0.1:4010/api/',
    CARD_SERVICE_URL: 'http://127.0.0.1:4020/base//',
    CARD_SERVICE_API_KEY: 'k"\\ey',
    CARD_SERVICE_CARD_PATH: '/v1/cards/{id}/full',
    CARD_SERVICE_BULK_PATH: 'POST /v1/cards/batch',
    CARD_SERVICE_PLAN: 'enterprise',
    CARD_SERVICE_REQUESTS_PER_MINUTE: '90.5',
    CARD_SERVICE_BURST: '30',
    CARD_SERVICE_TIMEOUT_MS: '2500',
    FACTS_FRESH_SECONDS: '4',
    PRICES_FRESH_SECONDS: '3',
    KEEP_SECONDS: '5',
    LONGEST_WAIT_SECONDS: '840',
    GUILD_DAILY_REQUESTS: '400',
    MEMBER_DAILY_REQUESTS: '0',
    USER_INSTALL_DAILY_REQUESTS: '0',
    PRICE_CURRENCY: 'EUR',
    DATA_DIR: '/var/lib/cardbot',
    LOG_LEVEL: 'debug',
  });
  expect(config).toMatchObject({
    discord: { apiUrl: 'http://127.0.0.1:4010/api', hasUserInstall: false },
    cardService: {
      baseUrl: 'http://127.0.0.1:4020/base',
      apiKey: 'k"\\ey',
      description: { card: { path: '/v1/cards/{id}/full' }, list: { path: 'POST /v1/cards/batch', max: 20 } },
      timeoutMs: 2_500,
    },
    plan: { plan: 'enterprise', requestsPerMinute: 90.5, burst: 30 },
    freshness: { factsFreshMs: 4_000, pricesFreshMs: 3_000, keepMs: 5_000 },
    budgets: { guildDaily: 400, memberDaily: 0, foreignDaily: 0 },
    ...{ longestWaitMs: 840_000, currency: 'EUR', dataDir: '/var/lib/cardbot', logLevel: 'debug' },
  });
});

it('readConfig treats an empty variable as unset, and ignores variables of other programs', () => {
  const empty = {
    CARD_SERVICE_API_KEY: '',
    CARD_SERVICE_BURST: ' ',
    REDIS_URL: '',
    DISCORD_SHARDS: '',
    DATA_DIR: '',
  };
  const read = (more: Record<string, string>) => JSON.stringify(readConfig({ ...REQUIRED, ...more }));
  expect(read({ ...empty, PATH: '/bin' })).toBe(read({}));
});

const REJECTED = table`
  ALERT_WEBHOOK_URL | https://discord.com/channels/1/2 | write the address of a Discord webhook
  CARD_PAGE_URL | shop.test/{id} ; ftp://shop.test/{id} ; https://shop.test/ ; https://shop.test/{set} ;
    https://{id}.test/ ; https://shop.test/{id ; https://shop.test/a b{id}
    | write an address that begins with https:// and holds {id}
  CARD_PAGE_URL | https://10.0.0.1/{id} | write the address of a host that anybody can reach
  CARD_PICTURES | yes | write one of: on, off
  CARD_SERVICE_API_KEY | ${REQUIRED.DISCORD_TOKEN} | is the same as DISCORD_TOKEN
  CARD_SERVICE_API_KEY | "key" | write it without quotes: docker --env-file
  CARD_SERVICE_API_KEY | two words ; schlüssel | write the key without spaces
  CARD_SERVICE_BULK_PATH | /cards ; /cards?ids={id} ; /cards/{ids}?ids={ids} ; PUT /cards/batch ; POST /cards/{ids}
    | write a path with {ids} in it
  CARD_SERVICE_BURST | -1 | write 1 or more
  CARD_SERVICE_BURST | 2.5 | write a whole number
  CARD_SERVICE_CARD_PATH | cards/{id} ; /cards ; /{id}/{id} ; /cards?id={id}
    | write a path that begins with / and holds {id} once
  CARD_SERVICE_PLAN | 'free' | write it without quotes: docker --env-file
  CARD_SERVICE_PLAN | gold | write one of: auto, free, pro, business, enterprise
  CARD_SERVICE_REQUESTS_PER_MINUTE | 0 | write 1 or more
  CARD_SERVICE_REQUESTS_PER_MINUTE | ten | write a number
  CARD_SERVICE_TIMEOUT_MS | 99 | write 100 or more
  CARD_SERVICE_TIMEOUT_MS | 120001 | write 120000 or less
  CARD_SERVICE_TIMEOUT_MS | 10 s | write a number of milliseconds
  CARD_SERVICE_URL | | missing; write an address that begins with https://
  CARD_SERVICE_URL | cards.test ; ftp://cards.test | write an address that begins with https://
  CARD_SERVICE_URL | https://me:pw@cards.test ; https://cards.test/?a=b ; https://cards.test/#a
    | write the address without user, password, ? and #
  DISCORD_API_URL | discord.com/api | write an address that begins with https://
  DISCORD_API_URL | https://discord.com/api/v10 | write the address without version
  DISCORD_SHARDS | all ; 0,-1 | write auto, or this process's shards, such as 0,1
  DISCORD_SHARD_COUNT | 0 | write 1 or more
  DISCORD_SHARD_COUNT | two | write how many shards there are on all machines
  DISCORD_TOKEN | | missing; write the bot token
  DISCORD_TOKEN | Bot abc | write the bot token alone
  FACTS_FRESH_SECONDS | 1 week | write a number of seconds
  GUILD_DAILY_REQUESTS | 0 | write 1 or more
  GUILD_DAILY_REQUESTS | 1.5 | write a whole number
  KEEP_SECONDS | 1e15 | write 3153600000 or less
  KEEP_SECONDS | NaN | write a number of seconds
  LOG_LEVEL | loud | write one of: trace, debug, info, warn, error, fatal, silent
  LONGEST_WAIT_SECONDS | 841 | write 840 or less
  LONGEST_WAIT_SECONDS | long | write a number of seconds
  MEMBER_DAILY_REQUESTS | -1 | write 0 or more
  MEMBER_DAILY_REQUESTS | all | write a number
  PRICES_FRESH_SECONDS | -1 | write 0 or more
  PRICES_FRESH_SECONDS | Infinity | write a number of seconds
  PRICE_CURRENCY | Euro ; ZZZ | write an ISO 4217 code in capitals, such as EUR
  REDIS_KEY_PREFIX | card bot | write letters, digits, and . : - _ only
  REDIS_URL | http://127.0.0.1 ; redis://127.0.0.1:port
    | write an address that begins with redis:// or rediss://, such as redis://
  REDIS_URL | redis://:50%off@127.0.0.1 ; redis://127.0.0.1/cards | write redis://:PASSWORD@HOST:PORT/NUMBER
`.flatMap(([name = '', values = '', advice = '']) => values.split(' ; ').map((value) => [name, value, advice]));

it.each([
  ...REJECTED,
  ['CARD_SERVICE_API_KEY', 'key\n', 'write the key without spaces and line breaks, also at its end'],
])('readConfig rejects %s=%s and says what to write', (name = '', value = '', advice = '') => {
  expect(problems({ ...REQUIRED, [name]: value })).toEqual([expect.stringContaining(`${name}: ${advice}`)]);
});

const BY_PLAN = 'is required for the plan enterprise';
const NEEDS_SHARDS = "needs DISCORD_SHARDS: write this process's shards there";
it.each(table`
  CARD_SERVICE_PLAN=enterprise
    | CARD_SERVICE_REQUESTS_PER_MINUTE: ${BY_PLAN} / CARD_SERVICE_BURST: ${BY_PLAN}
  CARD_SERVICE_PLAN=enterprise CARD_SERVICE_BURST=5 | CARD_SERVICE_REQUESTS_PER_MINUTE: ${BY_PLAN}
  CARD_SERVICE_PLAN=enterprise CARD_SERVICE_REQUESTS_PER_MINUTE=5 | CARD_SERVICE_BURST: ${BY_PLAN}
  CARD_SERVICE_PLAN=enterprise CARD_SERVICE_REQUESTS_PER_MINUTE=5 CARD_SERVICE_BURST=5 |
  DISCORD_SHARDS=0,1
    | DISCORD_SHARD_COUNT: is required with DISCORD_SHARDS: write how many shards there are on all machines
  DISCORD_SHARD_COUNT=2 | DISCORD_SHARD_COUNT: ${NEEDS_SHARDS}
  DISCORD_SHARDS=auto DISCORD_SHARD_COUNT=2 | DISCORD_SHARD_COUNT: ${NEEDS_SHARDS}
  DISCORD_SHARDS=0,2 DISCORD_SHARD_COUNT=2
    | DISCORD_SHARDS: shards are numbered from 0: with 2 of them, write numbers below that
`)('readConfig requires what a plan needs, and shards that fit their count: %s', (given = '', lines) => {
  const variables = parseEnv(given.replaceAll(' ', '\n'));
  expect(problems({ ...REQUIRED, ...variables }).join(' / ')).toBe(lines);
});

it('readConfig reads the shards of this process and the address of Redis', () => {
  const { discord, redis } = readConfig({
    ...REQUIRED,
    DISCORD_SHARDS: '2, 3,2',
    DISCORD_SHARD_COUNT: '4',
    REDIS_URL: 'rediss://:secret@redis.test:6380/1',
  });
  expect(discord.shards).toEqual({ ids: [2, 3], count: 4 });
  expect(redis).toEqual({ url: 'rediss://:secret@redis.test:6380/1', keyPrefix: 'cardbot' });
});

it('readConfig names the variable that was probably meant beside the missing one', () => {
  const found = problems({ CARD_SERVICE_URL: 'https://cards.test', DISCORD_TOKE: 'sesame' });
  expect(found).toEqual([
    expect.stringContaining('DISCORD_TOKEN: missing'),
    'DISCORD_TOKE: unknown; did you mean DISCORD_TOKEN?',
  ]);
});

it('readConfig names every problem at once, each once, and shows no value', () => {
  const found = problems({
    DISCORD_TOKEN: 'Bot sesame',
    CARD_SERVICE_API_KEY: 'open sesame',
    CARD_SERVICE_PLAN: 'enterprise',
    CARD_SERVICE_REQUESTS_PER_MINUTE: 'sesame',
    REDIS_URL: 'http://:sesame@127.0.0.1',
    LOG_LEVEL: 'sesame',
  });
  expect(found.map((line) => line.split(':')[0]).sort()).toEqual([
    'CARD_SERVICE_API_KEY',
    'CARD_SERVICE_BURST',
    'CARD_SERVICE_REQUESTS_PER_MINUTE',
    'CARD_SERVICE_URL',
    'DISCORD_TOKEN',
    'LOG_LEVEL',
    'REDIS_URL',
  ]);
  expect(found.join('\n')).not.toContain('sesame');
});

it('readRegistrationConfig requires a token and nothing else', () => {
  const given = {
    DISCORD_TOKEN: 'a.b.c',
    CARD_SERVICE_URL: 'nonsense',
    DISCORD_API_URL: 'http://127.0.0.1:4010/api/',
  };
  const apiUrl = 'http://127.0.0.1:4010/api';
  expect(readRegistrationConfig(given)).toEqual({ token: 'a.b.c', botId: '', apiUrl, hasUserInstall: true });
});

it('readRegistrationConfig names every problem at once', () => {
  const read = () => readRegistrationConfig({ DISCORD_API_URL: 'https://u:sesame@x.test' });
  expect(read).toThrow(/DISCORD_TOKEN: missing[\s\S]*DISCORD_API_URL: .+ without user, password/);
  expect(read).not.toThrow('sesame');
});
