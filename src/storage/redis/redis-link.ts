import { Incident, type Logger } from '../../log.ts';
import { withTimeout } from '../../time/timers.ts';
import { newClient, type RedisClient } from './redis-client.ts';
import {
  ANSWER_TIMEOUT_MS,
  isOutage,
  isRefusedWrite,
  RedisUnavailable,
  withinAnswerTimeout,
} from './redis-unavailable.ts';

/**
 * `usable`: reads and writes work. `readable`: writes are refused (a read-only replica, out of memory). `unavailable`:
 * no command is sent but the check whether it is available again.
 */
export type RedisHealth = 'usable' | 'readable' | 'unavailable';

const CHECK_EVERY_MS = 1_000;
/** Usable within 2 s of Redis's return: this, the reconnect of the client, and one answer. */
const CHECK_EVERY_WHILE_UNAVAILABLE_MS = 200;

export interface RedisLinkOptions {
  url: string;
  /** Of every key of the bot, with its version and without a colon at the end. */
  prefix: string;
  log: Logger;
  /** A command that is not answered by then counts as an outage. */
  answerTimeoutMs?: number;
}

/** The connection to Redis, and whether commands are worth sending. */
export class RedisLink {
  readonly client: RedisClient;
  readonly #probeKey: string;
  readonly #log: Logger;
  readonly #answerTimeoutMs: number;
  readonly #outage: Incident;
  readonly #onHealth: ((health: RedisHealth) => void)[] = [];
  #health: RedisHealth = 'unavailable';
  #reason = 'no connection yet';
  #nextCheck: NodeJS.Timeout | undefined;
  #isChecking = false;
  #isClosed = false;
  #unansweredProbe: Promise<unknown> | undefined;

  constructor({ url, prefix, log, answerTimeoutMs = ANSWER_TIMEOUT_MS }: RedisLinkOptions) {
    this.#log = log;
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'redis unavailable: this process continues isolated, with its share of the plan',
      ends: 'redis available again',
    });
    this.#probeKey = `${prefix}:probe`;
    this.client = newClient(url);
    this.client.on('error', (err: unknown) => {
      this.#reason = messageOf(err);
      if (!this.client.isReady) this.#setHealth('unavailable');
    });
    this.client.on('ready', () => void this.#check());
    void this.client.connect().catch(() => {}); // the client retries; 'error' has the reason
  }

  get health(): RedisHealth {
    return this.#health;
  }

  /** Called after every change. */
  onHealth(listener: (health: RedisHealth) => void): void {
    this.#onHealth.push(listener);
  }

  /** Resolves when the link is usable, or after `limitMs`. */
  async opened(limitMs: number): Promise<void> {
    const usable = new Promise<void>((resolve) => {
      if (this.#health === 'usable') resolve();
      else this.onHealth((health) => health === 'usable' && resolve());
    });
    await withTimeout(limitMs, usable);
    if (this.#health !== 'usable') this.#report();
  }

  /** @throws RedisUnavailable at once while it is, otherwise after 250 ms; and any rejection of `work` that is no Error */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#send(work, this.#health === 'usable');
  }

  /** Like `run`, for work that only reads. */
  read<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#send(work, this.#health !== 'unavailable');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#nextCheck);
    // An interrupted ping is an error event, which BullMQ re-emits after its own listeners are gone.
    this.client.removeAllListeners('error').on('error', () => {});
    this.client.destroy();
  }

  async #send<T>(work: (client: RedisClient) => Promise<T>, isWorthSending: boolean): Promise<T> {
    if (!isWorthSending) throw new RedisUnavailable(this.#reason);
    try {
      return await withinAnswerTimeout(this.#answerTimeoutMs, work(this.client));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (isOutage(error)) this.#setHealth(isRefusedWrite(error) ? 'readable' : 'unavailable', messageOf(error));
      else this.#log.error({ err: error }, 'redis command failed');
      throw error instanceof RedisUnavailable ? error : new RedisUnavailable(messageOf(error), { cause: error });
    }
  }

  async #check(): Promise<void> {
    if (this.#isClosed || this.#isChecking) return;
    clearTimeout(this.#nextCheck);
    this.#isChecking = true;
    await this.#probe();
    this.#isChecking = false;
    if (this.#isClosed) return;
    this.#report(); // an outage that began too soon after another has not been logged yet
    const everyMs = this.#health === 'usable' ? CHECK_EVERY_MS : CHECK_EVERY_WHILE_UNAVAILABLE_MS;
    this.#nextCheck = setTimeout(() => void this.#check(), everyMs).unref();
  }

  /**
   * A write, because a replica and a full Redis still answer reads. One at a time: a connection that hangs is closed by
   * its idle timer, which every further write would reset.
   */
  async #probe(): Promise<void> {
    try {
      this.#unansweredProbe ??= this.client
        .set(this.#probeKey, '1', { expiration: { type: 'PX', value: 10_000 } })
        .finally(() => {
          this.#unansweredProbe = undefined;
        });
      await withinAnswerTimeout(this.#answerTimeoutMs, this.#unansweredProbe);
      this.#setHealth('usable');
    } catch (error) {
      const refused = error instanceof Error && isRefusedWrite(error);
      this.#setHealth(refused ? 'readable' : 'unavailable', this.client.isReady ? messageOf(error) : undefined);
    }
  }

  #report(): void {
    if (this.#health === 'usable') this.#outage.succeeded();
    else this.#outage.failed({ reason: this.#reason });
  }

  #setHealth(health: RedisHealth, reason = this.#reason): void {
    this.#reason = reason;
    if (this.#health === health || this.#isClosed) return;
    const wasUsable = this.#health === 'usable';
    this.#health = health;
    if (wasUsable || health === 'usable') this.#report();
    for (const listener of this.#onHealth) listener(health);
    if (wasUsable) void this.#check();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}
