import { Incident, type Logger } from '../../log.ts';
import type { Events } from '../../model/events.ts';
import { SingleRunner, withTimeout } from '../../time/timers.ts';
import { StateUnusable } from '../state.ts';
import {
  destroyClient,
  newClient,
  type RedisClient,
  takesWrite,
  tlsCure,
  UNLIKE_REDIS,
  whyNotOwner,
  whyUnusable,
} from './client.ts';
import { isOutage, messageOf, RedisUnavailable, says, withinAnswerTimeout } from './unavailable.ts';

/**
 * `usable`: reads and writes work. `readable`: writes are refused (a read-only replica, out of memory). `unavailable`:
 * no command is sent but the check whether it is available again.
 */
export type RedisHealth = 'usable' | 'readable' | 'unavailable';

const CHECK_EVERY_MS = 1_000;
/** Usable within 2 s of Redis's return: this, the reconnect of the client, and one answer. */
const CHECK_EVERY_WHILE_UNAVAILABLE_MS = 200;
/** By then the idle timer has closed a connection that hangs. */
const LONGEST_PROBE_MS = 5_000;
const ANSWER_TIMEOUT_MS = 250; // on one machine an answer comes within 1 ms, in one data centre within 5

export interface RedisLinkOptions {
  url: string;
  /** How every key of the bot begins, with its version and without a colon at the end. */
  prefix: string;
  log: Logger;
  /** Whose data the prefix is for; absent: for a tool that may read anybody's. */
  botId?: string;
  /** Told when Redis goes and comes back. */
  events?: Events;
  /** A command that takes so much longer than the shortest lately counts as an outage. Absent: 250 ms. */
  answerTimeoutMs?: number;
}

/** The connection to Redis, and whether commands are worth sending. */
export class RedisLink {
  readonly client: RedisClient;
  readonly prefix: string;
  /** The database and the prefix, without user and password. */
  readonly name: string;
  readonly #options: RedisLinkOptions;
  readonly #outage: Incident;
  readonly #refusal = Promise.withResolvers<StateUnusable>();
  /** Resolves when a server is reached that can never be used; the link is closed then. */
  readonly refused = this.#refusal.promise;
  readonly #onHealth: ((health: RedisHealth) => void)[] = [];
  readonly #logged = new Set<string>();
  #health: RedisHealth = 'unavailable';
  #reason: string;
  readonly #checks = new SingleRunner(() => this.#check());
  #nextCheck: NodeJS.Timeout | undefined;
  #isClosed = false;
  #unansweredProbe: Promise<unknown> | undefined;
  /** Whether this connection leads to a server that can be used; absent before the first. */
  #isJudged: boolean | undefined;
  /** The shortest check of this connection. */
  #tripMs = Number.POSITIVE_INFINITY;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.#reason = `no connection yet: ${tlsCure(options.url)}`;
    const { host, pathname } = new URL(options.url);
    this.name = `redis ${host}${pathname} ${options.prefix}`;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'redis unavailable: this process continues isolated, with its share of the plan',
      ends: 'redis available again',
    });
    this.client = newClient(options.url, { reconnects: true });
    this.client.on('error', (err: unknown) => {
      const reason = messageOf(err);
      const isFirst = this.#isJudged === undefined;
      this.#reason = isFirst && UNLIKE_REDIS.test(reason) ? `${reason}: ${tlsCure(options.url)}` : reason;
      if (!this.client.isReady) this.#setHealth('unavailable');
    });
    this.client.on('ready', () => {
      this.#tripMs = Number.POSITIVE_INFINITY;
      this.#isJudged = false;
      void this.#checks.run();
    });
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
    if (this.#health === 'usable') return;
    const usable = new Promise<void>((resolve) => this.onHealth((health) => health === 'usable' && resolve()));
    await withTimeout(limitMs, usable);
    if (this.health !== 'usable') this.#report();
  }

  /** @throws RedisUnavailable at once while it is, otherwise 250 ms after the answer was due */
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
    destroyClient(this.client);
  }

  async #send<T>(work: (client: RedisClient) => Promise<T>, isWorthSending: boolean): Promise<T> {
    if (this.#isClosed) throw new RedisUnavailable('the connection was closed');
    if (!isWorthSending) throw new RedisUnavailable(this.#reason);
    try {
      return await this.#withinTimeout(work(this.client));
    } catch (error) {
      const reason = messageOf(error);
      if (isOutage(error)) this.#setHealth(says('refusesWrites', error) ? 'readable' : 'unavailable', reason);
      else if (says('forbids', error))
        this.#logOnce(reason, 'the redis user lacks rights that the bot needs: see docs/more-processes.md');
      else this.#logOnce(reason, 'redis command failed', { err: error });
      throw error instanceof RedisUnavailable ? error : new RedisUnavailable(reason, { cause: error });
    }
  }

  /** What is stored under a key, or a part of it, is not what this version writes. */
  unreadable(key: string): void {
    this.#logOnce(`unreadable ${key}`, 'redis holds something that cannot be read: it is left out or replaced', {
      key,
    });
  }

  /** What fails once fails again with every command of its kind. */
  #logOnce(reason: string, message: string, details: object = { reason }): void {
    if (!this.#logged.has(reason)) this.#options.log.error(details, message);
    this.#logged.add(reason);
  }

  #withinTimeout<T>(work: Promise<T>): Promise<T> {
    const silenceMs = this.#options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    return withinAnswerTimeout(work, silenceMs + Math.min(this.#tripMs, silenceMs));
  }

  async #check(): Promise<void> {
    clearTimeout(this.#nextCheck);
    if (!this.#isClosed) await this.#probe();
    if (this.#isClosed) return;
    this.#report(); // an outage that began too soon after another has not been logged yet
    const everyMs = this.#health === 'unavailable' ? CHECK_EVERY_WHILE_UNAVAILABLE_MS : CHECK_EVERY_MS;
    this.#nextCheck = setTimeout(() => void this.#checks.run(), everyMs).unref();
  }

  /** One at a time: a connection that hangs is closed by its idle timer, which every further write would reset. */
  async #probe(): Promise<void> {
    try {
      this.#unansweredProbe ??= withinAnswerTimeout(this.#ask(), LONGEST_PROBE_MS).finally(() => {
        this.#unansweredProbe = undefined;
      });
      const sentAtMs = performance.now();
      await this.#withinTimeout(this.#unansweredProbe);
      this.#tripMs = Math.min(this.#tripMs, Math.round(performance.now() - sentAtMs));
      this.#setHealth('usable');
    } catch (error) {
      const health = says('refusesWrites', error) ? 'readable' : 'unavailable';
      this.#setHealth(health, this.client.isReady ? messageOf(error) : undefined);
      if (says('isReplica', error)) await this.#followPrimary();
    }
  }

  #ask(): Promise<unknown> {
    return Promise.all([this.#isJudged || this.#judgeServer(), this.#write(this.client)]);
  }

  /** A write, because a replica and a full Redis still answer reads. */
  #write(client: RedisClient): Promise<unknown> {
    return client.set(`${this.prefix}:probe`, '1', { expiration: { type: 'PX', value: 10_000 } });
  }

  /** Again while the server does not say whose its data are: it may still load them. */
  async #judgeServer(): Promise<void> {
    const { botId } = this.#options;
    const why = (await whyUnusable(this.client)) ?? (botId && (await whyNotOwner(this.client, this.prefix, botId)));
    this.#isJudged = true;
    if (!why) return;
    this.#refusal.resolve(new StateUnusable(why));
    this.close();
  }

  /** After a failover a connection may still lead to the old primary, and its address to the new one. */
  async #followPrimary(): Promise<void> {
    const leadsToPrimary = await takesWrite(this.#options.url, (client) => this.#write(client));
    if (!leadsToPrimary || this.#isClosed) return;
    this.client.destroy();
    void this.client.connect().catch(() => {});
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
    this.#options.events?.publish('store', { store: 'redis', works: health === 'usable' });
    if (wasUsable || health === 'usable') this.#report();
    for (const listener of this.#onHealth) listener(health);
    if (wasUsable) void this.#checks.run();
  }
}
