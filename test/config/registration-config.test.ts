import { describe, expect, it } from 'vitest';
import { readRegistrationConfig } from '../../src/config/config.ts';

describe('the configuration of the registration CLI', () => {
  it('needs a token and nothing else', () => {
    expect(readRegistrationConfig({ DISCORD_TOKEN: 'a.b.c', CARD_SERVICE_URL: 'nonsense' })).toEqual({
      token: 'a.b.c',
      apiUrl: 'https://discord.com/api',
    });
  });

  it('takes another address, without its last slash', () => {
    const env = { DISCORD_TOKEN: 'a.b.c', DISCORD_API_URL: 'http://127.0.0.1:4010/api/' };
    expect(readRegistrationConfig(env).apiUrl).toBe('http://127.0.0.1:4010/api');
  });

  it.each([
    ['no token', {}, 'DISCORD_TOKEN: missing; write the bot token'],
    ['an empty token', { DISCORD_TOKEN: ' ' }, 'DISCORD_TOKEN: missing'],
    ['a token with its scheme', { DISCORD_TOKEN: 'Bot sesame' }, 'DISCORD_TOKEN: write the bot token alone'],
    [
      'no address',
      { DISCORD_TOKEN: 't', DISCORD_API_URL: 'sesame' },
      'DISCORD_API_URL: write an address that begins with https:// or http://',
    ],
    ['a version', { DISCORD_TOKEN: 't', DISCORD_API_URL: 'https://sesame.test/api/v10' }, 'without version'],
    ['a password', { DISCORD_TOKEN: 't', DISCORD_API_URL: 'https://u:sesame@x.test' }, 'without user, password'],
  ])('refuses %s and says what to write, without the value', (_, env, sentence) => {
    const read = () => readRegistrationConfig(env);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow('sesame');
  });

  it('names every problem at once', () => {
    expect(() => readRegistrationConfig({ DISCORD_API_URL: 'x' })).toThrow(/DISCORD_TOKEN[\s\S]*DISCORD_API_URL/);
  });
});
