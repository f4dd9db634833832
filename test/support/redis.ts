import { randomUUID } from 'node:crypto';
import { createRedisMock } from 'js-redis-server';
import { createClient } from 'redis';
import { type RealServer, type RealServerOptions, startRealServer } from './redis/real-server.ts';
import { redisServerBinary } from './redis/server-binary.ts';
import { whenFileOver, whenOver } from './when-over.ts';

/** A Redis to test with, and a prefix that no other test uses. */
export interface TestRedis {
  url: string;
  prefix: string;
  /** `given`: somebody else's, from `REDIS_URL`. `server`: this test's own. `in-process`: a stand-in in JavaScript. */
  kind: 'given' | 'server' | 'in-process';
}

/** One for the file: redis makes a class of a thousand commands for every other address. */
let server: Promise<{ url: string }> | undefined;

/**
 * What there is to test with: `REDIS_URL`, else a redis-server or valkey-server on PATH, else a stand-in within this
 * process. All tests of a file have the same one; it is gone when the file ends.
 */
export async function startRedis(): Promise<TestRedis> {
  const prefix = newPrefix();
  const { REDIS_URL } = process.env;
  if (REDIS_URL) {
    whenOver(() => removeKeys(REDIS_URL, prefix));
    return { url: REDIS_URL, prefix, kind: 'given' };
  }
  const isReal = redisServerBinary() !== undefined;
  if (!server) {
    server = isReal ? startRealServer({}, whenFileOver) : startStandIn();
    whenFileOver(() => {
      server = undefined;
    });
  }
  const { url } = await server;
  return { url, prefix, kind: isReal ? 'server' : 'in-process' };
}

async function startStandIn() {
  const standIn = await createRedisMock();
  whenFileOver(() => standIn.close());
  return standIn;
}

/** One to pause, kill and set up, whatever `REDIS_URL` says. Behind `noRealRedis`. */
export async function startRealRedis(options?: RealServerOptions): Promise<TestRedis & RealServer> {
  return { ...(await startRealServer(options)), prefix: newPrefix(), kind: 'server' };
}

function newPrefix(): string {
  return `cardbot-test:${randomUUID()}`;
}

/** Others use that Redis too. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = createClient({ url });
  client.on('error', () => {}); // the test has said already that it is gone
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
  client.destroy();
}
