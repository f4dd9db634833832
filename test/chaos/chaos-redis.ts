import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSlowRelay, type RelayState } from '../support/open-slow-relay.ts';
import { type ChaosServer, serverStarter } from './chaos-server.ts';

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
  close(): Promise<void>;
}

/** By then a process that reaches Redis again has noticed (2 s), and written what it could not (with a heartbeat, 1 s). */
export const SETTLED_MS = 5_000;
/** A process has found the new primary by then: docs/more-processes.md. */
const RIDDEN_OUT_MS = 5_000;

/** @throws without a Redis on PATH */
export async function startChaosRedis(processes: number): Promise<ChaosRedis> {
  const start = serverStarter();
  let server: ChaosServer = await start();
  const relays = await Promise.all(Array.from({ length: processes }, () => openSlowRelay(server.url, { delayMs: 0 })));
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

  async function restart(ms: number, emptied: boolean): Promise<void> {
    await server.kill();
    if (emptied) {
      await rm(server.dir, { recursive: true, force: true });
      await mkdir(server.dir);
    }
    await sleep(ms);
    await server.run();
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
    const next = await start(old);
    await outage(false, async () => {
      if (!(await old.handOver())) return;
      server = next;
      for (const relay of relays) {
        relay.leadTo(next.url);
        if (connections === 'dropped') relay.drop();
      }
    });
    if (server === old) return next.remove();
    await sleep(RIDDEN_OUT_MS);
    const behind = relays.flatMap((relay, process) => (relay.leadsTo(old.url) ? [process] : []));
    if (behind.length > 0) failures.push(`still connected to the primary before: processes ${behind.join(', ')}`);
    await old.remove();
  }

  return {
    urlFor: (process) => relays[process]?.url ?? server.url,
    outages,
    partitions,
    failures,
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
        const even = relays.filter((_, process) => process % 2 === 0);
        for (const relay of even) relay.delayMs = delayMs;
        await sleep(ms);
        for (const relay of even) relay.delayMs = 0;
      }),
    cutOff: (process, how, ms) => exclusively(() => partition(process, how, ms)),
    isCutOff: (process) => process === cutOff,
    failOver: (connections) => exclusively(() => replacePrimary(connections)),
    quiet: async () => activeFault,
    async close() {
      await activeFault;
      for (const relay of relays) relay.close();
      await server.remove();
    },
  };
}
