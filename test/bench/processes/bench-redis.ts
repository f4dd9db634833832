import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { createRedisMock } from 'js-redis-server';
import { redisServerBinary } from '../../support/redis/server-binary.ts';
import { runServer } from '../../support/redis/server-process.ts';

/** A Redis for measurements. */
export interface BenchRedis {
  url: string;
  /** A prefix that is unused, at each call. */
  newPrefix(): string;
  /** A sentence about this Redis for the reader of the figures. */
  note: string;
  /** Whether it is a server, not an emulation. */
  isReal: boolean;
  close(): Promise<void>;
}

/** As in compose.yaml: everything is persisted, nothing is evicted. */
const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'yes', 'maxmemory-policy': 'noeviction' };

/** `REDIS_URL`, otherwise a redis-server or valkey-server on PATH, otherwise an emulation in this process. */
export async function startBenchRedis(): Promise<BenchRedis> {
  const all = `cardbot-bench:${randomUUID()}`;
  let prefixes = 0;
  const newPrefix = () => `${all}:${prefixes++}`;
  const { REDIS_URL } = process.env;
  if (REDIS_URL) {
    const close = () => removeKeys(REDIS_URL, all);
    return { url: REDIS_URL, newPrefix, isReal: true, note: 'Redis: the one of `REDIS_URL`.', close };
  }
  const binary = redisServerBinary();
  if (binary === undefined) {
    const { url, close } = await createRedisMock();
    const note =
      'Redis: an emulation in JavaScript, because no redis-server is on PATH. These figures are of the emulation.';
    return { url, newPrefix, isReal: false, note, close };
  }
  const dir = mkdtempSync(join(tmpdir(), 'cardbot-redis-'));
  const port = await freePort();
  const server = await runServer(binary, { ...SETTINGS, dir, port: String(port) });
  const close = async () => {
    await server.kill();
    rmSync(dir, { recursive: true });
  };
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    newPrefix,
    isReal: true,
    note: 'Redis: a server of its own on this machine, with `appendonly yes`.',
    close,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** `REDIS_URL` may hold other data, so only the keys of the benchmark are removed. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = createClient({ url });
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `${prefix}:*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
  client.destroy();
}
