import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSlowRelay } from '../support/open-slow-relay.ts';
import { redisServerBinary } from '../support/redis/server-binary.ts';
import { runServer, type ServerProcess } from '../support/redis/server-process.ts';

/** A time in which Redis accepted no writes; `emptied`: it also lost its data. */
export interface Outage {
  fromMs: number;
  toMs: number;
  emptied: boolean;
}

/** The Redis that all bots share and its faults, one at a time: a fault during another is skipped. */
export interface ChaosRedis {
  /** Processes with even numbers connect through the slow relay. */
  urlFor(process: number): string;
  readonly outages: readonly Outage[];
  /** Kills the server and starts it again with the data in its file. */
  crash(ms: number): Promise<void>;
  /** Kills the server and starts it again empty. */
  crashAndForget(ms: number): Promise<void>;
  /** Connections stay open, and nothing is answered. */
  hang(ms: number): Promise<void>;
  /** Slows the processes with even numbers. */
  slowDown(delayMs: number, ms: number): Promise<void>;
  /** Resolves when no fault is active. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** As in compose.yaml: everything is persisted, nothing is evicted. */
const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'yes', 'maxmemory-policy': 'noeviction' };

/** @throws without a Redis on PATH */
export async function startChaosRedis(): Promise<ChaosRedis> {
  const binary = redisServerBinary();
  if (binary === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const dir = await mkdtemp(join(tmpdir(), 'cardbot-chaos-redis-'));
  // Below the ephemeral port range, so that it stays free for the next start.
  const port = randomInt(20_000, 32_000);
  const run = () => runServer(binary, { ...SETTINGS, dir, port: String(port) });
  let server: ServerProcess = await run();
  const url = `redis://127.0.0.1:${port}`;
  const relay = await openSlowRelay(url, { delayMs: 0 });
  const outages: Outage[] = [];
  let activeFault: Promise<void> | undefined;

  function exclusively(work: () => Promise<void>): Promise<void> {
    activeFault ??= work().finally(() => {
      activeFault = undefined;
    });
    return activeFault;
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
    crash: (ms) => exclusively(() => outage(false, () => restart(ms, false))),
    crashAndForget: (ms) => exclusively(() => outage(true, () => restart(ms, true))),
    hang: (ms) =>
      exclusively(() =>
        outage(false, async () => {
          server.signal('SIGSTOP');
          await sleep(ms);
          server.signal('SIGCONT');
        }),
      ),
    slowDown: (delayMs, ms) =>
      exclusively(async () => {
        relay.delayMs = delayMs;
        await sleep(ms);
        relay.delayMs = 0;
      }),
    quiet: async () => activeFault,
    async close() {
      await activeFault;
      relay.close();
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
