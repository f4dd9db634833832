import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Declaration } from '../../commands/declare.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { table } from '../table.ts';
import { failing, run } from './run.ts';

const ID = { type: 3, name: 'id', description: 'Card id', required: true, max_length: 100 } as const;
const PRICES = { type: 5, name: 'prices', description: 'With prices' } as const;
const INSTALLS = { contexts: [0, 1], integration_types: [0] };
const CARD = { name: 'card', description: 'Show one card', options: [ID, PRICES], ...INSTALLS } satisfies Declaration;
const USAGE = { name: 'usage', description: 'What is left', ...INSTALLS, default_member_permissions: '32' };
const MENU: Declaration = { type: 3, name: 'Look up', ...INSTALLS };
const FOREIGN = { type: 2, name: 'Show collection' };

let discord: EmulatedDiscord;
let inServer: string;
beforeEach(async () => {
  discord = await startEmulatedDiscord();
  inServer = `--guild ${discord.guilds[0]?.id}`;
});
afterEach(() => discord.close());

/** @param outside its `commands` absent: those of this checkout */
async function cli(line: string, { env, ...outside }: Parameters<typeof run>[1] = { commands: [CARD, USAGE] }) {
  const result = await run(['commands', ...line.split(' ').filter(Boolean)], {
    ...outside,
    env: { DISCORD_TOKEN: discord.botToken, DISCORD_API_URL: discord.apiUrl, ...env },
  });
  expect(result.out + result.err).not.toContain(discord.botToken);
  return result;
}

/** What Discord was asked to change, in its order. */
const changes = () => discord.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);

/** Asks Discord as another program would. */
async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${discord.apiUrl}/v10/applications/${path}`, {
    method,
    headers: { authorization: `Bot ${discord.botToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const registered = async () => JSON.parse((await cli('list --json')).out).commands;

describe('register', () => {
  it('sets up the application, sends the commands and names the links, once, and with --dry-run not at all', async () => {
    const dry = await cli('register --dry-run');
    expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/ of the application\n\+ \/card\n\+ \/usage\n$/) });
    expect(changes()).toEqual([]);
    const report =
      /^Global commands of Cards \(\d+\): something differs\.\n(~ .* of the application\n)+\+ \/card\n\+ \/usage\n.*Ctrl\+R.*\nIf the bot is in no server yet, add it:\nAdd to a server: +https:/;
    expect(await cli('register')).toEqual({ code: 0, out: expect.stringMatching(report), err: '' });
    expect(await cli('register')).toMatchObject({ code: 0, out: expect.stringMatching(/: nothing differs\.\n$/) });
    expect(changes()).toEqual(['PATCH', 'PUT']);
    expect(await registered()).toMatchObject([CARD, USAGE]);
    const words = { description: expect.stringContaining('/card'), tags: expect.arrayContaining(['card prices']) };
    expect(await ask('GET', '@me')).toMatchObject(words);
  });

  it('removes what this checkout does not have, but for menus of others, which clear leaves alone, too', async () => {
    const here = { commands: [USAGE, MENU] };
    await ask('PUT', `${discord.applicationId}/commands`, [FOREIGN, CARD]);
    const { out } = await cli('register --json', here);
    const diff = { added: ['usage', 'Look up'], removed: ['card'], changed: [], kept: [FOREIGN] };
    expect(JSON.parse(out)).toMatchObject({ guildId: null, same: false, ...diff, sent: true });
    expect(await registered()).toMatchObject([USAGE, MENU, FOREIGN]);
    await cli('clear --yes', here);
    expect(await registered()).toMatchObject([FOREIGN]);
  });

  it.each([
    ['everywhere', '', [0, 1]],
    ['in servers alone, without user install', '0', [0]],
  ])('offers the commands of this checkout %s, after which nothing differs', async (_, daily, types) => {
    const here = { env: { USER_INSTALL_DAILY_REQUESTS: daily } };
    for (const where of ['', inServer]) {
      expect((await cli(`register ${where}`, here)).code).toBe(0);
      expect((await cli(`diff ${where}`, here)).out).toContain('nothing differs');
    }
    expect(await registered()).toContainEqual(expect.objectContaining({ name: 'card', integration_types: types }));
  });

  it('in one server leaves application and global commands alone, and names no link', async () => {
    expect((await cli(`register ${inServer}`)).out).not.toContain('https:');
    expect(await cli(`diff ${inServer}`)).toMatchObject({ code: 0 });
    expect(await cli(`clear ${inServer}`)).toMatchObject({ code: 0 });
    expect(changes()).toEqual(['PUT', 'PUT']);
    expect((await cli(`list ${inServer}`)).out).toMatch(/^Commands in server \d+ of Cards \(\d+\): none\.\n$/);
  });
});

describe('diff', () => {
  it.each(table`
    description | {"description":"Old"}
    age limit | {"nsfw":true}
    places | {"contexts":[0]}
    installs | {"integration_types":[0,1]}
    permissions | {"default_member_permissions":"32"}
    translations | {"description_localizations":{"de":"Karte"}}
    number of options | {"options":[{"type":3,"name":"id","description":"Card id","required":true,"max_length":100}]}
    option | {"options":[{"type":3,"name":"id","description":"Card id","required":true,"max_length":50},{"type":5,"name":"prices","description":"With prices"}]}
    option's translation | {"options":[{"type":3,"name":"id","description":"Card id","required":true,"max_length":100,"description_localizations":{"de":"Karte"}},{"type":5,"name":"prices","description":"With prices"}]}
  `)('names a command that has another %s, and exits 2', async (_, other = '') => {
    await cli('register', { commands: [{ ...CARD, ...JSON.parse(other) }, MENU] });
    const out = expect.stringMatching(/: something differs\.\n~ \/card\n$/);
    expect(await cli('diff', { commands: [CARD, MENU] })).toEqual({ code: 2, out, err: '' });
  });

  it('finds nothing where Discord only orders or writes out what is left out', async () => {
    await cli('register', { commands: [CARD, MENU] });
    const [id, prices] = [
      { ...ID, choices: [] },
      { ...PRICES, required: false },
    ];
    const same: Declaration = { ...CARD, options: [id, prices], nsfw: false, contexts: [1, 0] };
    expect(await cli('diff', { commands: [{ ...MENU, name_localizations: {} }, same] })).toMatchObject({ code: 0 });
  });
});

describe('the application', () => {
  const link = (permissions: string, ...scopes: string[]) => ({ oauth2_install_params: { scopes, permissions } });
  const NEW = { 0: link('0', 'applications.commands', 'bot'), 1: link('0', 'applications.commands') };
  const OURS = { 0: link('8', 'bot', 'applications.commands'), 1: link('8', 'applications.commands') };
  const NONE = { 0: {}, 1: {} };

  it.each<[string, object | undefined, object | undefined, object?]>([
    ['offers both installs where it never said', undefined, NEW],
    ['stays as it is where both are offered', OURS, undefined],
    ['has no link where an operator took it away', { 0: {}, 1: {} }, undefined],
    ['gets the scopes that lack, and keeps the permissions of an operator', { ...OURS, 0: link('8', 'bot') }, OURS],
    ["gets members' install where only servers' is offered", { 0: OURS[0] }, { 0: OURS[0], 1: NEW[1] }],
    ['gets no link where it is private', undefined, NONE, { bot_public: false }],
    ['gets no link where an operator has one', undefined, NONE, { custom_install_url: 'https://own.test' }],
  ])('%s', async (_, integration_types_config, wanted, more) => {
    const body = { id: discord.applicationId, name: 'Cards', description: 'Ours', tags: ['ours'], ...more };
    discord.faults.script({ route: 'any', answer: { status: 200, body: { ...body, integration_types_config } } });
    await cli('register', { commands: [] });
    expect(changes()).toEqual(wanted ? ['PATCH'] : []);
    expect((await ask('GET', '@me')).integration_types_config).toEqual(wanted ?? NONE);
  });

  it('is compared, and set up alone where its commands are registered', async () => {
    const off = { commands: [CARD], env: { USER_INSTALL_DAILY_REQUESTS: '0' } };
    await cli('register', off);
    expect((await ask('GET', '@me')).integration_types_config).toEqual({ 0: {} });
    await ask('PATCH', '@me', { description: '' });
    const out = expect.stringMatching(/: something differs\.\n~ description of the application\n$/);
    expect(await cli('diff', off)).toEqual({ code: 2, err: '', out });
    const json = JSON.parse((await cli('register --json', off)).out);
    expect(json).toMatchObject({ same: false, settings: ['description'], changed: [] });
    expect(await cli('diff', off)).toMatchObject({ code: 0 });
    expect(changes()).toEqual(['PATCH', 'PUT', 'PATCH', 'PATCH']);
  });
});

it('clear of the global commands asks on a terminal, and wants --yes without one', async () => {
  const commands = [MENU, CARD];
  await cli('register', { commands });
  expect(await cli('clear', { commands })).toMatchObject(failing('Add --yes'));
  expect(await cli('clear', { commands, ask: async () => 'no' })).toMatchObject({ code: 1 });
  const out = expect.stringContaining('\n- Look up\n- /card\n');
  expect(await cli('clear --dry-run', { commands })).toMatchObject({ code: 0, out });
  expect(await registered()).toHaveLength(2);
  expect(await cli('clear', { commands, ask: async () => 'yes' })).toMatchObject({ code: 0, err: '', out });
  expect(await registered()).toEqual([]);
  expect((await cli('clear', { commands })).out).toContain('nothing differs');
  expect(changes()).toEqual(['PATCH', 'PUT', 'PUT']);
});

it('list prints a line for each command', async () => {
  await cli('register', { commands: [CARD, MENU] });
  const lines = /^Global commands of Cards \(\d+\): 2\n\/card {2}\d+ {2}Show one card\nLook up {2}\d+\n$/;
  expect((await cli('list')).out).toMatch(lines);
});

it('invite prints the link for a server and the one for a member, or the first alone without user install', async () => {
  const at = `https://discord.com/oauth2/authorize?client_id=${discord.applicationId}`;
  const link = `${at}&scope=bot+applications.commands&permissions=0&integration_type=0`;
  const userLink = `${at}&scope=applications.commands&integration_type=1`;
  expect((await cli('invite')).out.match(/https:\S+/g)).toEqual([link, userLink]);
  expect(JSON.parse((await cli('invite --json')).out)).toMatchObject({ link, userLink });
  expect((await cli('invite', { env: { USER_INSTALL_DAILY_REQUESTS: '0' } })).out).toBe(`${link}\n`);
});

describe('a failure exits 1, and', () => {
  it.each(table`
    register | 400 {"code":30034,"message":"Max"} | 200 new commands a day. Try again tomorrow
    register | 429 {"message":"x","retry_after":7200,"global":false} | 200 new commands a day. Try again after \d{4}-.*Z.$
    list | 429 {"message":"x","retry_after":7200,"global":false} | ^Discord asks to wait. Try again after \d{4}-
    list | 503 <html> | problem of its own .503.
    list | 403 <html> | in front of Discord refuses this machine .403.
    list | 407 <html> | isn't Discord. Check DISCORD_API_URL
    list | 404 {"code":0,"message":"Max"} | isn't Discord. Check DISCORD_API_URL
    list | 200 <html> | isn't Discord. Check DISCORD_API_URL
    register | 400 {"code":30032,"message":"Max"} | Discord allows 100
    register | 403 {"code":20012,"message":"Not you"} | Not you .403, code 20012.
  `)('of %s, where Discord answers %s, says %s', async (line = '', answered = '', words = '') => {
    const [status, ...body] = answered.split(' ');
    const page = Number(status) > 200 && answered.endsWith('<html>') && { 'Content-Type': 'text/html' };
    const headers = { 'retry-after': '7200', via: '1.1 x', ...page };
    if (line === 'register') discord.faults.script({ route: 'commands' }); // its list is answered
    const answer = { status: Number(status), headers, body: body.join(' ') };
    discord.faults.script({ route: 'commands', answer, times: 2 });
    expect(await cli(line)).toMatchObject({ out: '', ...failing(new RegExp(words, 'm')) });
  });

  it('names the setting that Discord rejects, and sends no command; then the command and its field', async () => {
    const body = { code: 50_035, message: 'Invalid Form Body\ntags[BASE_TYPE_MAX_LENGTH]: Too long' };
    discord.faults.script({ route: 'any', times: 2 }, { route: 'any', answer: { status: 400, body } });
    const commands = [CARD, { ...USAGE, description: 'x'.repeat(101) }];
    const setting = /^Discord rejected these settings of the application, .*\/information\n.*\ntags\[/;
    expect(await cli('register', { commands })).toMatchObject(failing(setting));
    expect(changes()).toEqual(['PATCH']);
    expect(await cli('register', { commands })).toMatchObject(failing(/1\.description\[.*100/));
  });

  it.each(table`
    list | DISCORD_TOKEN=not.the.token | ^Discord refuses the token\..*DISCORD_TOKEN
    list | DISCORD_TOKEN= | DISCORD_TOKEN: missing
    list | DISCORD_API_URL=http://127.0.0.1:1/api | reach Discord at http://127.0.0.1:1/api \(\w+\)
    diff --guild 99999999999999999 | | no access in server 99999999999999999.*\nhttps:.*client_id=\d+&
    list --dry-run | | unknown option
    invite --guild 81384788765712384 | | unknown option
    list --guild 12 | | 17 to 20 digits
  `)('of %s with %s is said, with --json as JSON on standard output: %s', async (line, set = '', words = '') => {
    const env = parseEnv(set);
    const error = expect.stringMatching(words);
    expect(await cli(`${line}`, { env })).toEqual({ code: 1, out: '', err: error });
    const { out, ...json } = await cli(`${line} --json`, { env });
    expect([JSON.parse(out), json]).toEqual([{ error }, { code: 1, err: '' }]);
    expect(changes()).toEqual([]);
  });

  it('a run that takes longer than 30 s is given up, where the time to confirm does not count', async () => {
    await cli('register');
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const slowly = async () => {
      vi.advanceTimersByTime(60_000);
      return 'yes';
    };
    expect(await cli('clear', { ask: slowly })).toMatchObject({ code: 0, err: '' });
    discord.onRequest(() => void vi.advanceTimersByTime(29_900));
    discord.faults.script({ route: 'commands', answer: 'stall' });
    const says = `Can't reach Discord at ${discord.apiUrl} (no answer in time)`;
    expect(await cli('list')).toMatchObject(failing(says));
  });
});

it('a misspelled variable is warned of among those that are read, and no other', async () => {
  const { err } = await cli('list', { env: { DISCORD_API_UR: 'sesame', CARD_SERVICE_APIKEY: 'sesame' } });
  expect(err).toBe('DISCORD_API_UR is unknown. Did you mean DISCORD_API_URL?\n');
});
