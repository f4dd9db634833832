import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { onFinished } from '../on-finished.ts';
import { redisServerBinary } from './binary.ts';
import { type RedisProcess, runRedis } from './process.ts';

export interface RealServerOptions {
  password?: string;
  /** What was written outlives `kill` and `start`. */
  appendonly?: boolean;
  /** As in redis.conf, such as `{ maxmemory: '3mb', replicaof: '127.0.0.1 6379' }`. */
  settings?: Record<string, string>;
}

/** A Redis that is the test's own, to do with as it likes. */
export interface RealServer {
  /** With the password. */
  url: string;
  port: number;
  /** It hangs: connections stay, nothing is answered. */
  pause(): void;
  resume(): void;
  /** Without warning. Resolves when it is gone. */
  kill(): Promise<void>;
  /** After `kill`, on the same port, with what it has kept. Resolves when it answers. */
  start(): Promise<void>;
  /** After `kill`, on the same port, with nothing. Resolves when it answers. */
  startEmpty(): Promise<void>;
  /** Sends one command, over a connection of its own. */
  command(...words: string[]): Promise<unknown>;
}

const PORTS_TRIED = 10;

/** Takes about 50 ms; gone when the test is over, unless `over` says otherwise. @throws without a Redis on PATH: ask `noRealRedis` first */
export async function startRealServer(options: RealServerOptions = {}, over = onFinished): Promise<RealServer> {
  const dir = await mkdtemp(join(tmpdir(), 'cardbot-redis-'));
  const settings = { dir, ...settingsOf(options) };
  let running: RedisProcess | undefined;
  over(async () => {
    await running?.kill();
    await rm(dir, { recursive: true, force: true });
  });

  async function run(port: number): Promise<void> {
    running = await runRedis(redisServerBinary() ?? 'redis-server', { ...settings, port: String(port) });
  }
  const port = await onFreePort(run);
  const login = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
  const url = `redis://${login}127.0.0.1:${port}`;
  return {
    url,
    port,
    pause: () => running?.signal('SIGSTOP'),
    resume: () => running?.signal('SIGCONT'),
    kill: async () => running?.kill(),
    start: () => run(port),
    async startEmpty() {
      await rm(dir, { recursive: true, force: true });
      await mkdir(dir);
      await run(port);
    },
    async command(...words) {
      const client = await createClient({ url })
        .on('error', () => {})
        .connect();
      return await client.sendCommand(words).finally(() => client.destroy());
    },
  };
}

function settingsOf({ password, appendonly = false, settings }: RealServerOptions): Record<string, string> {
  return {
    bind: '127.0.0.1',
    save: '',
    appendonly: appendonly ? 'yes' : 'no',
    // While an fsync is under way, `everysec` holds later writes back in the process, and a kill loses them.
    appendfsync: 'always',
    ...(password !== undefined && { requirepass: password }),
    ...settings,
  };
}

/** Below the ports that systems give to outgoing connections: one that is free stays free for the next start. */
async function onFreePort(run: (port: number) => Promise<void>): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(20_000, 32_000);
    try {
      await run(port);
      return port;
    } catch (error) {
      if (tries === PORTS_TRIED) throw error;
    }
  }
}
