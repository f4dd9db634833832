import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Declaration } from '../../commands/index.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { changed, table } from '../table.ts';
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

const COMMANDS = { card: CARD, usage: USAGE, menu: MENU };

/** Of what is kept, the names. */
const briefly = (key: string, value: unknown) =>
  key === 'kept' && Array.isArray(value) ? value.map(({ name }) => name) : value;

/**
 * Types lines with `; ` between them, for which variables may stand before: `in-server` stands for an option, and `: yes` for
 * what is answered on a terminal. `others put card` and `others patch`: as another program would; `changes`: what Discord was asked to change.
 *
 * @returns exit codes and what was written, with `ID` for the application's and `N` for other ids, ` / ` between them
 */
async function says(names: string, script: string): Promise<string> {
  const commands = names.split(' ').flatMap((name) => COMMANDS[name as keyof typeof COMMANDS] ?? []);
  const said: string[] = [];
  for (const step of script.split('; ')) {
    const [, set = '', line = '', answer] = /^([A-Z_]+=\S*)? ?(.*?)(?:: (\w+))?$/.exec(step) ?? [];
    if (line === 'others put card') await ask('PUT', `${discord.applicationId}/commands`, [FOREIGN, CARD]);
    else if (line === 'others patch') await ask('PATCH', '@me', { description: '' });
    else if (line === 'changes') said.push(changes().join(' '));
    else {
      const outside = { commands, env: parseEnv(set), ...(answer && { ask: async () => answer }) };
      const { code, out, err } = await cli(line.replace('in-server', inServer), outside);
      const written = out.startsWith('{') ? JSON.stringify(JSON.parse(out), briefly) : out + err;
      const named = written.replaceAll(discord.applicationId, 'ID').replaceAll(/\d{17,}/g, 'N');
      said.push(`${code} ${named.replaceAll('\n', '\\n')}`);
    }
  }
  return said.join(' / ').replaceAll('Global commands of Cards (ID)', 'Global');
}

const AT = 'https://discord.com/oauth2/authorize?client_id=ID';
const SERVER = `${AT}&scope=bot+applications.commands&permissions=0&integration_type=0`;
const MEMBER = `${AT}&scope=applications.commands&integration_type=1`;
const BOTH_LINKS = String.raw`Add to a server:      ${SERVER}\nAdd to your own apps: ${MEMBER}\n`;
const UNSET = String.raw`something differs.\n~ description of the application\n~ tags of the application\n`;
const DONE = String.raw`Done. If a member doesn't see the change, reloading Discord helps (Ctrl+R).\n`;
const ADD = String.raw`${DONE}If the bot is in no server yet, add it:\n`;

it.each(table`
  register sets up the application, sends the commands and names the links, once, and with --dry-run not at all | card usage | register --dry-run; changes; register; register; changes | 0 Global: ${UNSET}+ /card\n+ /usage\n /  / 0 Global: ${UNSET}+ /card\n+ /usage\n${ADD}${BOTH_LINKS} / 0 Global: nothing differs.\n / PATCH PUT
  register removes what this checkout does not have, but for menus of others, which clear leaves alone, too | usage menu | others put card; register --json; list; clear --yes; list | 0 {"application":{"id":"ID","name":"Cards"},"guildId":null,"same":false,"settings":["description","tags"],"added":["usage","Look up"],"removed":["card"],"changed":[],"kept":["Show collection"],"sent":true} / 0 Global: 3\n/usage  N  What is left\nLook up  N\nShow collection  N\n / 0 Global: something differs.\n- /usage\n- Look up\n${DONE}This removes the commands from every server.\n / 0 Global: 1\nShow collection  N\n
  in one server application and global commands are left alone, and no link is named | card | register in-server; diff in-server; clear in-server; list in-server; changes | 0 Commands in server N of Cards (ID): something differs.\n+ /card\n${DONE} / 0 Commands in server N of Cards (ID): nothing differs.\n / 0 Commands in server N of Cards (ID): something differs.\n- /card\n${DONE} / 0 Commands in server N of Cards (ID): none.\n / PUT PUT
  the application is compared, and set up alone where its commands are registered | card | USER_INSTALL_DAILY_REQUESTS=0 register; others patch; USER_INSTALL_DAILY_REQUESTS=0 diff; USER_INSTALL_DAILY_REQUESTS=0 register --json; USER_INSTALL_DAILY_REQUESTS=0 diff; changes | 0 Global: something differs.\n~ integration_types_config of the application\n~ description of the application\n~ tags of the application\n+ /card\n${ADD}${SERVER}\n / 2 Global: something differs.\n~ description of the application\n / 0 {"application":{"id":"ID","name":"Cards"},"guildId":null,"same":false,"settings":["description"],"added":[],"removed":[],"changed":[],"kept":[],"sent":true} / 0 Global: nothing differs.\n / PATCH PUT PATCH PATCH
  clear of the global commands asks on a terminal, and wants --yes without one | menu card | register; clear; clear: no; clear --dry-run; list; clear: yes; list; clear; changes | 0 Global: ${UNSET}+ Look up\n+ /card\n${ADD}${BOTH_LINKS} / 1 This removes the commands from every server. Add --yes to go ahead.\n / 1 Nothing more was sent.\n / 0 Global: something differs.\n- Look up\n- /card\n / 0 Global: 2\nLook up  N\n/card  N  Show one card\n / 0 Global: something differs.\n- Look up\n- /card\n${DONE} / 0 Global: none.\n / 0 Global: nothing differs.\n / PATCH PUT PUT
  invite prints the link for a server and the one for a member, or the first alone without user install | card | invite; invite --json; USER_INSTALL_DAILY_REQUESTS=0 invite | 0 ${BOTH_LINKS} / 0 {"application":{"id":"ID","name":"Cards"},"guildId":null,"link":"${SERVER}","userLink":"${MEMBER}"} / 0 ${SERVER}\n
`)('%s', async (_, names = '', steps = '', said) => {
  expect(await says(names, steps)).toBe(said);
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
  const { commands } = JSON.parse((await cli('list --json')).out);
  expect(commands).toContainEqual(expect.objectContaining({ name: 'card', integration_types: types }));
  const { description, tags, integration_types_config: installs } = await ask('GET', '@me');
  expect(description).toContain('/card');
  expect(tags).toContain('card prices');
  expect(Object.keys(Object(installs))).toEqual(types.map(String));
});

describe('diff', () => {
  it.each(table`
    description | description="Old"
    age limit | nsfw=true
    places | contexts=[0]
    installs | integration_types=[0,1]
    permissions | default_member_permissions="32"
    translations | description_localizations={"de":"Karte"}
    number of options | options=[${JSON.stringify(ID)}]
    option | options.0.max_length=50
    option's translation | options.0.description_localizations={"de":"Karte"}
  `)('names a command that has another %s, and exits 2', async (_, other) => {
    await cli('register', { commands: [changed(CARD, other), MENU] });
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
  /** Scopes and permissions of links. */
  const LINKS = {
    BOTH: '{"oauth2_install_params":{"scopes":["applications.commands","bot"],"permissions":"0"}}',
    MEMBERS: '{"oauth2_install_params":{"scopes":["applications.commands"],"permissions":"0"}}',
    OURS: '{"oauth2_install_params":{"scopes":["bot","applications.commands"],"permissions":"8"}}',
    THEIRS: '{"oauth2_install_params":{"scopes":["applications.commands"],"permissions":"8"}}',
    LACKS: '{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}}',
  };
  const given = (cell: string | undefined) =>
    cell ? JSON.parse(cell.replaceAll(/[A-Z]{4,}/g, (name) => LINKS[name as keyof typeof LINKS])) : undefined;

  it.each(table`
    offers both installs where it never said | | {"0":BOTH,"1":MEMBERS}
    stays as it is where both are offered | {"0":OURS,"1":THEIRS} |
    has no link where an operator took it away | {"0":{},"1":{}} |
    gets the scopes that lack, and keeps the permissions of an operator | {"0":LACKS,"1":THEIRS} | {"0":OURS,"1":THEIRS}
    gets members' install where only servers' is offered | {"0":OURS} | {"0":OURS,"1":MEMBERS}
    gets no link where it is private | | {"0":{},"1":{}} | {"bot_public":false}
    gets no link where an operator has one | | {"0":{},"1":{}} | {"custom_install_url":"https://own.test"}
  `)('%s', async (_, before, after, more) => {
    const [integration_types_config, wanted] = [given(before), given(after)];
    const body = { id: discord.applicationId, name: 'Cards', description: 'Ours', tags: ['ours'], ...given(more) };
    discord.faults.script({ route: 'any', answer: { status: 200, body: { ...body, integration_types_config } } });
    await cli('register', { commands: [] });
    expect(changes()).toEqual(wanted ? ['PATCH'] : []);
    expect((await ask('GET', '@me')).integration_types_config).toEqual(wanted ?? { 0: {}, 1: {} });
  });
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
