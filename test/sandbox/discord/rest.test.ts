import { request } from 'node:http';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';

let discord: EmulatedDiscord;
beforeEach(async () => {
  discord = await startEmulatedDiscord({
    image: (url) => (url === 'https://x.test/a b.svg' ? { contentType: 'image/svg+xml', body: '<svg/>' } : undefined),
  });
});
afterEach(() => discord.close());

const USER_AGENT = 'DiscordBot (https://example.test, 1.0)';

async function call(
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
) {
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers: { 'user-agent': USER_AGENT, authorization: `Bot ${discord.botToken}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const json = { 'content-type': 'application/json' };

describe('the API', () => {
  it('tells the bot who it is and where its gateway is', async () => {
    expect((await call('/applications/@me')).body).toMatchObject({ id: discord.applicationId });
    expect((await call('/gateway/bot')).body).toMatchObject({
      url: discord.origin.replace('http', 'ws'),
      shards: 1,
      session_start_limit: { remaining: 1_000 },
    });
  });

  it.each<[string, string, Parameters<typeof call>[1], number, number]>([
    ['a wrong token', '/gateway/bot', { headers: { authorization: 'Bot x' } }, 401, 0],
    ['an unknown client', '/gateway/bot', { headers: { 'user-agent': 'curl/8' } }, 403, 40_333],
    ['an unknown path', '/nowhere', {}, 404, 0],
    ['a path that is no text', '/webhooks/1/%ff/messages/1', {}, 404, 0],
    ['a method that the path does not have', '/gateway/bot', { method: 'DELETE' }, 405, 0],
    ["another application's commands", '/applications/1/commands', {}, 403, 20_012],
    [
      'an unknown interaction',
      '/interactions/1/x/callback',
      { method: 'POST', headers: json, body: '{"type":5}' },
      404,
      10_062,
    ],
    ['an unknown webhook', '/webhooks/1/x/messages/@original', {}, 404, 10_015],
    ['what is no JSON', '/interactions/1/x/callback', { method: 'POST', headers: json, body: '{' }, 400, 50_109],
    [
      'a body of another type',
      '/interactions/1/x/callback',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
      400,
      50_035,
    ],
  ])('refuses %s', async (_what, path, options, status, code) => {
    expect(await call(path, options)).toMatchObject({ status, body: { code } });
  });

  it('names its limits, and keeps tokens out of its log', async () => {
    const { headers } = await call('/gateway/bot');
    await call('/webhooks/1/secret/messages/@original');

    expect(headers.get('x-ratelimit-remaining')).toBe('999');
    expect(discord.requests).toMatchObject([
      { method: 'GET', path: '/api/v10/gateway/bot', status: 200 },
      { method: 'GET', path: '/api/v10/webhooks/1/[token]/messages/@original', status: 404 },
    ]);
  });

  it('answers only to its own name', async () => {
    const { port } = new URL(discord.origin);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request({ port, host: '127.0.0.1', path: '/api/v10/gateway/bot', headers: { host: `evil.test:${port}` } })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();

    expect(await promise).toBe(421);
  });
});

describe('the pictures of embeds', () => {
  it('come from here, and cannot run scripts', async () => {
    const response = await fetch(`${discord.origin}/external/${encodeURIComponent('https://x.test/a b.svg')}`);

    expect(await response.text()).toBe('<svg/>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  it.each(['/external/https%3A%2F%2Fx.test%2Fb.png', '/external/%ff', '/'])('are not at %s', async (path) => {
    expect((await fetch(discord.origin + path)).status).toBe(404);
  });
});
