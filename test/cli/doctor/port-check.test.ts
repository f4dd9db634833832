import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { checkPort, portFinding } from '../../../src/cli/doctor/port-check.ts';

/** A port on which a program answers every request with this. */
async function served(body: string): Promise<{ host: string; port: number }> {
  const server = createServer((_, response) => void response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

it.each([
  ['a web page', '<html>', false],
  ['null', 'null', false],
  ['a bot', '{"ready":false,"gateway":true,"store":false}', true],
])('a port on which %s answers is right only for a bot', async (_, body, ok) => {
  expect(await checkPort(await served(body))).toMatchObject([{ check: 'HTTP_PORT', ok }]);
});

it('a host that is not of this machine is named', async () => {
  const [finding] = await checkPort({ host: '192.0.2.1', port: 9464 });
  expect(finding).toMatchObject({ check: 'HTTP_HOST', ok: false, cure: expect.stringContaining('192.0.2.1 is no') });
});

it.each([
  [undefined, true, 'is free'],
  ['EACCES', false, 'Set 1024 or higher'],
  ['EADDRINUSE', false, 'Another program uses 127.0.0.1:80'],
])('a port where listening ends with %s: %s', (code, ok, text) => {
  const finding = portFinding(code, { host: '127.0.0.1', port: 80, isOfBot: false });
  expect(finding.ok).toBe(ok);
  expect(finding.cure + finding.found).toContain(text);
});
