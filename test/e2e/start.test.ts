import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Loaded before the program: writes the name of each module that is loaded to standard error. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    },
  });`)}`;

/** With exactly this environment. */
function start(args: readonly string[], env: Record<string, string>) {
  return startProgram([process.execPath, '--import', TELL_LOADED, ...args], { env });
}

describe('what is not used is not loaded', () => {
  it.each([
    ['the bot', ['src/main.ts']],
    ['the registration of commands', ['src/cli/main.ts', 'commands', 'diff']],
  ])('%s with a wrong configuration says so without discord.js', async (_, args) => {
    const program = start(args, { ...COMPILE_CACHE, DISCORD_TOKEN: 'Bot x', DATA_DIR: temporaryFolder() });
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('The configuration is invalid');
    expect(program.output()).toContain('DISCORD_TOKEN: write the bot token alone');
    expect(program.output()).toContain('/zod/');
    expect(program.output()).not.toMatch(/node_modules\/(discord\.js|@discordjs|undici)\//);
  });

  it('by the doctor that sends nothing: discord.js and Redis', async () => {
    const doctor = start(['src/cli/main.ts', 'doctor', '--offline'], { ...COMPILE_CACHE, DATA_DIR: temporaryFolder() });
    expect(await doctor.ended).toBe(1);
    expect(doctor.output()).not.toMatch(/node_modules\/(discord\.js|@discordjs|@redis)\//);
  });

  it('by a bot without terminal, Redis, metrics and alerts: what these need; its compile cache is in DATA_DIR', async () => {
    const { env } = await startBackends();
    const bot = start(['src/main.ts'], env);
    await bot.wrote('gateway ready');
    expect(bot.output()).toContain('/node_modules/discord.js/');
    expect(bot.output()).not.toMatch(/node_modules\/(pino-pretty|@redis|@keyv\/redis|@prometheus-io|commander)\//);
    expect(bot.output()).not.toMatch(/src\/operations\/(alerts|metrics)\.ts/);
    const cache = () => readdirSync(join(env.DATA_DIR, 'compile-cache'), { recursive: true });
    await expect.poll(() => cache().length).toBeGreaterThan(100);
  });
});

it('the compile cache is not begun by a command line that keeps no data', async () => {
  const folder = temporaryFolder();
  const help = start(['src/cli/main.ts', '--help'], { DATA_DIR: join(folder, 'none') });
  expect(await help.ended).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});
