import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { checkPort, checkWebhook, portFinding } from '../../../src/cli/doctor/operations-checks.ts';
import { onFinished } from '../../support/on-finished.ts';

/** A port on which a program answers every request with this. */
async function served(headers: OutgoingHttpHeaders): Promise<{ host: string; port: number }> {
  const server = createServer((_, response) => void response.writeHead(200, headers).end('{"ready":true}')).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

it.each([
  ['another program', {}, false],
  ['another bot', { 'X-Application-Id': '8' }, false],
  ['this bot', { 'X-Application-Id': '7' }, true],
])('a port on which %s answers is right only for this bot', async (_, headers, ok) => {
  expect(await checkPort(await served(headers), '7')).toMatchObject([{ check: 'HTTP_PORT', ok }]);
});

it('a host that is not of this machine is named', async () => {
  const [finding] = await checkPort({ host: '192.0.2.1', port: 9464 }, '7');
  expect(finding).toMatchObject({ check: 'HTTP_HOST', ok: false, cure: expect.stringContaining('192.0.2.1 is no') });
});

it.each([
  [undefined, true, 'is free'],
  ['EACCES', false, 'Set 1024 or higher'],
  ['EADDRINUSE', false, 'Another program or bot uses 127.0.0.1:80'],
])('a port where listening ends with %s: %s', (code, ok, text) => {
  const finding = portFinding(code, { host: '127.0.0.1', port: 80, isOfBot: false });
  expect(finding.ok).toBe(ok);
  expect(finding.cure + finding.found).toContain(text);
});

const SECRET = 'kQ7-webhook-token-0123456789';

const FOUND = JSON.stringify({ id: '1180000000000000009', type: 1, name: 'alerts', token: SECRET });

/** A webhook that answers so, and which requests it got; without a body the answer never ends. */
async function webhook(status: number, body?: string) {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(String(request.method));
    response.writeHead(status, { location: 'https://discord.com' });
    if (body === undefined) response.write('{');
    else response.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/webhooks/1180000000000000009/${SECRET}`, methods };
}

it.each([
  [200, FOUND, true, ''],
  [200, '<html>', false, 'What answers is not a Discord webhook (status 200)'],
  [400, '{}', false, 'What answers is not a Discord webhook (status 400)'],
  [405, '', false, 'What answers is not a Discord webhook (status 405)'],
  [404, '{}', false, 'Discord knows no such webhook (status 404)'],
  [401, '{}', false, 'Discord knows no such webhook (status 401)'],
  [302, '', false, 'redirects'],
  [429, '{}', null, 'Discord asks to wait (status 429)'],
  [408, '', null, 'Discord has a problem of its own (status 408)'],
  [503, '<html>', null, 'Discord has a problem of its own (status 503)'],
])('a webhook that answers %i and %j: right is %s, and nothing is written', async (status, body, ok, cure) => {
  const { url, methods } = await webhook(status, body);
  const [finding] = await checkWebhook(url);
  expect(finding).toMatchObject({ ok, cure: expect.stringContaining(cure) });
  expect(JSON.stringify(finding)).not.toContain(SECRET);
  expect(methods).toEqual(['GET']);
});

it('a webhook whose answer does not end cannot be reached', async () => {
  const { url } = await webhook(200);
  const [finding] = await checkWebhook(url, 200);
  expect(finding).toMatchObject({ ok: false, cure: expect.stringContaining('(no answer within 200 ms)') });
});

it('a webhook that cannot be reached is named without its address', async () => {
  const [finding] = await checkWebhook(`http://127.0.0.1:10901/api/webhooks/1180000000000000009/${SECRET}`);
  expect(finding?.cure).toContain('The webhook cannot be reached (ECONNREFUSED)');
  expect(JSON.stringify(finding)).not.toContain(SECRET);
});
