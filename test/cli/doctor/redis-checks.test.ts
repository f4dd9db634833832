import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkRedis } from '../../../src/cli/doctor/redis-checks.ts';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis } from '../../support/redis.ts';

describe('a Redis', () => {
  it('that takes connections and never answers cannot be reached', async () => {
    const server = createServer((socket) => void socket.on('error', () => {}).resume());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await checkRedis({ url: `redis://${host}`, keyPrefix: 'cardbot' })).toMatchObject([
      { check: 'Redis', ok: false, cure: `There is no answer from ${host}. Check REDIS_URL and the connection.` },
    ]);
  });

  it.skipIf(noRealRedis('Redis that refuses INFO'))('that refuses INFO may or may not keep replies', async () => {
    const { url, command } = await startRealRedis();
    await command('ACL', 'SETUSER', 'bot', 'on', '>pw', '~*', '+@all', '-info');
    const found = await checkRedis({ url: url.replace('//', '//bot:pw@'), keyPrefix: 'cardbot' });
    expect(found).toMatchObject([
      { check: 'Redis', ok: true },
      { check: 'Redis settings', ok: null, cure: expect.stringContaining('appendonly') },
    ]);
  });
});
