import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListeningCardService, startCardService } from '../../../sandbox/card-service.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { checkOffline } from '../../../src/cli/doctor/settings.ts';
import { onFinished } from '../../support/on-finished.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type DetourAnswer, startDetour } from '../commands/detour.ts';
import { run } from '../run.ts';

let discord: EmulatedDiscord;
let cardService: ListeningCardService;
let redis: TestRedis;
let dataDir: string;
beforeAll(async () => {
  discord = await startEmulatedDiscord();
  cardService = await startCardService({ burst: 1_000 }); // the tests together send more than the burst of one plan
  redis = await startRedis();
  dataDir = temporaryFolder();
  onFinished(async () => {
    await Promise.all([discord.close(), cardService.close()]);
  });
});

let environment: Record<string, string>;
beforeEach(async () => {
  const env = { DISCORD_TOKEN: discord.botToken, DISCORD_API_URL: discord.apiUrl };
  environment = { ...env, CARD_SERVICE_URL: cardService.url, CARD_SERVICE_API_KEY: 'sandbox-key', DATA_DIR: dataDir };
  await commandsCli('register');
});

function commandsCli(...args: string[]) {
  const { DISCORD_TOKEN, DISCORD_API_URL } = environment;
  return run(['commands', ...args], { env: { DISCORD_TOKEN, DISCORD_API_URL } });
}

async function doctor(args: readonly string[] = [], changes: Record<string, string> = {}) {
  const before = cardService.counts.total;
  const { code, out, err } = await run(['doctor', ...args], { env: { ...environment, ...changes } });
  return { code, out, err, requests: cardService.counts.total - before };
}

/** The lines that object. */
async function objections(changes: Record<string, string>): Promise<string[]> {
  const { code, out } = await doctor([], changes);
  expect(code).toBe(1);
  return out.split('\n').filter((line) => line.startsWith('✗'));
}

const DOWN: DetourAnswer = { status: 503, body: '<html>' };

/** Settings for a Discord that answers this one request otherwise. */
async function failingAt(route: string, answer: DetourAnswer) {
  const failing = await startDetour(discord.apiUrl, { [route]: answer });
  onFinished(() => failing.close());
  return { DISCORD_API_URL: failing.apiUrl };
}

describe('npm run doctor', () => {
  it('finds nothing wrong where everything is right, and costs one request, which it announces', async () => {
    const { code, out, err, requests } = await doctor([], { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix });
    const lines = out.trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('✓ ') && !line.includes('Set appendonly'))).toEqual([]);
    const checks = ['settings', 'data directory', 'Discord token', 'invite', 'commands', 'gateway', 'clock'];
    expect(lines.map((line) => line.slice(2).split(':')[0])).toEqual(
      expect.arrayContaining([...checks, 'card service', 'plan']),
    );
    expect(requests).toBe(1);
    expect(err).toContain('costs one of today');
    expect(code).toBe(lines.every((line) => line.startsWith('✓')) ? 0 : 1);
  });

  it('notes that a bot knows no names, until it does; nothing is wrong with that', async () => {
    const folder = temporaryFolder();
    const names = async () => {
      const { code, out } = await doctor(['--offline', '--json'], { DATA_DIR: folder });
      expect(code).toBe(0);
      return JSON.parse(out).filter(({ check }: { check: string }) => check === 'names');
    };
    const note = { check: 'names', ok: true, cure: expect.stringContaining('members can only type ids') };
    expect(await names()).toEqual([note]);
    const { findings } = checkOffline({ DISCORD_TOKEN: 'bot', CARD_SERVICE: 'scryfall', DATA_DIR: folder });
    expect(findings).toContainEqual({
      ...note,
      cure: expect.stringContaining('Run: npm run catalog -- fetch'),
      found: expect.anything(),
    });
    const toImport = { env: { DATA_DIR: folder }, folder, stdin: 'id,name\nbase1-4,Emberwing Drake\n' };
    await run(['catalog', 'stats'], toImport);
    expect(await names()).toEqual([note]);
    await run(['catalog', 'import', '-'], toImport);
    expect(await names()).toEqual([]);
  });

  it('asks for the one card at CARD_SERVICE_BULK_PATH, too, and announces that', async () => {
    const { out, err, requests } = await doctor([], { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' });
    expect(out).toContain('✓ bulk requests: it lists the card');
    expect(requests).toBe(2);
    expect(err).toContain('costs two of today');
  });

  it('announces no lookup that a faulty setting prevents', async () => {
    const { err, requests } = await doctor([], { CARD_SERVICE_URL: 'cards.test' });
    expect([err, requests]).toEqual(['', 0]);
  });

  it('asks nobody anything with --offline', async () => {
    const unreachable = { DISCORD_API_URL: 'http://127.0.0.1:10901', REDIS_URL: 'redis://127.0.0.1:10901' };
    expect(await doctor(['--offline'], unreachable)).toMatchObject({ code: 0, requests: 0, err: '' });
  });

  it('prints JSON for programs', async () => {
    const { code, out } = await doctor(['--json', '--offline'], { LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual([
      { check: 'Node', ok: true, cure: expect.any(String) },
      { check: 'LOG_LEVEL', ok: false, cure: expect.stringContaining('write one of') },
      { check: 'data directory', ok: true, cure: '' },
      { check: 'names', ok: true, cure: expect.any(String) },
    ]);
  });

  it.each([
    ['a refused token', { DISCORD_TOKEN: 'refused.bot.token' }, '✗ Discord token: Discord refuses the token'],
    ['another Discord', { DISCORD_API_URL: 'http://127.0.0.1:10901/api' }, "✗ Discord token: Can't reach Discord at"],
    [
      'a service that is not there',
      { CARD_SERVICE_URL: 'http://127.0.0.1:10901' },
      '✗ card service: 127.0.0.1:10901 cannot be reached (ECONNREFUSED)',
    ],
    [
      'a Redis that is not there',
      { REDIS_URL: 'redis://127.0.0.1:10901' },
      '✗ Redis: 127.0.0.1:10901 cannot be reached',
    ],
  ])('names %s, and nothing else', async (_, changes, expected) => {
    expect(await objections(changes)).toEqual([expect.stringContaining(expected)]);
  });

  it('names both a wrong key and a wrong path, whichever the service looks at first', async () => {
    const wrongPath = { CARD_SERVICE_CARD_PATH: '/wrong/{id}', CARD_SERVICE_API_KEY: 'refused-key' };
    const both = ['CARD_SERVICE_API_KEY', 'It has no path /wrong/{id}'].map((words) => expect.stringContaining(words));
    expect((await objections(wrongPath)).toSorted()).toEqual(both);
    cardService.script({ status: 404, body: '<html>' });
    expect((await objections(wrongPath)).toSorted()).toEqual(both);
    expect(await objections({ CARD_SERVICE_CARD_PATH: '/wrong/{id}' })).toEqual(both.slice(1));
  });

  it('names commands that Discord does not hold, unless a server has them for a trial', async () => {
    await commandsCli('clear', '--yes');
    expect(await objections({})).toEqual([expect.stringContaining('Run: npm run commands -- register')]);
    const [guild] = discord.guilds;
    await commandsCli('register', '--guild', guild?.id ?? '');
    expect((await doctor()).out).toContain(`✓ commands: in the server ${guild?.name} only`);
    await commandsCli('register');
    expect(await objections({})).toEqual([expect.stringContaining('whose members see them twice')]);
    const changed = { USER_INSTALL_DAILY_REQUESTS: '0' }; // of which a server's own commands say nothing
    expect(await objections(changed)).toEqual([expect.stringContaining('Run: npm run commands -- register')]);
    await commandsCli('clear', '--guild', guild?.id ?? '');
  });

  it('calls an address for commands an error, and notes which links Discord will ask for', async () => {
    const body = {
      ...{ id: discord.applicationId, name: 'Cards', integration_types_config: { 0: {}, 1: {} } },
      ...{ interactions_endpoint_url: 'https://old.test/commands', privacy_policy_url: 'https://own.test' },
    };
    const elsewhere = await failingAt('GET /applications/@me', { status: 200, body });
    const sends = 'Discord sends the commands to https://old.test/commands and not to this bot';
    expect(await objections(elsewhere)).toEqual([expect.stringContaining(sends)]);
    expect((await doctor([], elsewhere)).out).toMatch(
      /^✓ application: .* its Terms of Service URL first\. docs\/policies\.md/m,
    );
  });

  it('says what it could not find out, which is not taken for a fault', async () => {
    const failing = await failingAt('GET /users/@me/guilds', DOWN);
    cardService.script({ status: 429, headers: { 'retry-after': '1' }, body: '' });
    const { code, out } = await doctor(['--json'], failing);
    const findings: { check: string; ok: boolean | null; cure: string }[] = JSON.parse(out);
    expect(findings.filter(({ ok }) => ok !== true)).toEqual([
      { check: 'invite', ok: null, cure: expect.stringContaining('Discord has a problem of its own (503)') },
      { check: 'card service', ok: null, cure: expect.stringContaining('could not be checked') },
    ]);
    expect(code).toBe(0);
  });

  it.each([
    ['GET /users/@me/guilds', 'invite'],
    ['GET /gateway/bot', 'gateway'],
  ])('goes on when %s alone is answered with a 401', async (route, check) => {
    const lines = await objections(await failingAt(route, { status: 401, body: { message: 'Unauthorized', code: 0 } }));
    expect(lines.map((line) => line.slice(2).split(':')[0])).toContain(check);
  });

  it('compares no clock where Discord cannot be reached', async () => {
    const { out } = await doctor([], { DISCORD_API_URL: 'http://127.0.0.1:10901/api' });
    expect(out).toContain('? clock: Discord did not tell the time');
  });

  it('does not say that commands are missing which a server may have', async () => {
    await commandsCli('clear', '--yes');
    const failing = await failingAt('GET /users/@me/guilds', DOWN);
    const { code, out } = await doctor([], failing);
    expect(out).toContain('Whether a server has them for a trial could not be found out');
    expect(code).toBe(0);
  });

  it('prints no secret', async () => {
    const secrets = {
      DISCORD_TOKEN: 'secret.bot.token',
      CARD_SERVICE_API_KEY: 'secret-key',
      REDIS_URL: 'redis://:secret-pw@127.0.0.1:10901',
    };
    const { out, err } = await doctor([], secrets);
    expect(out + err).not.toMatch(/secret\.bot|secret-key|secret-pw/);
  });
});
