import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { createRedisMock } from 'js-redis-server';
import { onFileFinished, onFinished } from './on-finished.ts';
import { hasRealRedis } from './redis/no-real-redis.ts';
import { type RealServer, type RealServerOptions, startRealServer } from './redis/real-server.ts';

/** A Redis to test with, and a prefix that no other test uses. */
export interface TestRedis {
  url: string;
  prefix: string;
}

/** One per file: the client builds a class with hundreds of commands for each new address. */
let server: ReturnType<typeof openServer> | undefined;

/**
 * A Redis for tests: `REDIS_URL`, otherwise a redis-server or valkey-server on PATH, otherwise an emulation in this
 * process. All tests of a file share it; it is closed when the file ends.
 */
export async function startRedis(): Promise<TestRedis> {
  const prefix = newPrefix();
  const { REDIS_URL } = process.env;
  if (REDIS_URL) {
    onFinished(() => removeKeys(REDIS_URL, prefix));
    return { url: REDIS_URL, prefix };
  }
  if (!server) {
    server = openServer();
    onFileFinished(() => {
      server = undefined;
    });
  }
  return { ...(await server), prefix };
}

async function openServer(): Promise<Omit<TestRedis, 'prefix'>> {
  if (hasRealRedis()) return { url: (await startRealServer({}, onFileFinished)).url };
  const { url, close } = await createRedisMock();
  onFileFinished(close);
  return { url };
}

/** A Redis that the test may configure, pause and kill, whatever `REDIS_URL` says. Guard with `noRealRedis`. */
export async function startRealRedis(options?: RealServerOptions): Promise<TestRedis & RealServer> {
  return { ...(await startRealServer(options)), prefix: newPrefix() };
}

function newPrefix(): string {
  return `cardbot-test:${randomUUID()}`;
}

/** A connection of the test itself; closed when the test ends. */
export async function clientOf({ url }: Pick<TestRedis, 'url'>) {
  const client = createClient({ url });
  client.on('error', () => {}); // of tests that kill the server
  await client.connect();
  onFinished(() => client.destroy());
  return client;
}

/** `REDIS_URL` may hold other data, so only the keys of the tests are removed. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = createClient({ url });
  client.on('error', () => {}); // the test itself reports that Redis is gone
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
  client.destroy();
}
