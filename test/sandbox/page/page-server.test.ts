import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { type GuardedRequest, type PageServer, refusal, startPageServer } from '../../../sandbox/page/page-server.ts';
import { EmbeddedCardService } from '../../../sandbox/service/service.ts';

let discord: EmulatedDiscord;
let cardService: EmbeddedCardService;
let page: PageServer;

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

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Uses node:http, because fetch sets Host and Origin itself. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const asking = request(page.url, { path, method, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  asking.on('error', reject);
  asking.end(body);
  return promise;
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const own = { Origin: page.url, 'Content-Type': 'application/json', ...headers };
  return ask(path, { method: 'POST', headers: own, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

async function sentence(answer: Promise<Answered>): Promise<[number, string]> {
  const { status, text } = await answer;
  return [status, (JSON.parse(text) as { error: string }).error];
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
    expect(await sentence(ask(path, { method }))).toEqual([status, words]);
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
    const [status] = await sentence(ask(path, { headers: { Host: 'rebound.example' } }));
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
  const [answered, error] = await sentence(post(`/api/${name}`, args));
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

const PORT = 4000;
const GET: GuardedRequest = { method: 'GET', host: '127.0.0.1:4000', origin: undefined, contentType: undefined };
const POST: GuardedRequest = {
  method: 'POST',
  host: '127.0.0.1:4000',
  origin: 'http://127.0.0.1:4000',
  contentType: 'application/json',
};

describe('refusal', () => {
  it.each<[string, GuardedRequest]>([
    ['a GET', GET],
    ['a GET under localhost', { ...GET, host: 'localhost:4000' }],
    ['a GET of its own script', { ...GET, origin: 'http://127.0.0.1:4000' }],
    ['a POST of its own', POST],
    ['a POST with a charset', { ...POST, contentType: 'Application/JSON; charset=utf-8' }],
  ])('lets %s pass', (_, request) => {
    expect(refusal(request, PORT)).toBeUndefined();
  });

  it.each<[string, number, GuardedRequest]>([
    ['a name that resolves to loopback', 421, { ...GET, host: 'evil.example:4000' }],
    ['another port', 421, { ...GET, host: '127.0.0.1:4001' }],
    ['no port', 421, { ...GET, host: '127.0.0.1' }],
    ['a longer name', 421, { ...GET, host: '127.0.0.1:4000.evil.example' }],
    ['no host', 421, { ...GET, host: undefined }],
    ['a GET of another origin', 403, { ...GET, origin: 'http://evil.example' }],
    ['a GET of a sandboxed frame', 403, { ...GET, origin: 'null' }],
    ['a POST of another origin', 403, { ...POST, origin: 'http://evil.example' }],
    ['a POST of another local port', 403, { ...POST, origin: 'http://127.0.0.1:3000' }],
    ['a POST across its own names', 403, { ...POST, origin: 'http://localhost:4000' }],
    ['a POST over https', 403, { ...POST, origin: 'https://127.0.0.1:4000' }],
    ['a POST without origin', 403, { ...POST, origin: undefined }],
    ['a form', 415, { ...POST, contentType: 'application/x-www-form-urlencoded' }],
    ['text that a form can send', 415, { ...POST, contentType: 'text/plain' }],
    ['a POST without type', 415, { ...POST, contentType: undefined }],
  ])('refuses %s with %i', (_, status, request) => {
    expect(refusal(request, PORT)?.status).toBe(status);
  });

  it('accepts that browsers omit port 80', () => {
    expect(refusal({ ...GET, host: '127.0.0.1' }, 80)).toBeUndefined();
  });
});
