import { once } from 'node:events';
import { request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import { table } from '../../table.ts';
import { button, embeddedDiscord, row } from './embedded.ts';

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

  it.each(table`
    a wrong token | GET /gateway/bot | {"authorization":"Bot x"} | | 401 0
    a browser | GET /applications/@me | {"user-agent":"Mozilla/5.0 (X11; Linux x86_64)"} | | 403 40333
    a web page | GET /applications/@me | {"origin":"https://evil.test"} | | 403 40333
    a client without a name | GET /applications/@me | {"user-agent":""} | | 403 40333
    an unknown path | GET /nowhere | {} | | 404 0
    a path that is no text | GET /webhooks/1/%ff/messages/1 | {} | | 404 10015
    a method that the path does not have | DELETE /gateway/bot | {} | | 405 0
    another application's commands | GET /applications/1/commands | {} | | 403 20012
    an unknown interaction | POST /interactions/1/x/callback | {} | {"type":5} | 404 10062
    an unknown webhook | GET /webhooks/1/x/messages/@original | {} | | 404 10015
    what is no JSON | POST /interactions/1/x/callback | {} | { | 400 50109
  `)('refuses %s', async (_, asked = '', headers = '', body, refusal) => {
    const [method = '', path = ''] = asked.split(' ');
    const sent = body ? posted(body) : {};
    const answered = await call(path, { ...sent, method, headers: { ...sent.headers, ...JSON.parse(headers) } });
    expect(`${answered.status} ${answered.body.code}`).toBe(refusal);
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
  const bot = await embeddedDiscord();
  const [{ id: alice } = { id: '' }] = bot.discord.members;
  const open = (memberId: string) => bot.call('POST', '/users/@me/channels', { recipient_id: memberId });
  const { id } = (await open(alice)).body;
  const send = (message: object, channel = id) => bot.call('POST', `/channels/${channel}/messages`, message);
  const answers = [
    await open('1'),
    await send({ content: 'Hello' }, '1'),
    await send({ content: '' }),
    await send({ content: 'Hello', nonce: 'x'.repeat(26) }),
    await send({ content: 'Hello', components: [row(button('a')), row(button('a'))] }),
  ];
  bot.discord.takesMessages(alice, false);
  answers.push(await send({ content: 'Hello' }));
  bot.discord.takesMessages(alice, true);
  bot.discord.limitOpenings({ atOnce: 0, tookMs: 0 });
  answers.push(await open(alice));
  expect(answers.map(({ code }) => code)).toEqual([50_033, 10_003, 50_006, 50_035, 50_035, 50_007, 40_003]);
  expect(bot.discord.messages()).toEqual([]);
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
