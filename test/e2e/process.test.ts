import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { startBotProcess, startUnderNpm } from '../support/bot-process.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { onFinished } from '../support/on-finished.ts';
import { stalledPipe } from '../support/stalled-pipe.ts';
import { finalAnswer } from '../support/world.ts';

describe('npm start', () => {
  it.each([
    ['Discord refuses the token', {}, 'Discord refuses the bot token. Make a new one'],
    [
      'it cannot write its data',
      { DATA_DIR: '/dev/null/data' },
      'Set DATA_DIR to a folder that this user may write to',
    ],
  ])('exits 1 with a sentence when %s', async (_, variables, says) => {
    const { discord, env } = await startBackends();
    if (!('DATA_DIR' in variables)) discord.revokeToken();
    const bot = startBotProcess({ ...env, ...variables });
    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain(says);
    expect(bot.output()).not.toContain(env.DISCORD_TOKEN);
  });

  it('keeps trying while Discord cannot be reached, and stops on SIGTERM', async () => {
    const { env } = await startBackends();
    const bot = startBotProcess({ ...env, DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    await bot.wrote('discord cannot be reached');
    bot.child.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  it('answers until SIGTERM and exits 0; a process that waits for its data takes over, or stops on SIGTERM', async () => {
    const { card, cardService, env } = await startBackends();
    cardService.script({ path: 'odd', body: SANDBOX_API_KEY });
    const lookUp = (id: string) => card(id).settled();
    const first = startBotProcess({ ...env, LOG_LEVEL: 'trace', GUILD_DAILY_REQUEST: 'four thousand' });
    await first.wrote('gateway ready');
    const waiting = startBotProcess(env);
    await waiting.wrote('"timeoutMs":15000,"msg":"another process uses the database: waiting for it to end"');
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toBe(0);

    for (const id of ['odd', SANDBOX_API_KEY]) await lookUp(id);
    const { embeds } = await lookUp('base1-4');
    await first.wrote('"msg":"command"');
    const second = startAppBot(env);
    first.child.kill('SIGTERM');

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(await first.ended).toBe(0);
    expect(first.output()).toContain(`"msg":"state: files in ${env.DATA_DIR}"`);
    expect(first.output()).toContain(
      '"check":"GUILD_DAILY_REQUEST","cure":"Nothing reads it. Did you mean GUILD_DAILY_REQUESTS?',
    );
    for (const secret of ['four thousand', env.DISCORD_TOKEN, SANDBOX_API_KEY])
      expect(first.output()).not.toContain(secret);
    await (await second).wrote('gateway ready');
    expect((await lookUp('base1-9')).embeds[0]?.title).toBe('Paper Lantern Swarm');
  });
});

/** Long enough for a request to be under way when the signal arrives. */
const SLOW_MS = 1_200;

it('Ctrl-C, which npm delivers twice within milliseconds, stops the bot with exit code 0 after the lookup in progress is answered', async () => {
  const { card, cardService, env } = await startBackends({ latencyMs: SLOW_MS });
  const npm = startUnderNpm(['start'], env);
  await npm.wrote('gateway ready');
  const typed = card('base1-4');
  await expect.poll(() => cardService.requests).toHaveLength(1);

  npm.ctrlC();

  expect(await finalAnswer(typed)).toBe('Emberwing Drake');
  expect(await npm.ended, npm.output()).toBe(0);
  expect(npm.output()).toContain('"msg":"stopped"');
  expect(cardService.requests).toHaveLength(1);
});

/** A bot whose standard output nobody reads, and which is connected. */
async function startStalled(command: string, args: string[], variables: Record<string, string> = {}) {
  const { card, env } = await startBackends({}, { HTTP_PORT: '0', LOG_LEVEL: 'trace' });
  const pipe = stalledPipe();

  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    env: { PATH, HOME, ...COMPILE_CACHE, ...env, ...variables },
    stdio: ['ignore', pipe.fd, pipe.fd],
    detached: true, // a group of its own, so that what npm has started ends with it
  });
  onFinished(() => child.exitCode === null && child.pid && process.kill(-child.pid, 'SIGKILL'));
  let text = '';
  const port = () => {
    text += pipe.read();
    return /"port":(\d+),"msg":"metrics are served"/.exec(text)?.[1];
  };
  await expect.poll(port).toBeDefined();
  const origin = `http://127.0.0.1:${port()}`;
  const page = (path: string) =>
    fetch(origin + path).then(
      ({ status }) => status,
      () => 'unreachable',
    );
  await expect.poll(() => page('/readyz')).toBe(200);
  pipe.fill();
  return { child, card, pipe, page, ended: once(child, 'exit') };
}

describe('a bot whose output nobody reads', () => {
  it('goes on answering, and stops on SIGTERM', async () => {
    const { child, card, page, ended } = await startStalled('npm', ['start']);
    for (let command = 0; command < 20; command++) {
      expect(await finalAnswer(card('base1-4'))).toBe('Emberwing Drake');
    }
    expect(await page('/healthz')).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('exits 1 after a bug, with a line that says so to whoever reads again within a second', async () => {
    const bug = 'process.once("SIGUSR2", () => { throw new TypeError("a bug") })';
    const { child, pipe, ended } = await startStalled(process.execPath, ['src/main.ts'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    });
    child.kill('SIGUSR2');
    let text = pipe.read();
    const reading = setInterval(() => {
      text += pipe.read();
    }, 5);
    expect(await ended).toEqual([1, null]);
    clearInterval(reading);
    expect(text + pipe.read()).toMatch(/"level":"fatal".*a bug/);
  });
});
