import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type RedisClientType } from '@redis/client';
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
const PATIENCE_MS = 5_000;

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
  if (primary) await isInSync(url);
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
function handOver(url: string): Promise<boolean> {
  return asked(url, async (client) => {
    if ((await client.role())?.role === 'slave') return true;
    await client.sendCommand(['FAILOVER', 'TIMEOUT', '1000']).catch(() => {}); // under way already
    return false;
  });
}

/** Whether a replica has everything and receives what comes. */
function isInSync(url: string): Promise<boolean> {
  return asked(url, async (client) => {
    const role = await client.role();
    return role?.role === 'slave' && role.state === 'connected';
  });
}

/** Asks again and again until the answer is yes. */
async function asked(url: string, question: (client: RedisClientType) => Promise<boolean>): Promise<boolean> {
  const client: RedisClientType = createClient({ url });
  await client.connect();
  try {
    for (const giveUpAtMs = Date.now() + PATIENCE_MS; Date.now() < giveUpAtMs; await sleep(20)) {
      if (await question(client)) return true;
    }
    return false;
  } finally {
    client.destroy();
  }
}
