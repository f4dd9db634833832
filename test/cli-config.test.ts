import { describe, expect, it } from 'vitest';
import { readCliConfig } from '../src/cli-config.ts';

describe('the configuration of the registration CLI', () => {
  it('needs a token and nothing else', () => {
    expect(readCliConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'nonsense' })).toEqual({
      discordToken: 'a.b.c',
      discordApiUrl: 'https://discord.com/api',
    });
  });

  it('takes another address, without its last slash', () => {
    const env = { DISCORD_TOKEN: 'a.b.c', DISCORD_API_URL: 'http://127.0.0.1:4010/api/' };
    expect(readCliConfig(env).discordApiUrl).toBe('http://127.0.0.1:4010/api');
  });

  it.each([
    ['no token', {}, 'DISCORD_TOKEN is not set. Write the bot token'],
    ['an empty token', { DISCORD_TOKEN: ' ' }, 'DISCORD_TOKEN is not set.'],
    ['a token with its scheme', { DISCORD_TOKEN: 'Bot sesame' }, 'DISCORD_TOKEN is not a token.'],
    ['no address', { DISCORD_TOKEN: 't', DISCORD_API_URL: 'sesame' }, 'DISCORD_API_URL must be an http(s) address'],
    ['a version', { DISCORD_TOKEN: 't', DISCORD_API_URL: 'https://sesame.test/api/v10' }, 'without version'],
    [
      'a password',
      { DISCORD_TOKEN: 't', DISCORD_API_URL: 'https://u:sesame@x.test' },
      'without version, query or password',
    ],
  ])('refuses %s and says what to write, without the value', (_, env, sentence) => {
    const read = () => readCliConfig(env);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow('sesame');
  });

  it('names every problem at once', () => {
    expect(() => readCliConfig({ DISCORD_API_URL: 'x' })).toThrow(/DISCORD_TOKEN[\s\S]*DISCORD_API_URL/);
  });
});
