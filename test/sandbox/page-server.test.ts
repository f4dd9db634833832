import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { type PageServer, startPageServer } from '../../sandbox/page-server.ts';

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
    ['GET', '/api/storm', 405, 'Only POST is answered here.'],
    ['DELETE', '/api/commands', 405, 'Only GET and POST is answered here.'],
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
    const { headers } = await ask('/api/commands');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).toHaveProperty('cross-origin-resource-policy', 'same-origin');
  });
});

it.each<[string, unknown, number, RegExp]>([
  ['/api/storm', { durationMs: -1 }, 400, /^durationMs: /],
  ['/api/storm', { durationMs: '10' }, 400, /^durationMs: /],
  ['/api/switches', { plan: 'gold' }, 400, /^plan: /],
  ['/api/switches', { latencyMs: 1e9 }, 400, /^latencyMs: /],
  ['/api/switches', { stormUntilMs: 5 }, 400, /stormUntilMs/],
  ['/api/commands', { command: 'card' }, 400, /^memberId: /],
  ['/api/day/refill', [], 400, /object/],
  ['/api/storm', '{"durationMs":', 400, /^The body is not JSON\.$/],
  ['/api/storm', ' '.repeat(70_000), 413, /^The body is longer than 64 KiB\.$/],
])('a control refuses %s with the body %j in one sentence', async (path, body, status, words) => {
  const [answered, error] = await sentence(post(path, body));
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
