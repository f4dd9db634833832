import { setTimeout as sleep } from 'node:timers/promises';
import { type RealServer, startRealServer } from '../support/redis/real-server.ts';
import { type RelayState, startSlowRelay } from '../support/slow-relay.ts';

/** A time in which Redis accepted no writes; `emptied`: it also lost its data. */
export interface Outage {
  fromMs: number;
  toMs: number;
  emptied: boolean;
}

/** A time in which one process could not reach Redis, and the others could. */
export interface Partition {
  process: number;
  how: RelayState;
  fromMs: number;
  toMs: number;
}

/** The Redis that all bots share and its faults, one at a time: a fault during another is skipped. */
export interface ChaosRedis {
  /** Each process has a relay of its own. */
  urlFor(process: number): string;
  readonly outages: readonly Outage[];
  readonly partitions: readonly Partition[];
  /** What contradicts a promise and no command shows. */
  readonly failures: readonly string[];
  /** Kills the server and starts it again with the data in its file. */
  crash(ms: number): Promise<void>;
  /** Kills the server and starts it again empty. */
  crashAndForget(ms: number): Promise<void>;
  /** Connections stay open, and nothing is answered. */
  hang(ms: number): Promise<void>;
  /** Slows the processes with even numbers. */
  slowDown(delayMs: number, ms: number): Promise<void>;
  /** One process does not reach Redis. */
  cutOff(process: number, how: 'closed' | 'silent', ms: number): Promise<void>;
  /** Whether a process is cut off, or was so recently that Redis need not have what it wrote meanwhile. */
  isCutOff(process: number): boolean;
  /** A replica becomes the primary behind the same address; connections to the one before are dropped, or kept. */
  failOver(connections: 'dropped' | 'kept'): Promise<void>;
  /** Resolves when no fault is active. */
  quiet(): Promise<void>;
}

/** As in compose.yaml: everything is persisted, nothing is evicted. */
const SETTINGS = { 'maxmemory-policy': 'noeviction', 'repl-diskless-sync-delay': '0' };
const PATIENCE_MS = 5_000;

/** By then a process that reaches Redis again has noticed (2 s), and written what it could not (with a heartbeat, 1 s). */
export const SETTLED_MS = 5_000;
/** A process has found the new primary by then: docs/more-processes.md. */
const RIDDEN_OUT_MS = 5_000;

/** Ends with the scope. @throws without a Redis on PATH */
export async function startChaosRedis(processes: number): Promise<ChaosRedis> {
  let server = await startRealServer({ appendonly: true, settings: SETTINGS });
  const relays = await Promise.all(Array.from({ length: processes }, () => startSlowRelay(server.url, { delayMs: 0 })));
  const outages: Outage[] = [];
  const partitions: Partition[] = [];
  const failures: string[] = [];
  let activeFault: Promise<void> | undefined;
  let cutOff: number | undefined;

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

  async function restart(ms: number, start: 'start' | 'startEmpty'): Promise<void> {
    await server.kill();
    await sleep(ms);
    await server[start]();
    await server.command('REPLICAOF', 'NO', 'ONE'); // after a failover it still starts as the replica of the one before
  }

  async function partition(process: number, how: 'closed' | 'silent', ms: number): Promise<void> {
    const started = { process, how, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    partitions.push(started);
    cutOff = process;
    relays[process]?.setState(how);
    await sleep(ms);
    relays[process]?.setState('open');
    started.toMs = Date.now();
    await sleep(SETTLED_MS);
    cutOff = undefined;
  }

  async function replacePrimary(connections: 'dropped' | 'kept'): Promise<void> {
    const old = server;
    const next = await startRealServer({
      appendonly: true,
      settings: { ...SETTINGS, replicaof: `127.0.0.1 ${old.port}` },
    });
    await isInSync(next);
    await outage(false, async () => {
      if (!(await handOver(old))) return;
      server = next;
      for (const relay of relays) {
        relay.leadTo(next.url);
        if (connections === 'dropped') relay.drop();
      }
    });
    if (server === old) return next.kill();
    const behindNow = () => relays.flatMap((relay, process) => (relay.leadsTo(old.url) ? [process] : []));
    await becomes(async () => behindNow().length === 0, RIDDEN_OUT_MS);
    const behind = behindNow();
    if (behind.length > 0) failures.push(`still connected to the primary before: processes ${behind.join(', ')}`);
    await old.kill();
  }

  return {
    urlFor: (process) => relays[process]?.url ?? server.url,
    outages,
    partitions,
    failures,
    crash: (ms) => exclusively(() => outage(false, () => restart(ms, 'start'))),
    crashAndForget: (ms) => exclusively(() => outage(true, () => restart(ms, 'startEmpty'))),
    hang: (ms) =>
      exclusively(() =>
        outage(false, async () => {
          server.pause();
          await sleep(ms);
          server.resume();
        }),
      ),
    slowDown: (delayMs, ms) =>
      exclusively(async () => {
        const even = relays.filter((_, process) => process % 2 === 0);
        for (const relay of even) relay.delayMs = delayMs;
        await sleep(ms);
        for (const relay of even) relay.delayMs = 0;
      }),
    cutOff: (process, how, ms) => exclusively(() => partition(process, how, ms)),
    isCutOff: (process) => process === cutOff,
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
