import { expect, it } from 'vitest';
import { misspelledVariables, Variables } from '../../src/config/variables.ts';
import { table } from '../table.ts';

it.each(table`
  CARD_SERVICE_APIKEY | CARD_SERVICE_API_KEY
  CARD_SERVICE_KEY | CARD_SERVICE_API_KEY
  CARD_SERVICE_API-KEY | CARD_SERVICE_API_KEY
  CARDSERVICE_URL | CARD_SERVICE_URL
  CARD_SERVICE_TIMEOUT | CARD_SERVICE_TIMEOUT_MS
  CARD_SERVICE_REQUEST_PER_MINUTE | CARD_SERVICE_REQUESTS_PER_MINUTE
  GUILD_DAILY_REQUEST | GUILD_DAILY_REQUESTS
  MEMBERS_DAILY_REQUESTS | MEMBER_DAILY_REQUESTS
  PRICE_FRESH_SECONDS | PRICES_FRESH_SECONDS
  DISCORD_TOKE | DISCORD_TOKEN
  DICSORD_TOKEN | DISCORD_TOKEN
  discord_token | DISCORD_TOKEN
  DISCORD_SHARD | DISCORD_SHARDS
  REDIS_URI | REDIS_URL
  LOGLEVEL | LOG_LEVEL
`)('misspelledVariables reports %s as %s', (name, meant) => {
  expect(misspelledVariables({ [name]: 'sesame' })).toEqual([{ name, meant }]);
});

it.each(table`
  is known | ${Object.keys(Variables.shape).join(' ')}
  belongs to another bot | DISCORD_BOT_TOKEN DISCORD_CLIENT_ID DISCORD_GUILD_ID DISCORD_WEBHOOK_URL
  has a suffix on purpose | DISCORD_TOKEN_2 DISCORD_TOKEN_OLD
  comes from Kubernetes or Docker | CARD_SERVICE_PORT CARD_SERVICE_SERVICE_HOST REDIS_PORT
  has ports in its name | CARD_SERVICE_PORT_80_TCP_ADDR REDIS_PORT_6379_TCP
  belongs to the system | PATH HOME PWD SHLVL XDG_DATA_DIRS LANG TERM NODE_OPTIONS _
  belongs to npm | npm_config_loglevel npm_config_user_agent INIT_CWD npm_package_json
  belongs to another program | DATABASE_URL LOG_FORMAT SLEEP_SECONDS REDIS_TLS RATE_LIMIT
`)('misspelledVariables does not report what %s', (_, names = '') => {
  const set = Object.fromEntries(names.split(' ').map((name) => [name, 'sesame']));
  expect(misspelledVariables({ ...set, CARD_SERVICE_APIKEY: ' ' })).toEqual([]); // nor what is empty
});
