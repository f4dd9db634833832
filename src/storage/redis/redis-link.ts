import type { Logger } from '../../log.ts';
import { Incident } from '../../log.ts';
import { withTimeout } from '../../time/timers.ts';
import { inTime } from './in-time.ts';
import { newClient, type RedisClient } from './redis-client.ts';
import { isRefusedWrite, isTrouble, RedisAway } from './redis-errors.ts';

/**
 * `usable`: reads and writes work. `readable`: writes are refused (a read-only replica, out of memory). `away`: nothing
 * is asked of it but whether it is back.
 */
export type RedisHealth = 'usable' | 'readable' | 'away';

const LOOK_EVERY_MS = 1_000;
/** Back within 2 s of Redis: this, the reconnect below, and one answer. */
const LOOK_EVERY_WHILE_AWAY_MS = 200;

/** The connection to Redis, and whether it is worth asking. */
export class RedisLink {
  readonly client: RedisClient;
  readonly #probeKey: string;
  readonly #log: Logger;
  readonly #absence: Incident;
  readonly #onHealth: ((health: RedisHealth) => void)[] = [];
  #health: RedisHealth = 'away';
  #reason = 'no connection yet';
  #nextLook: NodeJS.Timeout | undefined;
  #looking = false;
  #closed = false;
  #unanswered: Promise<unknown> | undefined;

  /** @param prefix of every key of ours, with its version and without a colon at the end */
  constructor({ url, prefix, log }: { url: string; prefix: string; log: Logger }) {
    this.#log = log;
    this.#absence = new Incident(log, {
      level: 'warn',
      begins: 'redis is away: this process goes on alone, with its share of the plan',
      ends: 'redis is back',
    });
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
    await withTimeout(patienceMs, usable);
    if (this.#health !== 'usable') this.#say();
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
    clearTimeout(this.#nextLook);
    // A ping that is cut off is an error, and BullMQ hands it on to where nobody listens any more.
    this.client.removeAllListeners('error').on('error', () => {});
    this.client.destroy();
  }

  async #ask<T>(work: (client: RedisClient) => Promise<T>, worthIt: boolean): Promise<T> {
    if (!worthIt) throw new RedisAway(this.#reason);
    try {
      return await inTime(work(this.client));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (isTrouble(error)) this.#become(isRefusedWrite(error) ? 'readable' : 'away', words(error));
      else this.#log.error({ err: error }, 'a question to redis failed');
      throw error instanceof RedisAway ? error : new RedisAway(words(error), { cause: error });
    }
  }

  async #look(): Promise<void> {
    if (this.#closed || this.#looking) return;
    clearTimeout(this.#nextLook);
    this.#looking = true;
    await this.#probe();
    this.#looking = false;
    if (this.#closed) return;
    this.#say(); // an outage that began too soon after another has not been logged yet
    const everyMs = this.#health === 'usable' ? LOOK_EVERY_MS : LOOK_EVERY_WHILE_AWAY_MS;
    this.#nextLook = setTimeout(() => void this.#look(), everyMs).unref();
  }

  /**
   * A write, because a replica and a full Redis still answer reads. One at a time: a connection on which nothing moves
   * any more is given up by its idle timer, which every further write would set anew.
   */
  async #probe(): Promise<void> {
    try {
      this.#unanswered ??= this.client
        .set(this.#probeKey, '1', { expiration: { type: 'PX', value: 10_000 } })
        .finally(() => {
          this.#unanswered = undefined;
        });
      await inTime(this.#unanswered);
      this.#become('usable');
    } catch (error) {
      const refused = error instanceof Error && isRefusedWrite(error);
      this.#become(refused ? 'readable' : 'away', this.client.isReady ? words(error) : undefined);
    }
  }

  #say(): void {
    if (this.#health === 'usable') this.#absence.succeeded();
    else this.#absence.failed({ reason: this.#reason });
  }

  #become(health: RedisHealth, reason = this.#reason): void {
    this.#reason = reason;
    if (this.#health === health || this.#closed) return;
    const wasUsable = this.#health === 'usable';
    this.#health = health;
    if (wasUsable || health === 'usable') this.#say();
    for (const listener of this.#onHealth) listener(health);
    if (wasUsable) void this.#look();
  }
}

function words(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(words).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}
