import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { refusal, startPageServer } from '../../../sandbox/page/page-server.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';

let discord: EmulatedDiscord;
let cardService: EmbeddedCardService;
let page: Awaited<ReturnType<typeof startPageServer>>;

beforeAll(async () => {
  discord = await startEmulatedDiscord();
  cardService = new EmbeddedCardService();
  page = await startPageServer({ port: 0, discord, cardService });
});

afterAll(async () => {
  await page.close();
  await discord.close();
});

interface Asked {
  method?: string;
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
async function sentence(...asked: Parameters<typeof ask>): Promise<[number, string]> {
  const answer = await ask(...asked);
  return [answer.status, JSON.parse(answer.text).error];
}

describe('the page server', () => {
  it('allows the page only its own files and the pictures of the emulated Discord', async () => {
    const { headers } = await ask('/');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`img-src data: ${discord.origin}`);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it.each([
    ['GET', '/nothing', 404, 'There is nothing here.'],
    ['GET', '//', 404, 'There is nothing here.'],
    ['GET', '/api/constructor', 404, 'There is nothing here.'],
    ['GET', '/api/storm', 405, 'Only POST is answered here.'],
    ['DELETE', '/page.js', 405, 'Only GET is answered here.'],
  ])('answers %s %s with %i', async (method, path, status, words) => {
    expect(await sentence(path, { method })).toEqual([status, words]);
  });

  it('takes the next free port when its own is taken', async () => {
    const taken = Number(new URL(page.url).port);
    const next = await startPageServer({ port: taken, discord, cardService });
    onTestFinished(() => next.close());
    expect(next.port).toBeGreaterThan(taken);
    expect(await (await fetch(next.url)).text()).toContain('cardbot sandbox');
  });
});

describe('access', () => {
  it.each(['/', '/api/events'])('refuses %s under another host name', async (path) => {
    const [status] = await sentence(path, { headers: { Host: 'rebound.example' } });
    expect(status).toBe(421);
  });

  it('allows no other origin to read', async () => {
    const { headers } = await ask('/');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).toHaveProperty('cross-origin-resource-policy', 'same-origin');
  });
});

it.each<[string, unknown, number, RegExp]>([
  ['storm', [-1e15], 422, /^stormUntilMs: /],
  ['storm', ['10'], 422, /^stormUntilMs: /],
  ['set', [{ plan: 'gold' }], 422, /^plan: /],
  ['set', [{ latencyMs: 1e9 }], 422, /^latencyMs: /],
  ['set', [{ nothing: 5 }], 422, /nothing/],
  ['type', [{ command: 'card', memberId: '1' }], 422, /^There is no member with the id 1\.$/],
  ['post', [{ content: ' ' }], 422, /^A message has 1 to 2000 characters\.$/],
  ['storm', { durationMs: 5 }, 400, /^The body is not a list of arguments\.$/],
  ['storm', '[', 400, /^The body is not JSON\.$/],
  ['storm', ' '.repeat(70_000), 413, /^The body is longer than 64 KiB\.$/],
])('an action refuses %s with the arguments %j in one sentence', async (name, args, status, words) => {
  const headers = { Origin: page.url, 'Content-Type': 'application/json' };
  const body = typeof args === 'string' ? args : JSON.stringify(args);
  const [answered, error] = await sentence(`/api/${name}`, { method: 'POST', headers, body });
  expect([answered, error]).toEqual([status, expect.stringMatching(words)]);
  expect(error).toMatch(/^[^\n]+\.$/);
});

it('closes although pages are open', async () => {
  const own = await startPageServer({ port: 0, discord, cardService });
  const open = await fetch(`${own.url}/api/events`);
  await own.close();
  await expect(open.text()).resolves.toMatch(/^data: /);
  await expect(fetch(own.url)).rejects.toThrow('fetch failed');
});

const OWN = { host: '127.0.0.1:4000' };
const OF_PAGE = { ...OWN, origin: 'http://127.0.0.1:4000', 'content-type': 'application/json' };

it.each<[string, method: 'GET' | 'POST', IncomingHttpHeaders, port: number, number | undefined]>([
  ['itself', 'GET', OWN, 4_000, undefined],
  ['itself under localhost', 'GET', { host: 'localhost:4000' }, 4_000, undefined],
  ['its own script', 'GET', OF_PAGE, 4_000, undefined],
  ['itself at port 80, which browsers omit', 'GET', { host: '127.0.0.1' }, 80, undefined],
  ['its own script', 'POST', OF_PAGE, 4_000, undefined],
  [
    'its own script, with a charset',
    'POST',
    { ...OF_PAGE, 'content-type': 'Application/JSON; charset=utf-8' },
    4_000,
    undefined,
  ],
  ['a name that resolves to loopback', 'GET', { host: 'evil.example:4000' }, 4_000, 421],
  ['another port', 'GET', { host: '127.0.0.1:4001' }, 4_000, 421],
  ['no port', 'GET', { host: '127.0.0.1' }, 4_000, 421],
  ['a longer name', 'GET', { host: '127.0.0.1:4000.evil.example' }, 4_000, 421],
  ['no host', 'GET', {}, 4_000, 421],
  ['another origin', 'GET', { ...OWN, origin: 'http://evil.example' }, 4_000, 403],
  ['a sandboxed frame', 'GET', { ...OWN, origin: 'null' }, 4_000, 403],
  ['another origin', 'POST', { ...OF_PAGE, origin: 'http://evil.example' }, 4_000, 403],
  ['another local port', 'POST', { ...OF_PAGE, origin: 'http://127.0.0.1:3000' }, 4_000, 403],
  ['the other of its own names', 'POST', { ...OF_PAGE, origin: 'http://localhost:4000' }, 4_000, 403],
  ['https', 'POST', { ...OF_PAGE, origin: 'https://127.0.0.1:4000' }, 4_000, 403],
  ['no origin', 'POST', { ...OF_PAGE, origin: undefined }, 4_000, 403],
  ['a form', 'POST', { ...OF_PAGE, 'content-type': 'application/x-www-form-urlencoded' }, 4_000, 415],
  ['text that a form can send', 'POST', { ...OF_PAGE, 'content-type': 'text/plain' }, 4_000, 415],
  ['no type', 'POST', { ...OF_PAGE, 'content-type': undefined }, 4_000, 415],
])('a request of %s (%s %j at %i) is answered unless it is refused: %s', (_, method, headers, port, status) => {
  expect(refusal({ method, headers }, port)?.status).toBe(status);
});
