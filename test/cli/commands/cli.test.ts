import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import type { LocalCommand } from '../../../src/cli/commands/command-diff.ts';
import { Registration } from '../../../src/cli/commands/registration.ts';
import { run } from '../run.ts';
import { type DetourAnswer, startDetour } from './detour.ts';

const CARD: LocalCommand = {
  name: 'card',
  description: 'Show one card',
  options: [
    { type: 3, name: 'id', description: 'Card id', required: true, max_length: 100 },
    { type: 5, name: 'prices', description: 'With prices' },
  ],
  contexts: [0, 1],
  integration_types: [0],
};
const USAGE: LocalCommand = {
  name: 'usage',
  description: 'What is left',
  default_member_permissions: '32',
  contexts: [0],
};

const INVITE = (id: string) =>
  `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands&permissions=0&integration_type=0`;

describe('the registration CLI', () => {
  let discord: EmulatedDiscord;
  let guildId: string;

  beforeEach(async () => {
    discord = await startEmulatedDiscord();
    guildId = discord.guilds[0]?.id ?? '';
  });
  afterEach(() => discord.close());

  async function cli(
    line: string,
    commands: LocalCommand[] = [CARD, USAGE],
    env: Record<string, string> = {},
    ask?: (question: string) => Promise<string>,
  ) {
    return cliWith({ commands, ...(ask && { ask }) }, line, env);
  }

  /** Without `commands`: those of this checkout. */
  async function cliWith(outside: Parameters<typeof run>[1], line: string, env: Record<string, string> = {}) {
    const { code, out, err } = await run(['commands', ...line.split(' ').filter(Boolean)], {
      ...outside,
      env: { DISCORD_TOKEN: discord.botToken, DISCORD_API_URL: discord.apiUrl, ...env },
    });
    expect(out + err).not.toContain(discord.botToken);
    return { code, out, err };
  }

  async function withDetour(answers: Record<string, DetourAnswer>, line: string) {
    const detour = await startDetour(discord.apiUrl, answers);
    const result = await cli(line, [CARD, USAGE], { DISCORD_API_URL: detour.apiUrl });
    await detour.close();
    return result;
  }

  const puts = () => discord.requests.filter(({ method }) => method === 'PUT').length;
  /** The changes that Discord was asked for, in their order. */
  const changes = () => discord.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  /** What Discord has of the application. */
  const application = async (): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bot ${discord.botToken}` };
    return (await fetch(`${discord.apiUrl}/v10/applications/@me`, { headers })).json() as Promise<
      Record<string, unknown>
    >;
  };
  /** Changes the application, as its operator would. */
  async function setUp(changed: object) {
    const response = await fetch(`${discord.apiUrl}/v10/applications/@me`, {
      method: 'PATCH',
      headers: { authorization: `Bot ${discord.botToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(changed),
    });
    expect(response.status).toBe(200);
  }
  /** Registers commands of any type, as another tool would. */
  async function putAsOther(commands: object[], path = '') {
    const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}${path}/commands`, {
      method: 'PUT',
      headers: {
        authorization: `Bot ${discord.botToken}`,
        'user-agent': 'DiscordBot (https://other.test, 1)',
        'content-type': 'application/json',
      },
      body: JSON.stringify(commands),
    });
    expect(response.status).toBe(200);
  }

  it('warns of a misspelled variable among those it reads, and of no other', async () => {
    const { code, err } = await cli('list', [], { DISCORD_API_UR: 'sesame', CARD_SERVICE_APIKEY: 'sesame' });
    expect({ code, err }).toEqual({ code: 0, err: 'DISCORD_API_UR is unknown. Did you mean DISCORD_API_URL?\n' });
  });

  describe('register', () => {
    it('sends one bulk overwrite, and none when nothing differs', async () => {
      expect(await cli('register')).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(
          /^Registered 2 commands: \/card, \/usage\n~ the application\n(?: {4}.*\n)+\+ \/card.*\n\+ \/usage.*\n.*Ctrl\+R/,
        ),
      });
      expect(await cli('register')).toEqual({ code: 0, err: '', out: 'Nothing to change: /card, /usage\n' });
      expect(puts()).toBe(1);
      expect(discord.commandsFor({ guildId: null }).map(({ name }) => name)).toEqual(['card']);
    });

    it('sends nothing with --dry-run', async () => {
      const { code, out } = await cli('register --dry-run');
      expect(code).toBe(0);
      expect(out).toMatch(/^Would register 2 commands: \/card, \/usage\n/);
      expect(puts()).toBe(0);
    });

    it('removes commands that this checkout does not have, and lists them', async () => {
      await cli('register');
      const { out } = await cli('register', [USAGE]);
      expect(out).toMatch(/- \/card {2}\d+/);
      expect((await cli('diff', [USAGE])).code).toBe(0);
    });

    it('keeps commands of other types, as clear does', async () => {
      await putAsOther([{ type: 2, name: 'Show collection' }]);
      expect((await cli('register')).out).toContain('= Show collection (member menu) is left alone');
      await cli('clear --yes');
      expect(JSON.parse((await cli('list --json')).out).commands).toMatchObject([{ type: 2, name: 'Show collection' }]);
    });

    it('names the command and the field that Discord rejects', async () => {
      const { code, err } = await cli('register', [CARD, { ...USAGE, description: 'x'.repeat(101) }]);
      expect(code).toBe(1);
      expect(err).toMatch(/1\.description\[.*100/);
    });
  });

  describe('the application', () => {
    const OWN = { description: 'Our own words', tags: ['ours'] };
    const SERVERS = { 0: { oauth2_install_params: { scopes: ['applications.commands', 'bot'], permissions: '8' } } };

    it('is set up before its commands, once, and compared with them', async () => {
      await setUp({ integration_types_config: SERVERS });
      const before = await cli('diff');
      expect(before.code).toBe(2);
      expect(before.out).toMatch(
        /: something differs\.\n~ the application\n {4}integration_types_config\.1: absent → /,
      );
      expect(before.out).toMatch(/\n {4}description: "" → "Look up .*\n {4}tags: absent → \["/);

      await cli('register');
      expect(changes().slice(1)).toEqual(['PATCH', 'PUT']);
      const { description, tags, integration_types_config: installs } = await application();
      expect(description).toContain('/card');
      expect(tags).toHaveLength(5);
      expect(installs).toEqual({
        ...SERVERS,
        1: { oauth2_install_params: { scopes: ['applications.commands'], permissions: '0' } },
      });
      expect(await cli('diff')).toMatchObject({ code: 0, out: expect.stringContaining('nothing differs') });
      await cli('register');
      expect(changes().slice(1)).toEqual(['PATCH', 'PUT']);
    });

    it("of which nothing is written but what is empty: an operator's own words are no difference", async () => {
      await setUp(OWN);
      await cli('register');
      expect(changes()).toEqual(['PATCH', 'PUT']);
      expect((await cli('diff')).code).toBe(0);
      expect(await application()).toMatchObject(OWN);
    });

    it('alone is set up where its commands are registered', async () => {
      await cli('register');
      await setUp({ description: '' });
      const { code, out } = await cli('diff --json');
      expect(code).toBe(2);
      const description = expect.stringContaining('/card');
      expect(JSON.parse(out)).toMatchObject({
        same: false,
        settings: [{ path: 'description', before: '', after: description }],
        added: [],
      });
      expect((await cli('register --dry-run')).out).toMatch(/^Would set up the application\. Nothing to change in its/);
      expect(await application()).toMatchObject({ description: '' });
      expect((await cli('register')).out).toMatch(
        /^Set up the application\. Nothing to change in its commands: \/card, \/usage\n~ the app/,
      );
      expect(await application()).toMatchObject({ description });
      expect(puts()).toBe(1);
    });

    it('stops to offer what members install where that is off', async () => {
      const off = { USER_INSTALL_DAILY_REQUESTS: '0' };
      await cli('register');
      expect((await cli('diff', [CARD, USAGE], off)).out).toContain('integration_types_config.1: {} → absent');
      await cli('register', [CARD, USAGE], off);
      expect((await application()).integration_types_config).toEqual({ 0: {} });
      expect((await cli('diff', [CARD, USAGE], off)).code).toBe(0);
    });

    it('is left alone by the commands of one server, and by clear', async () => {
      await cli(`register --guild ${guildId}`);
      expect((await cli(`diff --guild ${guildId}`)).code).toBe(0);
      await cli(`clear --guild ${guildId}`);
      await putAsOther([CARD]);
      await cli('clear --yes');
      expect(changes()).not.toContain('PATCH');
      expect(await application()).toMatchObject({ description: '' });
    });

    it('is followed by the links that add the bot, but for a trial in one server', async () => {
      const link = INVITE(discord.applicationId);
      expect((await cli(`register --guild ${guildId}`)).out).not.toContain(link);
      expect((await cli('register --dry-run')).out).not.toContain(link);
      expect((await cli('register')).out).toContain(
        `\nIf the bot is in no server yet, add it:\nAdd to a server:      ${link}\n`,
      );
    });

    it('that Discord rejects is to be set up by hand, and no command is sent', async () => {
      const body = { code: 50_035, message: 'Invalid Form Body\ntags[BASE_TYPE_MAX_LENGTH]: Too long' };
      const { code, err } = await withDetour({ 'PATCH /applications/@me': { status: 400, body } }, 'register');
      expect(code).toBe(1);
      expect(err).toMatch(/^Discord rejected these settings of the application, .*\/information\n.*\ntags\[/);
      expect(puts()).toBe(0);
    });
  });

  describe('diff', () => {
    it('finds a registration without translations, and none of this checkout once it is registered', async () => {
      const translated = { description_localizations: { de: 'Zeigt eine Karte' } };
      const options = CARD.options?.map((option) => ({ ...option, ...translated }));
      const menu = { type: 3, name: 'Look up', name_localizations: { de: 'Nachschlagen' } };
      await cli('register', [CARD, { type: 3, name: 'Look up' }]);

      const { code, out } = await cli('diff', [{ ...CARD, options, ...translated }, menu]);
      expect(code).toBe(2);
      expect(out).toContain('description_localizations.de: absent → "Zeigt eine Karte"');
      expect(out).toContain('options.1.description_localizations.de: absent → "Zeigt eine Karte"');
      expect(out).toContain('name_localizations.de: absent → "Nachschlagen"');

      expect((await cliWith({}, 'register', {})).code).toBe(0);
      expect((await cliWith({}, 'diff', {})).out).toContain('nothing differs');
    });

    it('exits 2 and prints the old and new value of each changed path', async () => {
      await cli('register');
      const { code, out } = await cli('diff', [{ ...CARD, description: 'Show a card' }, USAGE]);
      expect(code).toBe(2);
      expect(out).toContain('~ /card\n    description: "Show one card" → "Show a card"');
    });

    it('writes only JSON to standard output with --json', async () => {
      const { code, out, err } = await cli('diff --json');
      expect(code).toBe(2);
      expect(err).toBe('');
      expect(JSON.parse(out)).toMatchObject({ guildId: null, same: false, added: ['card', 'usage'], removed: [] });
    });
  });

  describe('list', () => {
    it('prints a line for each command', async () => {
      await cli('register');
      const { out } = await cli('list');
      expect(out).toMatch(/^Global commands of Cards \(\d+\): 2\n\/card {2}\d+ {2}Show one card\n/);
    });

    it('prints "none" when no command is registered', async () => {
      expect((await cli(`list --guild ${guildId}`)).out).toMatch(/^Commands in server \d+ of Cards \(\d+\): none\.\n$/);
    });
  });

  describe('clear', () => {
    it('removes the commands of its scope only', async () => {
      await cli('register');
      await cli(`register --guild ${guildId}`);
      expect((await cli(`clear --guild ${guildId}`)).out).toMatch(/^Removed 2 commands: \/card, \/usage\n/);
      expect(await cli(`clear --guild ${guildId}`)).toEqual({ code: 0, err: '', out: 'Nothing to remove\n' });
      expect((await cli('diff')).code).toBe(0);
    });

    it('of the global commands asks on a terminal, and requires --yes without one', async () => {
      await cli('register');
      const unasked = await cli('clear');
      const refused = await cli('clear', undefined, {}, async () => 'no');
      expect([unasked.code, refused.code]).toEqual([1, 1]);
      expect(unasked.err).toContain('Add --yes');
      expect((await cli('clear --dry-run')).out).toMatch(/^Would remove 2 commands: /);
      expect((await cli('diff')).code).toBe(0);

      const confirmed = await cli('clear', undefined, {}, async () => 'yes');
      expect(confirmed.code).toBe(0);
      expect((await cli('diff')).code).toBe(2);
      expect((await cli('clear')).out).toBe('Nothing to remove\n');
    });
  });

  it.each([
    ['everywhere', '', [0, 1]],
    ['in servers that installed the bot, without user install', '0', [0]],
  ])('registers the commands of this checkout %s', async (_, daily, types) => {
    const env = { USER_INSTALL_DAILY_REQUESTS: daily };
    expect((await cliWith({}, 'register', env)).code).toBe(0);
    const { commands } = JSON.parse((await cli('list --json')).out);
    expect(commands).toContainEqual(expect.objectContaining({ name: 'card', integration_types: types }));
    expect((await cliWith({}, 'diff', env)).code).toBe(0);
  });

  describe('invite', () => {
    const userLink = () =>
      `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}&scope=applications.commands&integration_type=1`;

    it('prints the links with what the bot needs: for a server, and for a member', async () => {
      const link = INVITE(discord.applicationId);
      const { code, err, out } = await cli('invite');
      expect([code, err, out.match(/https:\S+/g)]).toEqual([0, '', [link, userLink()]]);
      expect(JSON.parse((await cli('invite --json')).out)).toMatchObject({ link, userLink: userLink() });
    });

    it('prints the one for a server and nothing else where members cannot install the bot', async () => {
      const { out } = await cli('invite', [], { USER_INSTALL_DAILY_REQUESTS: '0' });
      expect(out).toBe(`${INVITE(discord.applicationId)}\n`);
    });
  });

  describe('a failure', () => {
    it.each([
      ['of the token', 'list --json', { DISCORD_TOKEN: 'not.the.token' }, /^Discord refuses the token\./],
      ['of the settings', 'list --json', { DISCORD_TOKEN: '' }, /DISCORD_TOKEN/],
      ['of the words', 'list --all --json', {}, /unknown option '--all'/],
      ['to confirm', 'clear --json', {}, /^Nothing was removed\. Add --yes/],
    ])('%s is JSON with --json, on standard output alone', async (_, line, env, words) => {
      await cli('register');
      const { code, out, err } = await cli(line, [], env);
      expect([code, err]).toEqual([1, '']);
      expect(JSON.parse(out)).toEqual({ error: expect.stringMatching(words) });
    });

    it('of access prints the invite link', async () => {
      const { code, err } = await cli('diff --guild 99999999999999999');
      expect(code).toBe(1);
      expect(err).toContain(INVITE(discord.applicationId));
    });

    const refused = (status: number, code: number, message = 'Max') => ({ status, body: { code, message } });
    const WAIT = { message: 'x', retry_after: 7200, global: false };
    const LIMITED = { status: 429, headers: { 'retry-after': '7200', via: '1.1 x' }, body: WAIT };

    it.each<[string, DetourAnswer, RegExp]>([
      ['of the daily limit', refused(400, 30034), /200 new commands a day\. Try again tomorrow/],
      ['of the daily limit as a rate limit, without waiting for it', LIMITED, /Try again after \d{4}-.*Z\.$/m],
      ['of Discord itself', { status: 503, body: 'down' }, /problem of its own \(503\)/],
      ['of a firewall', { status: 403, body: '<html>' }, /in front of Discord refuses this machine \(403\)/],
      ['of a proxy', { status: 407, body: '<html>' }, /isn't Discord\. Check DISCORD_API_URL/],
      ['of too many commands', refused(400, 30032), /Discord allows 100/],
      ['without an explanation of its own', refused(403, 20012, 'Not you'), /Not you \(403, code 20012\)/],
    ])('%s is explained, with exit code 1', async (_, answer, words) => {
      const { code, err } = await withDetour({ 'PUT /commands': answer }, 'register');
      expect(err).toMatch(words);
      expect(code).toBe(1);
    });

    it('of the address says that it is not Discord', async () => {
      const { code, err } = await withDetour({ 'GET /applications/@me': { status: 200, body: '<html>' } }, 'list');
      expect(err).toContain('Check DISCORD_API_URL');
      expect(code).toBe(1);
    });

    it('of a Discord whose answer never ends says so after 10 s', async () => {
      discord.faults.script({ route: 'commands', answer: 'stall' });
      const { code, err } = await cli('list');
      expect(err).toContain(`Can't reach Discord at ${discord.apiUrl} (no answer in time)`);
      expect(code).toBe(1);
    });

    it('of a run that takes longer than 30 s says so, where the time to confirm does not count', async () => {
      await cli('register');
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const slowly = async () => {
        vi.advanceTimersByTime(60_000);
        return 'yes';
      };
      expect(await cli('clear', [], {}, slowly)).toMatchObject({ code: 0, err: '' });

      const registration = new Registration({
        token: discord.botToken,
        apiUrl: discord.apiUrl,
        botId: '',
        hasUserInstall: true,
      });
      await registration.application();
      vi.advanceTimersByTime(30_000);
      await expect(registration.application()).rejects.toMatchObject({ name: 'TimeoutError' });
    });

    it('of the network names the address', async () => {
      const { code, err } = await cli('list', [], { DISCORD_API_URL: 'http://127.0.0.1:1/api' });
      expect(err).toMatch(/Can't reach Discord at http:\/\/127\.0\.0\.1:1\/api \(\w+\)/);
      expect(code).toBe(1);
    });
  });

  it.each([
    ['an unknown command', 'publish', 'unknown command'],
    ['an unknown option', 'list --all', 'unknown option'],
    ['an option where it means nothing', 'list --dry-run', 'unknown option'],
    ['--guild for a link that is of no server', 'invite --guild 81384788765712384', 'unknown option'],
    ['a server id that is none', 'list --guild 12', '17 to 20 digits'],
    ['nothing', '', 'Usage: npm run commands --'],
  ])('the command line rejects %s with exit code 1, without a request', async (_, line, words) => {
    const { code, err } = await cli(line);
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(discord.requests).toHaveLength(0);
  });
});
