import { setTimeout as sleep } from 'node:timers/promises';
import { type RealServer, startRealServer } from '../support/redis/real-server.ts';
import { startSlowRelay } from '../support/slow-relay.ts';
import type { Trouble } from './outcome.ts';

/** The Redis that all bots share and its faults, one at a time: a fault during another is skipped. */
export interface ChaosRedis {
  /** The same whichever server is behind it. */
  url: string;
  /** When it accepted no writes. */
  readonly troubles: readonly Trouble[];
  /** What contradicts a promise and no command shows. */
  readonly failures: readonly string[];
  /** Kills the server and starts it again with the data in its file. */
  crash(ms: number): Promise<void>;
  /** Connections stay open, and nothing is answered. */
  hang(ms: number): Promise<void>;
  /** A replica becomes the primary behind the same address; connections to the one before are dropped, or kept. */
  failOver(connections: 'dropped' | 'kept'): Promise<void>;
  /** Resolves when no fault is active. */
  quiet(): Promise<void>;
}

/** As in compose.yaml: everything is persisted, nothing is evicted. */
const SETTINGS = { 'maxmemory-policy': 'noeviction', 'repl-diskless-sync-delay': '0' };
const PATIENCE_MS = 5_000;

/** A process has found the new primary by then: docs/more-processes.md. */
const RIDDEN_OUT_MS = 5_000;

/** Ends with the scope. @throws without a Redis on PATH */
export async function startChaosRedis(): Promise<ChaosRedis> {
  let server = await startRealServer({ appendonly: true, settings: SETTINGS });
  const relay = await startSlowRelay(server.url, { delayMs: 0 });
  const troubles: Trouble[] = [];
  const failures: string[] = [];
  let activeFault: Promise<void> | undefined;

  function exclusively(work: () => Promise<void>): Promise<void> {
    activeFault ??= work().finally(() => {
      activeFault = undefined;
    });
    return activeFault;
  }

  async function trouble(how: string, work: () => Promise<void>): Promise<void> {
    const began: Trouble = { what: 'redis', how, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    troubles.push(began);
    await work();
    began.toMs = Date.now();
  }

  async function restart(ms: number): Promise<void> {
    await server.kill();
    await sleep(ms);
    await server.start();
    await server.command('REPLICAOF', 'NO', 'ONE'); // after a failover it still starts as the replica of the one before
  }

  async function replacePrimary(connections: 'dropped' | 'kept'): Promise<void> {
    const old = server;
    const next = await startRealServer({
      appendonly: true,
      settings: { ...SETTINGS, replicaof: `127.0.0.1 ${old.port}` },
    });
    await isInSync(next);
    await trouble('fails over', async () => {
      if (!(await handOver(old))) return;
      server = next;
      relay.leadTo(next.url);
      if (connections === 'dropped') relay.drop();
    });
    if (server === old) return next.kill();
    const haveAllLeft = await becomes(async () => !relay.leadsTo(old.url), RIDDEN_OUT_MS);
    if (!haveAllLeft) failures.push('a process is still connected to the primary before');
    await old.kill();
  }

  return {
    url: relay.url,
    troubles,
    failures,
    crash: (ms) => exclusively(() => trouble('is killed', () => restart(ms))),
    hang: (ms) =>
      exclusively(() =>
        trouble('hangs', async () => {
          server.pause();
          await sleep(ms);
          server.resume();
        }),
      ),
    failOver: (connections) => exclusively(() => replacePrimary(connections)),
    quiet: async () => activeFault,
  };
}

/** FAILOVER holds writes back until the replica has all of them. Resolves to whether it became the replica of its own replica. */
function handOver(server: RealServer): Promise<boolean> {
  return becomes(async () => {
    if (isReplica(await server.command('ROLE'))) return true;
    await server.command('FAILOVER', 'TIMEOUT', '1000').catch(() => {}); // under way already
    return false;
  });
}

/** Whether a replica has everything and receives what comes. */
function isInSync(server: RealServer): Promise<boolean> {
  return becomes(async () => {
    const role = await server.command('ROLE');
    return isReplica(role) && role.includes('connected');
  });
}

function isReplica(role: unknown): role is unknown[] {
  return Array.isArray(role) && role[0] === 'slave';
}

/** Asks again and again until the answer is yes. */
async function becomes(question: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<boolean> {
  for (const giveUpAtMs = Date.now() + patienceMs; Date.now() < giveUpAtMs; await sleep(20)) {
    if (await question()) return true;
  }
  return false;
}
