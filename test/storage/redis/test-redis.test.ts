import { createClient } from '@redis/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onFinished } from '../../support/on-finished.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';

async function clientOf(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  onFinished(() => client.isOpen && client.destroy());
  return client;
}

describe('the Redis of a file', () => {
  let shared: TestRedis;
  beforeAll(async () => {
    shared = await startRedis();
  });

  it.each([1, 2])('answers in each of its tests (%i)', async () => {
    const client = await clientOf(shared.url);
    expect(await client.ping()).toBe('PONG');
  });

  it('has a prefix of its own', async () => {
    const another = await startRedis();
    expect(another.prefix).not.toBe(shared.prefix);
  });

  it('runs scripts that read the clock and write', async () => {
    const client = await clientOf(shared.url);
    const script = `local t = redis.call('TIME') redis.call('SET', KEYS[1], t[1]) return redis.call('GET', KEYS[1])`;
    const seconds = await client.eval(script, { keys: [`${shared.prefix}:clock`] });
    expect(Number(seconds)).toBeGreaterThan(1_700_000_000);
  });

  it('is slow behind a slow relay, and fast again when that is', async () => {
    const relay = await startSlowRelay(shared.url, { delayMs: 300 });
    const client = await clientOf(relay.url);
    const startedMs = performance.now();
    expect(await client.ping('slow')).toBe('slow');
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(295); // timers may be a little early
    relay.delayMs = 0;
    expect(await Promise.all(['a', 'b', 'c'].map((word) => client.ping(word)))).toEqual(['a', 'b', 'c']);
  });
});

describe.skipIf(noRealRedis('a Redis that can be killed'))('a Redis that can be killed', () => {
  it('keeps its data with an append-only file', async () => {
    const redis = await startRealRedis({ appendonly: true });
    await (await clientOf(redis.url)).set('kept', 'yes');
    await redis.kill();
    await redis.start();
    expect(await (await clientOf(redis.url)).get('kept')).toBe('yes');
    await redis.kill();
    await redis.startEmpty();
    expect(await (await clientOf(redis.url)).get('kept')).toBeNull();
  });

  it('answers nothing while it is paused, and everything when it continues', async () => {
    const redis = await startRealRedis();
    const client = await clientOf(redis.url);
    redis.pause();
    let answered = false;
    const answer = client.ping().then(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    redis.resume();
    await answer;
  });

  it('rejects a client without its password', async () => {
    const redis = await startRealRedis({ password: 'p@ss:word' });
    expect(await (await clientOf(redis.url)).ping()).toBe('PONG');
    await expect(clientOf(`redis://127.0.0.1:${redis.port}`).then((client) => client.get('a'))).rejects.toThrow(
      'NOAUTH',
    );
  });
});
