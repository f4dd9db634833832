import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { checkWebhook } from '../../src/doctor/webhook-check.ts';
import { onFinished } from '../support/on-finished.ts';

const SECRET = 'kQ7-webhook-token-0123456789';

/** A webhook that answers so, and which requests it got. */
async function webhook(status: number) {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(String(request.method));
    response.writeHead(status, { location: 'https://discord.com' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/webhooks/1180000000000000009/${SECRET}`, methods };
}

it.each([
  [200, true, ''],
  [404, false, 'Discord knows no such webhook (status 404)'],
  [401, false, 'Discord knows no such webhook (status 401)'],
  [302, false, 'redirects'],
  [429, true, ''],
])('a webhook that answers %i: right is %s, and nothing is written', async (status, ok, cure) => {
  const { url, methods } = await webhook(status);
  const [finding] = await checkWebhook(url);
  expect(finding).toMatchObject({ ok, cure: expect.stringContaining(cure) });
  expect(JSON.stringify(finding)).not.toContain(SECRET);
  expect(methods).toEqual(['GET']);
});

it('a webhook that cannot be reached is named without its address', async () => {
  const [finding] = await checkWebhook(`http://127.0.0.1:10901/api/webhooks/1180000000000000009/${SECRET}`);
  expect(finding?.cure).toContain('The webhook cannot be reached (ECONNREFUSED)');
  expect(JSON.stringify(finding)).not.toContain(SECRET);
});
