import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';

const SCRIPT = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

/** Starting Node with discord.js takes 0.5 s on an idle machine. */
const TIMEOUT_MS = 60_000;

describe('npm run commands, as a process', { timeout: TIMEOUT_MS }, () => {
  let discord: EmulatedDiscord;
  beforeAll(async () => {
    discord = await startEmulatedDiscord();
  });
  afterAll(() => discord.close());

  async function run(line: string, token = discord.botToken) {
    const env = { ...COMPILE_CACHE, PATH: process.env.PATH, DISCORD_TOKEN: token, DISCORD_API_URL: discord.apiUrl };
    const child = spawn(process.execPath, [SCRIPT, 'commands', ...line.split(' ')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, out, err };
  }

  it('reports the commands of the bot as missing, and registers them', async () => {
    expect(await run('diff')).toMatchObject({ code: 2, err: '' });
    expect(await run('register')).toMatchObject({ code: 0, err: '' });
    expect(discord.commandsFor({ guildId: null }).map(({ name }) => name)).toContain('card');
  });

  it('ends without an error when its reader closes the pipe early', async () => {
    const child = spawn(process.execPath, [SCRIPT, 'commands', '--help'], {
      env: COMPILE_CACHE,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
