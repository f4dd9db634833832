import { setImmediate as ioTurn } from 'node:timers/promises';
import { createClient } from 'redis';
import type { Logger } from '../log.ts';
import { within } from '../within.ts';
import { isRefusedWrite, isTrouble, RedisAway } from './redis-errors.ts';

export type RedisClient = ReturnType<typeof newClient>;

/**
 * `usable`: reads and writes work. `readable`: writes are refused (a read-only replica, out of memory). `away`: nothing
 * is asked of it but whether it is back.
 */
export type RedisHealth = 'usable' | 'readable' | 'away';

/** Nothing waits longer for Redis; on one machine it answers within 1 ms, in one data centre within 5. */
const LONGEST_WAIT_MS = 250;
const LOOK_EVERY_MS = 1_000;
/** Back within 2 s of Redis: this, the reconnect below, and one answer. */
const LOOK_EVERY_WHILE_AWAY_MS = 200;
const LONGEST_RECONNECT_MS = 500;
/** A Redis that comes and goes would else fill the log. */
const LOG_AGAIN_AFTER_MS = 60_000;

/** The connection to Redis, and whether it is worth asking. */
export class RedisLink {
  readonly client: RedisClient;
  readonly #probeKey: string;
  readonly #log: Logger;
  readonly #onHealth: ((health: RedisHealth) => void)[] = [];
  #health: RedisHealth = 'away';
  #reason = 'no connection yet';
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #loggedAway = false;
  #looking: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param prefix of every key of ours, with its version and without a colon at the end */
  constructor({ url, prefix, log }: { url: string; prefix: string; log: Logger }) {
    this.#log = log;
    this.#probeKey = `${prefix}:probe`;
    this.client = newClient(url);
    this.client.on('error', (err: unknown) => {
      this.#reason = words(err);
      if (!this.client.isReady) this.#become('away');
    });
    this.client.on('ready', () => void this.#look());
    void this.client.connect().catch(() => {}); // it goes on trying; 'error' has the reason
  }

  get health(): RedisHealth {
    return this.#health;
  }

  /** Called after every change. */
  onHealth(listener: (health: RedisHealth) => void): void {
    this.#onHealth.push(listener);
  }

  /** Waits for the first connection, and not longer than `patienceMs`. */
  async opened(patienceMs: number): Promise<void> {
    const usable = new Promise<void>((resolve) => {
      if (this.#health === 'usable') resolve();
      else this.onHealth((health) => health === 'usable' && resolve());
    });
    await within(patienceMs, usable);
    if (this.#health !== 'usable') this.#logHealth();
  }

  /** @throws RedisAway at once while Redis is away, else after 250 ms; and what `work` rejects with that is no Error */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#ask(work, this.#health === 'usable');
  }

  /** Like `run`, for work that only reads. */
  read<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#ask(work, this.#health !== 'away');
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#looking);
    this.client.destroy();
  }

  async #ask<T>(work: (client: RedisClient) => Promise<T>, worthIt: boolean): Promise<T> {
    if (!worthIt) throw new RedisAway(this.#reason);
    try {
      return await inTime(work(this.client));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (isTrouble(error)) this.#become(isRefusedWrite(error) ? 'readable' : 'away', words(error));
      else this.#log.error({ err: error }, 'redis refused a command');
      throw error instanceof RedisAway ? error : new RedisAway(words(error), { cause: error });
    }
  }

  /** A write, because a replica and a full Redis still answer reads. */
  async #look(): Promise<void> {
    if (this.#closed) return;
    try {
      await inTime(this.client.set(this.#probeKey, '1', { expiration: { type: 'PX', value: 10_000 } }));
      this.#become('usable');
    } catch (error) {
      const refused = error instanceof Error && isRefusedWrite(error);
      this.#become(refused ? 'readable' : 'away', this.client.isReady ? words(error) : undefined);
    }
    if (this.#closed) return;
    clearTimeout(this.#looking);
    const everyMs = this.#health === 'usable' ? LOOK_EVERY_MS : LOOK_EVERY_WHILE_AWAY_MS;
    this.#looking = setTimeout(() => void this.#look(), everyMs).unref();
  }

  #become(health: RedisHealth, reason = this.#reason): void {
    this.#reason = reason;
    if (this.#health === health || this.#closed) return;
    const wasUsable = this.#health === 'usable';
    this.#health = health;
    if (wasUsable || health === 'usable') this.#logHealth();
    for (const listener of this.#onHealth) listener(health);
    if (wasUsable) void this.#look();
  }

  #logHealth(): void {
    const away = this.#health !== 'usable';
    if (away === this.#loggedAway) return;
    if (away && Date.now() - this.#loggedAtMs < LOG_AGAIN_AFTER_MS) return;
    this.#loggedAway = away;
    if (!away) {
      this.#log.info('redis is back');
      return;
    }
    this.#loggedAtMs = Date.now();
    this.#log.warn({ reason: this.#reason }, 'redis is away: this process goes on alone, with its share of the plan');
  }
}

function newClient(url: string) {
  return createClient({
    url,
    // A command that cannot be sent now is answered without Redis, not queued.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      // An idle timer, which the pings keep from running out while Redis answers.
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_RECONNECT_MS) + Math.random() * 50,
    },
  });
}

/** @throws RedisAway after 250 ms, and what `work` throws */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const settled = work.then((value) => ({ value }));
  const inTime =
    (await within(LONGEST_WAIT_MS, settled)) ??
    // The time may have run out in this process alone, which was busy: what has arrived by now counts.
    (await Promise.race([settled, ioTurn().then(() => ioTurn(undefined))]));
  if (inTime === undefined) throw new RedisAway(`no answer within ${LONGEST_WAIT_MS} ms`);
  return inTime.value;
}

function words(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(words).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}
