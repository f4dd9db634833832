import { once } from 'node:events';
import { request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';

const PICTURE = { contentType: 'image/svg+xml', body: '<svg/>' };
let discord: EmulatedDiscord;
beforeEach(async () => {
  discord = await openDiscord({ image: (url) => (url === 'https://x.test/a b.svg' ? PICTURE : undefined) });
});

const USER_AGENT = 'DiscordBot (https://example.test, 1.0)';

interface Call {
  method?: string;
  headers?: object;
  body?: string;
}

async function call(path: string, { method = 'GET', headers = {}, body }: Call = {}) {
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers: { 'user-agent': USER_AGENT, authorization: `Bot ${discord.botToken}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const CALLBACK = '/interactions/1/x/callback';
const posted = (body: string): Call => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('the API', () => {
  it.each([
    'DiscordBot (https://example.test, 1.0) extra/2',
    'DiscordBot (https://example.test)',
    'node',
    'curl/8.5.0',
  ])('serves the client %s', async (userAgent) => {
    expect((await call('/applications/@me', { headers: { 'user-agent': userAgent } })).status).toBe(200);
  });

  it.each<[string, string, Call, number, number]>([
    ['a wrong token', '/gateway/bot', { headers: { authorization: 'Bot x' } }, 401, 0],
    ['a browser', '/applications/@me', { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } }, 403, 40_333],
    ['a web page', '/applications/@me', { headers: { origin: 'https://evil.test' } }, 403, 40_333],
    ['a client without a name', '/applications/@me', { headers: { 'user-agent': '' } }, 403, 40_333],
    ['an unknown path', '/nowhere', {}, 404, 0],
    ['a path that is no text', '/webhooks/1/%ff/messages/1', {}, 404, 10_015],
    ['a method that the path does not have', '/gateway/bot', { method: 'DELETE' }, 405, 0],
    ["another application's commands", '/applications/1/commands', {}, 403, 20_012],
    ['an unknown interaction', CALLBACK, posted('{"type":5}'), 404, 10_062],
    ['an unknown webhook', '/webhooks/1/x/messages/@original', {}, 404, 10_015],
    ['what is no JSON', CALLBACK, posted('{'), 400, 50_109],
  ])('refuses %s', async (_what, path, options, status, code) => {
    expect(await call(path, options)).toMatchObject({ status, body: { code } });
  });

  it('states its limits, and keeps tokens out of its log', async () => {
    const { headers } = await call('/gateway/bot');
    await call('/webhooks/1/secret/messages/@original');

    expect(headers.get('x-ratelimit-remaining')).toBe('999');
    expect(discord.requests).toMatchObject([
      { method: 'GET', path: '/api/v10/gateway/bot', status: 200 },
      { method: 'GET', path: '/api/v10/webhooks/1/[token]/messages/@original', status: 404 },
    ]);
  });

  it("is served behind a proxy, under the proxy's name", async () => {
    const { port } = new URL(discord.origin);
    const authorization = `Bot ${discord.botToken}`;
    const headers = { host: 'discord-proxy.test', 'user-agent': USER_AGENT, authorization };
    const proxied = request({ port, host: '127.0.0.1', path: '/api/v10/applications/@me', headers }).end();
    const [response] = await once(proxied, 'response');
    expect(response.resume().statusCode).toBe(200);
  });
});

it.each<[string, object, number | string]>([
  ['a status', { answer: { status: 503 } }, 503],
  ['an orderly end', { answer: 'close' }, 'UND_ERR_SOCKET'],
  ['a torn connection', { answer: 'reset' }, 'ECONNRESET'],
  ['a lost answer', { answer: 'lose answer' }, 'UND_ERR_SOCKET'],
  ['a late answer', { delayMs: 20 }, 200],
])('a scripted fault is %s for one request, and then requests succeed', async (_, fault, seen) => {
  /** The status, or the error code of the broken connection. */
  const outcome = () =>
    call('/gateway/bot').then(
      ({ status }) => status,
      (error: Error) => (error.cause as { code?: string }).code,
    );
  discord.faults.script({ route: 'gateway/bot', ...fault });
  expect([await outcome(), await outcome()]).toEqual([seen, 200]);
  expect(discord.requests.map(({ status }) => status)).toEqual([typeof seen === 'string' ? 0 : seen, 200]);
});

it('a direct message is refused as Discord refuses it', async () => {
  const [alice = ''] = discord.members.map(({ id }) => id);
  const post = async (path: string, body: object) => (await call(path, posted(JSON.stringify(body)))).body;
  const open = (memberId: string) => post('/users/@me/channels', { recipient_id: memberId });
  const { id } = await open(alice);
  const send = (message: object, channel = id) => post(`/channels/${channel}/messages`, message);
  const row = { type: 1, components: [{ type: 2, style: 1, custom_id: 'a', label: 'A' }] };
  const answers = [
    await open('1'),
    await send({ content: 'Hello' }, '1'),
    await send({ content: '' }),
    await send({ content: 'Hello', nonce: 'x'.repeat(26) }),
    await send({ content: 'Hello', components: [row, row] }),
  ];
  expect(answers.map(({ code }) => code)).toEqual([50_033, 10_003, 50_006, 50_035, 50_035]);

  discord.takesMessages(alice, false);
  expect(await send({ content: 'Hello' })).toMatchObject({ code: 50_007 });
  discord.takesMessages(alice, true);
  discord.limitOpenings({ atOnce: 0, tookMs: 0 });
  expect(await open(alice)).toMatchObject({ code: 40_003 });
  expect(discord.messages()).toEqual([]);
});

describe('the pictures of embeds', () => {
  it('are served from here, and cannot run scripts', async () => {
    const response = await fetch(`${discord.origin}/external/${encodeURIComponent('https://x.test/a b.svg')}`);

    expect(await response.text()).toBe('<svg/>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  it.each(['/external/https%3A%2F%2Fx.test%2Fb.png', '/external/%ff', '/'])('are not served at %s', async (path) => {
    expect((await fetch(discord.origin + path)).status).toBe(404);
  });
});
