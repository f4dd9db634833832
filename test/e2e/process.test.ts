import { describe, expect, it } from 'vitest';
import { SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';

describe('npm start', () => {
  it('exits 1 with a sentence when Discord refuses the token', async () => {
    const { discord, env } = await startBackends();
    discord.revokeToken();
    const bot = startBotProcess(env);
    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain('Discord refuses the bot token. Make a new one');
    expect(bot.output()).not.toContain(env.DISCORD_TOKEN);
  });

  it('keeps trying while Discord cannot be reached, and stops on SIGTERM', async () => {
    const { env } = await startBackends();
    const bot = startBotProcess({ ...env, DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    await bot.wrote('discord cannot be reached');
    bot.child.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  it('exits 1 with a sentence when it cannot write its data', async () => {
    const { env } = await startBackends();
    const bot = startBotProcess({ ...env, DATA_DIR: '/dev/null/data' });
    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain('Set DATA_DIR to a folder that this user may write to');
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
