import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { refusal, startPageServer } from '../../../sandbox/page/page-server.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';
import { openDiscord } from '../../support/backends.ts';
import { onFinished } from '../../support/on-finished.ts';
import { table } from '../../table.ts';

let discord: EmulatedDiscord;
let page: Awaited<ReturnType<typeof startPage>>;
beforeAll(async () => {
  discord = await openDiscord();
  page = await startPage();
});

async function startPage(port = 0) {
  const server = await startPageServer({ port, discord, cardService: new EmbeddedCardService() });
  onFinished(() => server.close());
  return server;
}

interface Asked {
  method?: string | undefined;
  headers?: Record<string, string>;
  body?: string;
}

/** Uses node:http, because fetch sets Host and Origin itself. */
async function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const asking = request(page.url, { path, method, headers }).end(body);
  asking.on('error', () => {}); // a body that is too long may be cut off after the answer
  const [response] = await once(asking, 'response');
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** The status and the sentence of a refusal. */
async function sentence(...asked: Parameters<typeof ask>): Promise<string> {
  const answer = await ask(...asked);
  return `${answer.status} ${JSON.parse(answer.text).error}`;
}

it('the page may load only its own files and the pictures of the emulated Discord, and no other origin may read it', async () => {
  const { headers } = await ask('/');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    `img-src data: ${discord.origin}`,
  ];
  expect(String(headers['content-security-policy']).split('; ')).toEqual(expect.arrayContaining(policy));
  expect(headers).toMatchObject({
    ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

it.each(table`
  GET | /nothing | 404 There is nothing here.
  GET | // | 404 There is nothing here.
  GET | /api/constructor | 404 There is nothing here.
  GET | /api/storm | 405 Only POST is answered here.
  DELETE | /page.js | 405 Only GET is answered here.
`)('%s %s is answered with %s', async (method, path = '', words) => {
  expect(await sentence(path, { method })).toBe(words);
});

it.each(['/', '/api/events'])('%s is refused under another host name', async (path) => {
  expect(await sentence(path, { headers: { Host: 'rebound.example' } })).toMatch(/^421 /);
});

it.each([
  ...table`
    storm | [-1e15] | ^422 stormUntilMs: .*
    storm | ["10"] | ^422 stormUntilMs: .*
    set | [{"plan": "gold"}] | ^422 plan: .*
    set | [{"latencyMs": 1e9}] | ^422 latencyMs: .*
    set | [{"nothing": 5}] | ^422 .*nothing.*
    type | [{"command": "card", "memberId": "1"}] | ^422 There is no member with the id 1
    post | [{"content": " "}] | ^422 A message has 1 to 2000 characters
    storm | {"durationMs": 5} | ^400 The body is not a list of arguments
    storm | [ | ^400 The body is not JSON
  `,
  ['storm', ' '.repeat(70_000), '^413 The body is longer than 64 KiB'],
])('an action refuses %s with the arguments %j in one sentence', async (name, body = '', words) => {
  const headers = { Origin: page.url, 'Content-Type': 'application/json' };
  expect(await sentence(`/api/${name}`, { method: 'POST', headers, body })).toMatch(new RegExp(`${words}\\.$`));
});

it('takes the next free port when its own is taken, and closes although pages are open', async () => {
  const next = await startPage(page.port);
  expect(next.port).toBeGreaterThan(page.port);
  expect(await (await fetch(next.url)).text()).toContain('cardbot sandbox');
  const open = await fetch(`${next.url}/api/events`);
  await next.close();
  await expect(open.text()).resolves.toMatch(/^data: /);
  await expect(fetch(next.url)).rejects.toThrow('fetch failed');
});

it.each(table`
  itself | GET | 4000 | 127.0.0.1:4000 | | |
  itself under localhost | GET | 4000 | localhost:4000 | | |
  its own script | GET | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000 | application/json |
  itself at port 80, which browsers omit | GET | 80 | 127.0.0.1 | | |
  its own script | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000 | application/json |
  its own script, with a charset | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000
    | Application/JSON; charset=utf-8 |
  a name that resolves to loopback | GET | 4000 | evil.example:4000 | | | 421
  another port | GET | 4000 | 127.0.0.1:4001 | | | 421
  no port | GET | 4000 | 127.0.0.1 | | | 421
  a longer name | GET | 4000 | 127.0.0.1:4000.evil.example | | | 421
  no host | GET | 4000 | | | | 421
  another origin | GET | 4000 | 127.0.0.1:4000 | http://evil.example | | 403
  a sandboxed frame | GET | 4000 | 127.0.0.1:4000 | null | | 403
  another origin | POST | 4000 | 127.0.0.1:4000 | http://evil.example | application/json | 403
  another local port | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:3000 | application/json | 403
  the other of its own names | POST | 4000 | 127.0.0.1:4000 | http://localhost:4000 | application/json | 403
  https | POST | 4000 | 127.0.0.1:4000 | https://127.0.0.1:4000 | application/json | 403
  no origin | POST | 4000 | 127.0.0.1:4000 | | application/json | 403
  a form | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000 | application/x-www-form-urlencoded | 415
  text that a form can send | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000 | text/plain | 415
  no type | POST | 4000 | 127.0.0.1:4000 | http://127.0.0.1:4000 | | 415
`)('a request of %s (%s) at port %s as %s from %s with %s is answered, or refused: %s', (_, method, port, ...cells) => {
  const [host, origin, type, status] = cells.map((cell) => cell || undefined);
  const refused = refusal({ method, headers: { host, origin, 'content-type': type } }, Number(port));
  expect(refused && `${refused.status}`).toBe(status);
});
