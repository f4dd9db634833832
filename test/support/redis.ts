import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, appendFileSync, constants } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createClient } from '@redis/client';
import { createRedisMock } from 'js-redis-server';
import { expect } from 'vitest';
import { RedisLink, type RedisLinkOptions } from '../../src/storage/redis/connection.ts';
import { logLines } from './log-lines.ts';
import { onFileFinished, onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A Redis to test with, and a prefix that no other test uses. */
export interface TestRedis {
  url: string;
  prefix: string;
}

/** A Redis that is the test's own, to do with as it likes. */
export type RealServer = Awaited<ReturnType<typeof startRealRedis>>;

/** One per file: the client builds a class with hundreds of commands for each new address. */
let server: Promise<string> | undefined;

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
  return { url: await server, prefix };
}

async function openServer() {
  if (hasRealRedis()) return (await startRealRedis({}, onFileFinished)).url;
  const { url, close } = await createRedisMock();
  onFileFinished(close);
  return url;
}

/** `REDIS_URL` may hold other data, so only the keys of the tests are removed. */
async function removeKeys(url: string, prefix: string) {
  const client = await connected(url);
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
  client.destroy();
}

/**
 * A Redis that the test may configure, pause and kill, whatever `REDIS_URL` says. Takes about 50 ms; gone when the test is
 * over, unless `over` says otherwise.
 *
 * @param settings as in redis.conf, such as `{ maxmemory: '3mb', replicaof: '127.0.0.1 6379' }`; with `appendonly: 'yes'`
 *   what was written outlives `kill` and `start`
 * @throws without a Redis on PATH: guard with `noRealRedis`
 */
export async function startRealRedis(settings: Readonly<Record<string, string>> = {}, over = onFinished) {
  const dir = temporaryFolder('redis', over);
  let running: Awaited<ReturnType<typeof runRedis>> | undefined;
  over(() => running?.kill());
  const run = async (port: number) => {
    running = await runRedis({ dir, port: String(port), ...settings });
  };
  const port = await onFreePort(run);
  const { requirepass } = settings;
  const login = requirepass === undefined ? '' : `:${encodeURIComponent(requirepass)}@`;
  const url = `redis://${login}127.0.0.1:${port}`;
  return {
    url,
    port,
    prefix: newPrefix(),
    /** It hangs: connections stay, nothing is answered. */
    pause: () => running?.signal('SIGSTOP'),
    resume: () => running?.signal('SIGCONT'),
    /** Without warning. Resolves when it is gone. */
    kill: async () => running?.kill(),
    /** After `kill`, on the same port, with what it has kept. Resolves when it answers. */
    start: () => run(port),
    /** After `kill`, on the same port, with nothing. Resolves when it answers. */
    async startEmpty() {
      await rm(dir, { recursive: true, force: true });
      await mkdir(dir);
      await run(port);
    },
    /** Sends one command, over a connection of its own. */
    async command(...words: string[]) {
      const client = await connected(url);
      return await client.sendCommand(words).finally(() => client.destroy());
    },
  };
}

function newPrefix() {
  return `cardbot-test:${randomUUID()}`;
}

/** Below the ports that systems give to outgoing connections: one that is free stays free for the next start. */
async function onFreePort(run: (port: number) => Promise<void>) {
  for (let tries = 1; ; tries++) {
    const port = randomInt(20_000, 32_000);
    try {
      await run(port);
      return port;
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}

/** Kills the server, which has the shell's process id, as soon as nobody holds the other end of the fourth descriptor. */
const ENDS_WITH_PARENT = '(read -r _ <&3; kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';
/** While an fsync is under way, `everysec` holds later writes back in the process, and a kill loses them. */
const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'no', appendfsync: 'always' };

/**
 * Resolves when it answers. It ends with this process, however that ends.
 *
 * @throws when it ends instead, with its last words: its port may be taken
 */
async function runRedis(settings: Record<string, string>) {
  // A value of several words becomes several arguments, but a password may have spaces.
  const args = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => {
    return [`--${name}`, ...(name === 'requirepass' ? [value] : value.split(' '))];
  });
  const child = spawn('sh', ['-c', ENDS_WITH_PARENT, redisServerBinary() ?? 'redis-server', ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit').then(() => void child.stdio[3]?.destroy());
  let lastWords = '';
  const ready = new Promise<true>((resolve) => {
    createInterface(child.stdout as Readable).on('line', (line) => {
      lastWords = line;
      if (line.includes('Ready to accept connections')) resolve(true);
    });
  });
  const isReady = await Promise.race([ready, exited.then(() => false)]);
  if (!isReady) throw new Error(`Redis ended: ${lastWords}`);
  return {
    signal: (name: 'SIGSTOP' | 'SIGCONT') => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The Redis or Valkey that is installed here; `undefined` when there is none on PATH. */
function redisServerBinary() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * For `describe.skipIf` and `it.skipIf`: whether no Redis is installed that a test may stop, kill and fill up. Prints to
 * standard error what is skipped.
 *
 * @throws instead of skipping, with `REQUIRE_REAL_REDIS=1`
 */
export function noRealRedis(skipped: string): boolean {
  if (hasRealRedis()) return false;
  const missing = `no redis-server or valkey-server on PATH: install one (on Debian: apt-get install redis-server)`;
  if (process.env.REQUIRE_REAL_REDIS === '1') throw new Error(`REQUIRE_REAL_REDIS=1, but ${missing}`);
  process.stderr.write(`SKIPPED: ${skipped}; ${missing}\n`);
  return true;
}

/** Where there is none, the test file that asks is added to the file `WITHOUT_REDIS`: .ci/run runs it again with one. */
function hasRealRedis() {
  if (redisServerBinary() !== undefined) return true;
  const { WITHOUT_REDIS } = process.env;
  if (WITHOUT_REDIS) appendFileSync(WITHOUT_REDIS, `${expect.getState().testPath}\n`);
  return false;
}

/** A connection of the test itself; closed when the test ends. */
export async function clientOf({ url }: Pick<TestRedis, 'url'>) {
  const client = await connected(url);
  onFinished(() => client.destroy());
  return client;
}

/** A test may kill the server: whoever waits for an answer hears of it. */
function connected(url: string) {
  return createClient({ url })
    .on('error', () => {})
    .connect();
}

/** A machine that is busy with tests answers within it. */
const PATIENT = { answerTimeoutMs: 10_000 };

export type RedisAddress = Pick<TestRedis, 'url' | 'prefix'>;

/** A link to a Redis, which closes when the test ends, and what it logs. `options`: `{}` for the bot's own patience. */
export function linkTo(
  { url, prefix }: RedisAddress,
  options: Partial<Pick<RedisLinkOptions, 'answerTimeoutMs' | 'botId' | 'events'>> = PATIENT,
) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, botId: '1', ...options });
  onFinished(() => link.close());
  return { link, log, lines };
}

/** The connection that it uses now. */
export function clientIn(link: RedisLink) {
  return link.read(async (client) => client);
}

/** A link that is usable. */
export async function openedLink(redis: RedisAddress) {
  const opened = linkTo(redis);
  const { link } = opened;
  await link.opened;
  // On a busy machine the first connection may have failed.
  while (link.health !== 'usable') await new Promise<unknown>((resolve) => link.onHealth(resolve));
  return opened;
}
