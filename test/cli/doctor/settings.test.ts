import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEnvFile, checkSettings, envFile } from '../../../src/cli/doctor/settings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const REQUIRED = { DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'https://cards.test' };

/** What is wrong, as `check: cure`. */
function faults(environment: Record<string, string>, file: Record<string, string> = {}): string[] {
  const { findings } = checkSettings({ ...REQUIRED, ...file, ...environment }, file);
  return findings.filter(({ ok }) => !ok).map(({ check, cure }) => `${check}: ${cure}`);
}

describe('settings', () => {
  it('that are all right are one line', () => {
    expect(checkSettings(REQUIRED).findings).toEqual([
      { check: 'settings', ok: true, cure: '', found: 'all variables are valid and known' },
    ]);
  });

  it('that are faulty are a line each, with what to write', () => {
    const { findings, config } = checkSettings({ CARD_SERVICE_URL: 'cards.test', LOG_LEVEL: 'loud' });
    expect(findings.map(({ check, ok, cure }) => [check, ok, cure])).toEqual([
      ['DISCORD_TOKEN', false, expect.stringContaining('Reset Token')],
      ['CARD_SERVICE_URL', false, 'write an address that begins with https:// or http://'],
      ['LOG_LEVEL', false, expect.stringContaining('write one of: trace')],
    ]);
    expect(config).toBeUndefined();
  });

  it('that are faulty do not keep the others from being checked', () => {
    const { findings, config } = checkSettings({ ...REQUIRED, LOG_LEVEL: 'loud', REDIS_KEY_PREFIX: 'mine' });
    expect(findings.map(({ check }) => check)).toEqual(['LOG_LEVEL', 'REDIS_KEY_PREFIX']);
    expect(config?.cardService.baseUrl).toBe('https://cards.test');
  });

  const PLAN_OF_10 = { CARD_SERVICE_PLAN: 'free', CARD_SERVICE_REQUESTS_PER_MINUTE: '11' };

  it.each<[string, Record<string, string>, file: Record<string, string>, expected: string]>([
    ['a token that is none', { DISCORD_TOKEN: 'none' }, {}, 'DISCORD_TOKEN: It does not look like a bot token'],
    ['a misspelled name', { LOGLEVEL: 'k' }, {}, 'LOGLEVEL: Nothing reads it. Did you mean LOG_LEVEL?'],
    ['a name in .env that nothing reads', {}, { CARD_LIMIT: '3' }, 'CARD_LIMIT: Nothing reads it. Remove it'],
    [
      'a prefix without a Redis',
      { REDIS_KEY_PREFIX: 'mine' },
      {},
      'REDIS_KEY_PREFIX: It has no effect without REDIS_URL',
    ],
    ['cards that are dropped while they are fresh', { KEEP_SECONDS: '60' }, {}, 'KEEP_SECONDS: Cards are dropped'],
    ['prices that outlive their card', { PRICES_FRESH_SECONDS: '700000' }, {}, 'PRICES_FRESH_SECONDS: Prices count as'],
    [
      'a member who may spend more than the server',
      { GUILD_DAILY_REQUESTS: '5', MEMBER_DAILY_REQUESTS: '6' },
      {},
      'MEMBER_DAILY_REQUESTS: One member',
    ],
    ['a short secret', { CARD_SERVICE_API_KEY: 'short' }, {}, 'a secret: One of fewer than 8 characters'],
    ['a pace above the plan', PLAN_OF_10, {}, 'CARD_SERVICE_REQUESTS_PER_MINUTE: The plan free allows 10.'],
    [
      'a burst above the plan',
      { CARD_SERVICE_PLAN: 'pro', CARD_SERVICE_BURST: '201' },
      {},
      'CARD_SERVICE_BURST: The plan pro allows 200.',
    ],
  ])('name %s', (_, environment, file, expected) => {
    expect(faults(environment, file)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['a variable of another program', { PATH: '/bin', KUBERNETES_PORT: '1' }, {}],
    ['a variable of Node in .env', {}, { NODE_OPTIONS: '--max-old-space-size=160', TZ: 'UTC' }],
    ['variables of compose.yaml in .env', {}, { REDIS_PASSWORD: 'secret', COMPOSE_PROJECT_NAME: 'cards' }],
    ['an empty line of .env', {}, { CARD_SERVICE_API_KEY: '' }],
    ['a pace of its own with the plan auto', { CARD_SERVICE_REQUESTS_PER_MINUTE: '600' }, {}],
  ])('do not object to %s', (_, environment, file) => {
    expect(faults(environment as Record<string, string>, file as Record<string, string>)).toEqual([]);
  });
});

it.each(['warn', ''])(
  'a value in the environment (%j) that wins over another in .env is said, and is no fault',
  (value) => {
    const file = { LOG_LEVEL: 'info' };
    const { findings } = checkSettings({ ...REQUIRED, LOG_LEVEL: value }, file);
    expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
      ['settings', true],
      ['LOG_LEVEL', true],
    ]);
    expect(findings[1]?.found).toContain('the environment wins');
  },
);

it('.env is read as Node reads it, and may be absent', () => {
  const folder = temporaryFolder();
  const file = join(folder, '.env');
  expect(envFile(file)).toEqual({});
  writeFileSync(file, '# comment\nLOG_LEVEL="info" # quoted\nREDIS_URL=\n');
  expect(envFile(file)).toEqual({ LOG_LEVEL: 'info', REDIS_URL: '' });
});

it.each([
  [0o600, []],
  [0o400, []],
  [0o644, ['.env']],
  [0o640, ['.env']],
])('a .env of mode %o that others can read is named', (mode, named) => {
  const file = join(temporaryFolder(), '.env');
  expect(checkEnvFile(file)).toEqual([]);
  writeFileSync(file, '');
  chmodSync(file, mode);
  expect(checkEnvFile(file).map(({ check }) => check)).toEqual(named);
});
