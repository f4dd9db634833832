import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { cardOf, clientOf } from './clients.ts';

const CARD = { id: 'a', name: 'A', tcg: 'T', set: { id: 's', name: 'S' } };
const STATUSES = [200, 429, 404, 500, 401, 302];

// Two, because a connection may become free only after the end of its last body was read.
it('many requests use at most two connections, whatever the answers', async () => {
  let connections = 0;
  let requests = 0;
  const server = createServer((_, response) => {
    const status = STATUSES[requests++ % STATUSES.length] ?? 200;
    response.writeHead(status).end(JSON.stringify({ ...CARD, more: 'x'.repeat(200_000) }));
  });
  server.on('connection', () => connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (let asked = 0; asked < 24; asked++) await cardOf(client, 'a').catch(() => {});
  expect(requests).toBe(24);
  expect(connections).toBeLessThanOrEqual(2);
  server.close();
  server.closeAllConnections();
});
