import { describe, expect, it } from 'vitest';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { startSurroundings } from '../support/surroundings.ts';

describe('npm start', () => {
  it('answers until it is told to stop, and then exits 0; a misspelled variable is warned of', async () => {
    const { discord, env } = await startSurroundings();
    const bot = startBotProcess({ ...env, GUILD_DAILY_REQUEST: '4711' });
    await discord.gateway.whenReady();

    const { embeds } = await discord.type({ command: 'card', options: { id: 'base1-4' } }).settled();
    await bot.wrote('"msg":"command"');
    bot.child.kill('SIGTERM');

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(await bot.ended).toBe(0);
    expect(bot.output()).toContain('"name":"GUILD_DAILY_REQUEST","meant":"GUILD_DAILY_REQUESTS"');
    expect(bot.output()).not.toContain('4711');
  });

  it('writes neither token nor key, whatever it is asked for', async () => {
    const { discord, cardService, env } = await startSurroundings();
    cardService.script({ path: 'odd', body: SANDBOX_API_KEY });
    const bot = startBotProcess({ ...env, LOG_LEVEL: 'trace' });
    await discord.gateway.whenReady();

    await discord.type({ command: 'card', options: { id: 'odd' } }).settled();
    await discord.type({ command: 'card', options: { id: SANDBOX_API_KEY } }).settled();
    bot.child.kill('SIGTERM');
    await bot.ended;

    expect(bot.output()).not.toContain(env.DISCORD_TOKEN);
    expect(bot.output()).not.toContain(SANDBOX_API_KEY);
  });

  it('exits 1 with every problem of the configuration, and what to write instead', async () => {
    const bot = startBotProcess({ CARD_SERVICE_URL: 'cards', REDIS_URL: 'localhost' });

    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain('DISCORD_TOKEN: missing; write the bot token');
    expect(bot.output()).toContain('CARD_SERVICE_URL: write an address that begins with https:// or http://');
    expect(bot.output()).toContain('REDIS_URL: write an address that begins with redis://');
  });

  it('exits 1 with a sentence when Discord refuses the token', async () => {
    const { env } = await startSurroundings();
    const bot = startBotProcess({ ...env, DISCORD_TOKEN: 'not.the.token' });

    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain('Discord refuses the bot token. Make a new one');
    expect(bot.output()).not.toContain('not.the.token');
  });

  it('keeps trying while Discord cannot be reached, and stops when told', async () => {
    const { env } = await startSurroundings();
    const bot = startBotProcess({ ...env, DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    await bot.wrote('discord cannot be reached');

    bot.child.kill('SIGTERM');

    expect(await bot.ended).toBe(0);
  });

  it('exits 1 with a sentence when its data cannot be kept', async () => {
    const { env } = await startSurroundings();
    const bot = startBotProcess({ ...env, DATA_DIR: '/dev/null/data' });

    expect(await bot.ended).toBe(1);
    expect(bot.output()).toContain('Set DATA_DIR to a folder that this user may write to');
  });

  it('takes over when the process before it leaves, and stops when told so meanwhile', async () => {
    const { discord, env } = await startSurroundings();
    const first = startBotProcess(env);
    await first.wrote('gateway ready');
    const impatient = startBotProcess(env);
    const second = startBotProcess(env);
    await impatient.wrote('waiting for it to leave');
    impatient.child.kill('SIGTERM');
    expect(await impatient.ended).toBe(0);

    first.child.kill('SIGTERM');
    await first.ended;
    await second.wrote('gateway ready');
    const { embeds } = await discord.type({ command: 'card', options: { id: 'base1-4' } }).settled();

    expect(embeds[0]?.title).toBe('Emberwing Drake');
  });
});
