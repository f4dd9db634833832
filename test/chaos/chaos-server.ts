import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { redisServerBinary } from '../support/redis/server-binary.ts';
import { runServer, type ServerProcess } from '../support/redis/server-process.ts';

/** A Redis that can be killed, started again and replaced. */
export interface ChaosServer {
  readonly url: string;
  readonly port: number;
  /** Where its data is; it has to exist when the server starts. */
  readonly dir: string;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  /** After `kill`, on the same port, with what is in `dir`. */
  run(): Promise<void>;
  /** Becomes the replica of its own replica, without the loss of a write. Resolves to whether it did. */
  handOver(): Promise<boolean>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** As in compose.yaml: everything is persisted, nothing is evicted. */
const SETTINGS = { bind: '127.0.0.1', save: '', appendonly: 'yes', 'maxmemory-policy': 'noeviction' };
const HAND_OVER_MS = 3_000;

/** Starts a Redis, as the replica of another if one is given. @throws without a Redis on PATH */
export function serverStarter(): (primary?: ChaosServer) => Promise<ChaosServer> {
  const found = redisServerBinary();
  if (found === undefined) throw new Error('no redis-server or valkey-server on PATH');
  const binary = found;
  // Below the ephemeral port range, so that they stay free for the next start.
  let port = randomInt(20_000, 32_000);
  return (primary) => startServer(binary, port++, primary);
}

async function startServer(binary: string, port: number, primary?: ChaosServer): Promise<ChaosServer> {
  const dir = await mkdtemp(join(tmpdir(), 'cardbot-chaos-redis-'));
  const settings = { ...SETTINGS, dir, port: String(port), 'repl-diskless-sync-delay': '0' };
  const replicaOf = primary && { replicaof: `127.0.0.1 ${primary.port}` };
  let running: ServerProcess = await runServer(binary, { ...settings, ...replicaOf });
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    port,
    dir,
    signal: (name) => running.signal(name),
    kill: () => running.kill(),
    async run() {
      running = await runServer(binary, settings);
    },
    handOver: () => handOver(url),
    async remove() {
      await running.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** FAILOVER holds writes back until the replica has all of them. */
async function handOver(url: string): Promise<boolean> {
  const client = await createClient({ url }).connect();
  let isAsked = false;
  try {
    for (const giveUpAtMs = Date.now() + HAND_OVER_MS; Date.now() < giveUpAtMs; await sleep(20)) {
      const role = (await client.role())?.role;
      if (role === 'slave') return true;
      // Refused until a replica has connected.
      if (!isAsked)
        isAsked = await client.sendCommand(['FAILOVER', 'TIMEOUT', '1000']).then(
          () => true,
          () => false,
        );
    }
    return false;
  } finally {
    client.destroy();
  }
}
