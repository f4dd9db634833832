import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import type { EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import { run } from '../cli/run.ts';
import { type AppBot, openDiscord, startAppBot } from '../support/backends.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { noRealRedis, startRealRedis, startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { table } from '../table.ts';

const OURS = commands.map(({ data }) => data.name);
const FOREIGN = [
  { name: 'roll', description: 'Roll dice', dm_permission: false },
  { type: 2, name: 'Show collection' },
];
/** The same commands in other places: as good as another version. */
const OTHER = { USER_INSTALL_DAILY_REQUESTS: '0' };
const VARIABLES: NodeJS.Dict<object> = { other: OTHER, off: { REGISTER_COMMANDS: 'off' } };

/** An application that nobody has set up, and bots for it, one after the other on the same data. */
async function newApplication(options: EmulatedDiscordOptions = {}) {
  const discord = await openDiscord(options);
  const { applicationId, botToken, requests } = discord;
  const env: Record<string, string> = {
    ...{ DISCORD_TOKEN: botToken, DISCORD_API_URL: discord.apiUrl, DATA_DIR: temporaryFolder() },
    ...{ CARD_SERVICE_URL: 'http://127.0.0.1:10901', LOG_LEVEL: 'trace' },
  };
  const changes = () =>
    requests.flatMap(({ method, path }) => (method !== 'GET' && /v10.app/.test(path) ? method : []));
  let bot: AppBot | undefined;
  return {
    ...{ discord, env, changes },
    /** As another program registers its own, which removes all others. */
    replace() {
      const headers = { authorization: `Bot ${botToken}`, 'content-type': 'application/json' };
      const address = `${discord.apiUrl}/v10/applications/${applicationId}/commands`;
      return fetch(address, { method: 'PUT', headers, body: JSON.stringify(FOREIGN) });
    },
    byHand: (variables: object = {}, ...flags: string[]) =>
      run(['commands', 'register', ...flags], { env: { ...env, ...variables } }),
    /** What Discord lists beside ours, and what it lacks. */
    async others() {
      const { out } = await run(['commands', 'list', '--json'], { env });
      const listed: { name: string; dm_permission: boolean }[] = JSON.parse(out).commands;
      const names = listed.map(({ name, dm_permission: isEverywhere }) =>
        isEverywhere || OURS.includes(name) ? name : `${name} in servers`,
      );
      const lacking = OURS.filter((name) => !names.includes(name)).map((name) => `no ${name}`);
      return [...names.filter((name) => !OURS.includes(name)), ...lacking].join(', ');
    },
    /** Starts the bot anew, until it has looked after its commands. @returns what it has changed and said */
    async start(variables = {}) {
      await bot?.stop();
      const before = changes().length;
      bot = await startAppBot({ ...env, ...variables });
      await Promise.all([bot.wrote('gateway ready'), bot.registered]);
      expect(bot.output()).not.toContain(botToken);
      const said = bot.output().match(/.*"(?:warn|link)":?.*/g) ?? [];
      return [...changes().slice(before), ...said].join(' ') || 'nothing';
    },
  };
}

/** From now on the bots of this process are a version without this command. */
function withdraw(name: string): void {
  const at = commands.findIndex(({ data }) => data.name === name);
  const gone = commands.splice(at, 1);
  onTestFinished(() => void commands.splice(at, 0, ...gone));
}

const DIFFERS = '.*the commands at Discord are not as they were sent.* npm run commands -- diff.*';

it.each(table`
  registers once, and again what has changed | start; start; start other; start other | PATCH PUT; nothing; PATCH PUT; nothing |
  lets commands of others stand, and removes its own | others; start; withdraw; start; start | PATCH PUT; PUT; nothing | roll in servers, Show collection, no usage
  removes none that it has not registered | by hand; withdraw; start; start other | nothing; PATCH PUT |
  registers again what another version has replaced by hand | start; by hand other; start other; start | PATCH PUT; nothing; PATCH PUT |
  sends nothing again that Discord has changed by itself, but what is new | start; others; start; start; start other | PATCH PUT; ${DIFFERS}; ${DIFFERS}; PATCH PUT | roll in servers, Show collection
  leaves all to a moderator | start off; start | nothing; PATCH PUT |
  names what members of a server see twice | start; trial; start | PATCH PUT; .*Members of Collectors see /card, .* twice. Run: npm run commands -- clear --guild \d+".* |
`)('a bot %s', async (_, script = '', said = '', others) => {
  const application = await newApplication();
  const answers: string[] = [];
  for (const step of script.split('; ')) {
    if (step === 'others') await application.replace();
    else if (step.startsWith('by hand')) await application.byHand(VARIABLES[step.slice('by hand '.length)]);
    else if (step === 'trial') await application.byHand({}, '--guild', application.discord.guilds[0]?.id ?? '');
    else if (step === 'withdraw') withdraw('usage');
    else answers.push(await application.start(VARIABLES[step.slice('start '.length)]));
  }
  expect(answers).toEqual(said.split('; ').map((each) => expect.stringMatching(`^${each}$`)));
  expect(await application.others()).toBe(others);
});

it('a bot that is in no server names the links that add it, once the gateway is there', async () => {
  const { discord, start } = await newApplication({ guilds: [] });
  const link = `https://discord.com/oauth2/authorize\\?client_id=${discord.applicationId}&scope=`;
  expect(await start()).toMatch(new RegExp(`^PATCH PUT .*"${link}bot.*"${link}app.*the bot is in no server: `));
  expect(discord.requests[0]?.path).toMatch(/gateway.bot$/);
});

it.each(table`
  429 1e20 | 200 new commands a day. Try again after|Discord asks to wait
  429 7200 | 200 new commands a day. Try again after|Discord asks to wait
  403 <html> | refuses this machine
  lose answer | Can't reach Discord
`)('is connected and warns where Discord answers %s, and the next start goes on', async (answered = '', words) => {
  const { discord, start, others } = await newApplication();
  const [status, said = ''] = answered.split(' ');
  const isPage = said === '<html>';
  const headers = isPage ? { 'Content-Type': 'text/html' } : { 'retry-after': said };
  const body = isPage ? said : { message: 'x', retry_after: 7200, global: true };
  const answer = Number(status) ? { status: Number(status), headers, body } : ('lose answer' as const);
  discord.faults.script({ route: 'commands' }, { route: 'commands', answer });
  expect(await start()).toMatch(new RegExp(`commands were not registered: .*(?:${words})`));
  expect(await start()).toMatch(answer === 'lose answer' ? 'nothing' : /^PUT$/);
  expect(await others()).toBe('');
});

it.each(table`
  400 50035 | Discord rejected these settings
  403 20012 | Discord said no: .*20012
`)('registers all the same where its application is refused with %s, and says so each time', async (refused, words) => {
  const { discord, start, others } = await newApplication();
  const [status = 0, code] = (refused ?? '').split(' ').map(Number);
  const answer = { status, body: { code, message: 'x' } };
  discord.faults.script({ route: 'application', times: 2, answer });
  const said = (changed: string) => new RegExp(`^${changed} {.*the application was not set up: ${words}`);
  expect(await start()).toMatch(said('PATCH PUT'));
  expect(await others()).toBe('');
  expect(await start()).toMatch(said('PATCH'));
  expect([await start(), await start()]).toEqual(['PATCH', 'nothing']);
});

it.skipIf(noRealRedis('registration during an outage'))(
  'begins as soon as its Redis is back',
  async () => {
    const { discord, env, changes } = await newApplication();
    const redis = await startRealRedis();
    discord.onRequest(({ path }) => path.endsWith('/gateway/bot') && redis.pause());
    const bot = await startAppBot({ ...env, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix });
    await bot.wrote('gateway ready');
    await sleep(1_000);
    expect(changes()).toEqual([]);
    redis.resume();
    await bot.registered;
    expect(changes()).toEqual(['PATCH', 'PUT']);
  },
  40_000, // a claim lasts longer
);

it('a stop in the middle waits for nothing, and nothing is sent after it', async () => {
  const { discord, env, changes } = await newApplication();
  discord.faults.script({ route: 'commands', answer: 'stall' });
  const bot = startBotProcess(env);
  await expect.poll(() => discord.requests.filter(({ path }) => path.includes('/commands'))).toHaveLength(1);
  bot.child.kill('SIGTERM');
  expect([await bot.ended, changes()]).toEqual([0, []]);
  expect(bot.output()).not.toMatch(/"level":"(?:warn|error)"/);
});

it('one that is killed before it knows that it has registered takes its commands for its own all the same', async () => {
  const { discord, env, start, others } = await newApplication();
  const bot = startBotProcess(env);
  discord.onRequest(({ method }) => method === 'PUT' && bot.child.kill('SIGKILL')); // before it is answered
  expect(await bot.ended).toBe('SIGKILL');
  withdraw('usage');
  expect([await start(), await others()]).toEqual(['PUT', 'no usage']);
});

it('of processes over Redis one registers, also after a kill in the middle, and a foreign command stands', async () => {
  const { discord, env, changes, replace, others } = await newApplication({ shards: 8 });
  const { url, prefix } = await startRedis();
  let shard = 0; // another each time, which need not wait to identify
  const nextEnv = (more = {}) => ({
    ...{ ...env, ...more, REDIS_URL: url, REDIS_KEY_PREFIX: prefix, DATA_DIR: temporaryFolder() },
    ...{ DISCORD_SHARDS: String(shard++), DISCORD_SHARD_COUNT: '8' },
  });
  const two = async (more = {}, another?: BotProcess) => {
    const before = changes().length;
    const bots = await Promise.all([startAppBot(nextEnv(more)), startAppBot(nextEnv(more))]);
    await Promise.all(bots.map(({ wrote }) => wrote('gateway ready')));
    another?.child.kill('SIGKILL');
    await Promise.all(bots.map(({ registered }) => registered));
    await Promise.all(bots.map(({ stop }) => stop()));
    return changes().slice(before).join(' ');
  };
  await replace();
  expect([await two(), await two()]).toEqual(['PATCH PUT', '']);
  const asked = discord.requests.length;
  const looks = () => discord.requests.slice(asked).filter((each) => /^GET .*@me$/.test(`${each.method} ${each.path}`));
  discord.faults.script({ route: 'commands', answer: 'stall' });
  const another = startBotProcess(nextEnv(OTHER));
  await expect.poll(looks).toHaveLength(1);
  expect(await two(OTHER, another)).toBe('PATCH PUT');
  expect(looks()).toHaveLength(2);
  expect(await others()).toBe('roll in servers, Show collection');
});
