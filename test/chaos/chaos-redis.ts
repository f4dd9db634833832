import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSlowRelay } from '../support/open-slow-relay.ts';
import { redisServerBinary } from '../support/redis/server-binary.ts';
import { runServer, type ServerProcess } from '../support/redis/server-process.ts';

/** A time in which Redis took nothing down; `emptied`: and forgot what it had. */
export interface Outage {
  fromMs: number;
  toMs: number;
  emptied: boolean;
}

/** The Redis that all bots share, and what can happen to it: one thing at a time, and more is left out. */
export interface ChaosRedis {
  /** One bot may have a slow way to it, another none. */
  urlFor(process: number): string;
  readonly outages: readonly Outage[];
  /** Killed, and started again with what it had written to its file. */
  crash(ms: number): Promise<void>;
  /** Killed, and started again with nothing. */
  crashAndForget(ms: number): Promise<void>;
  /** Connections stay, nothing is answered. */
  hang(ms: number): Promise<void>;
  /** For the bots with even numbers. */
  slowDown(delayMs: number, ms: number): Promise<void>;
  /** Resolves when it works as it should. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** As in compose.yaml: everything is kept, nothing is dropped. */
const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'yes', 'maxmemory-policy': 'noeviction' };

/** @throws without a Redis on PATH */
export async function startChaosRedis(): Promise<ChaosRedis> {
  const binary = redisServerBinary();
  if (binary === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const dir = await mkdtemp(join(tmpdir(), 'cardbot-chaos-redis-'));
  // Below the ports that systems give to outgoing connections: it stays free for the next start.
  const port = randomInt(20_000, 32_000);
  const run = () => runServer(binary, { ...SETTINGS, dir, port: String(port) });
  let server: ServerProcess = await run();
  const url = `redis://127.0.0.1:${port}`;
  const relay = await openSlowRelay(url, { delayMs: 0 });
  const outages: Outage[] = [];
  let trouble: Promise<void> | undefined;

  function alone(work: () => Promise<void>): Promise<void> {
    trouble ??= work().finally(() => {
      trouble = undefined;
    });
    return trouble;
  }

  async function outage(emptied: boolean, work: () => Promise<void>): Promise<void> {
    const started = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY, emptied };
    outages.push(started);
    await work();
    started.toMs = Date.now();
  }

  async function restart(ms: number, emptied: boolean): Promise<void> {
    await server.kill();
    if (emptied) {
      await rm(dir, { recursive: true, force: true });
      await mkdir(dir);
    }
    await sleep(ms);
    server = await run();
  }

  return {
    urlFor: (process) => (process % 2 === 0 ? relay.url : url),
    outages,
    crash: (ms) => alone(() => outage(false, () => restart(ms, false))),
    crashAndForget: (ms) => alone(() => outage(true, () => restart(ms, true))),
    hang: (ms) =>
      alone(() =>
        outage(false, async () => {
          server.signal('SIGSTOP');
          await sleep(ms);
          server.signal('SIGCONT');
        }),
      ),
    slowDown: (delayMs, ms) =>
      alone(async () => {
        relay.delayMs = delayMs;
        await sleep(ms);
        relay.delayMs = 0;
      }),
    quiet: async () => trouble,
    async close() {
      await trouble;
      relay.close();
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
