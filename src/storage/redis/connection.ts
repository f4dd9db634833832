import { createClient, ErrorReply } from '@redis/client';
import { Incident, type Logger } from '../../log.ts';
import { StateUnusable } from '../../model/errors.ts';
import type { Events } from '../../model/events.ts';
import { withTimeout } from '../../time.ts';

export type RedisClient = ReturnType<typeof newClient>;

/** Raised by each change of a key or of the form of what is in one; processes of different versions share nothing. */
const VERSION = 'v11';

/** How all keys begin but those of cards, which know their own version. */
export function redisPrefix(keyPrefix: string): string {
  return `${keyPrefix}:${VERSION}`;
}

/** Redis did not do it, or nobody knows whether it did; the caller says so, or does it when Redis is back. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

/** `readable`: Redis refuses writes (a read-only replica, out of memory). */
export type RedisHealth = 'usable' | 'readable' | 'unavailable';

export interface RedisLinkOptions {
  url: string;
  /** How every key of the bot begins, with its version and without a colon at the end. */
  prefix: string;
  log: Logger;
  /** Whose data the prefix is for. */
  botId: string;
  /** Told when Redis goes and comes back. */
  events?: Events;
  /** A command that takes longer is an outage. Absent: 1 s; on one machine it takes 1 ms, to another region 200. */
  answerTimeoutMs?: number;
}

const TIMEOUT_PARTS = 4;
/** A new connection takes five answers: TCP, TLS, password, what server it is, whose the data are. */
const TIMEOUTS_PER_CHECK = 3;
const CHECK_AFTER_MS = 500;

/**
 * Whose the data below the prefix are, for good: the first that asks. A write, because a replica and a full Redis still
 * answer reads, and by a script, as all that is written.
 */
const CLAIM = `
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
  return redis.call('GET', KEYS[1])
`;

/**
 * The connection to Redis, and whether commands are worth sending. One that breaks or is silent is given up; while none
 * takes writes, a new one is tried twice a second. Nothing is waited for without a limit, so it always comes back.
 */
export class RedisLink {
  readonly prefix: string;
  /** Resolves when the first connection was made, or failed. */
  readonly opened: Promise<void>;
  readonly #refusal = Promise.withResolvers<StateUnusable>();
  /** Resolves when a server is reached that can never be used; the link is closed then. */
  readonly refused = this.#refusal.promise;
  readonly #options: RedisLinkOptions;
  readonly #outage: Incident;
  readonly #onHealth: ((health: RedisHealth) => void)[] = [];
  readonly #logged = new Set<string>();
  /** The connection in use, and why nothing can be written, or without a connection not even read. */
  #state: { client?: RedisClient; reason?: string } = { reason: 'no connection yet' };
  /** The connection that is checked, until it is judged: what fails on one that was given up is no news. */
  #checked: RedisClient | undefined;
  #isClosed = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'redis unavailable: no card is requested until it is back; see to Redis, or check REDIS_URL',
      ends: 'redis available again',
    });
    this.opened = this.#check();
  }

  get health(): RedisHealth {
    if (this.#writable) return 'usable';
    return this.#state.client ? 'readable' : 'unavailable';
  }

  /** Called after every change. */
  onHealth(listener: (health: RedisHealth) => void): void {
    this.#onHealth.push(listener);
  }

  /** @throws RedisUnavailable at once while it is, otherwise after 1 s without an answer */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#send(this.#writable, work);
  }

  /** Like `run`, for work that only reads. */
  read<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#send(this.#state.client, work);
  }

  /** What is stored under a key, or a part of it, is not what this version writes. */
  unreadable(key: string): void {
    this.#logOnce('redis holds something that cannot be read: it is left out or replaced', { key });
  }

  close(): void {
    this.#isClosed = true;
    this.#checked?.destroy();
    this.#state.client?.destroy();
    this.#state = { reason: 'the connection was closed' };
  }

  get #writable(): RedisClient | undefined {
    return this.#state.reason === undefined ? this.#state.client : undefined;
  }

  async #send<T>(client: RedisClient | undefined, work: (client: RedisClient) => Promise<T>): Promise<T> {
    if (!client) throw new RedisUnavailable(this.#state.reason);
    try {
      return await this.#within(1, work(client));
    } catch (cause) {
      const meaning = replyMeaning(cause);
      const reason = messageOf(cause);
      if (meaning === 'failed') this.#logOnce('redis command failed', { reason });
      else if (meaning === 'forbids')
        this.#logOnce('the redis user lacks rights that the bot needs: see docs/more-processes.md', { reason });
      else if (meaning !== 'mistyped') this.#fails(client, cause);
      throw new RedisUnavailable(reason, { cause });
    }
  }

  #logOnce(message: string, details: object): void {
    const line = JSON.stringify(details);
    if (!this.#logged.has(line)) this.#options.log.error(details, message);
    this.#logged.add(line);
  }

  /** A part of the time in which the event loop was blocked counts as one part, however long it took. */
  async #within<T>(timeouts: number, work: Promise<T>): Promise<T> {
    const limitMs = timeouts * (this.#options.answerTimeoutMs ?? 1_000);
    const done = work.then((value) => ({ value }));
    for (let part = 0; part < TIMEOUT_PARTS; part++) {
      const inPart = await withTimeout(limitMs / TIMEOUT_PARTS, done);
      if (inPart) return inPart.value;
    }
    throw new RedisUnavailable(`no answer within ${limitMs} ms`);
  }

  async #check(): Promise<void> {
    // A connection on which writes are refused may lead to an old primary, and its address to the new one.
    const client = this.#writable ?? newClient(this.#options.url);
    this.#checked = client;
    try {
      const why = await this.#within(TIMEOUTS_PER_CHECK, this.#ask(client));
      if (why) {
        this.#refusal.resolve(new StateUnusable(why));
        this.close();
      } else this.#use({ client });
    } catch (error) {
      this.#fails(client, error);
    }
    if (client !== this.#state.client) client.destroy(); // until it was connected, it could not be
    if (this.#isClosed) return;
    this.#report(); // an outage that began too soon after another has not been logged yet
    setTimeout(() => void this.#check(), CHECK_AFTER_MS).unref();
  }

  /**
   * @returns why this server can never be used, as a sentence
   *
   * @throws why it cannot be used now: it may still load its data
   */
  async #ask(client: RedisClient): Promise<string | undefined> {
    if (!client.isOpen) {
      await client.on('error', (error: unknown) => this.#fails(client, error)).connect();
      const why = await whyUnusable(client);
      if (why) return why;
    }
    const { botId } = this.#options;
    const key = `${this.prefix}:application`;
    const owner = await client.eval(CLAIM, { keys: [key], arguments: [botId] });
    if (owner === botId) return undefined;
    return `REDIS_KEY_PREFIX is that of another application (${owner}; this is ${botId}): set another one, or delete the key ${key} if that application will not be used again.`;
  }

  #fails(client: RedisClient, error: unknown): void {
    const inUse = this.#state.client;
    if (client !== inUse && client !== this.#checked) return;
    let reason = messageOf(error);
    const isUnlikeRedis = /^(Socket closed|Connection timeout|no answer)/.test(reason);
    if (isUnlikeRedis && !inUse) reason += `: ${tlsCure(this.#options.url)}`;
    this.#use(replyMeaning(error) === 'refuses writes' ? { client: inUse ?? client, reason } : { reason });
  }

  #use(state: { client?: RedisClient; reason?: string }): void {
    if (this.#isClosed) return;
    const before = this.health;
    const { client } = this.#state;
    this.#checked = undefined;
    this.#state = state;
    if (client !== state.client) client?.destroy();
    const { health } = this;
    if (health === before) return;
    const reason = health === 'readable' ? `redis refuses writes: ${state.reason}` : undefined;
    this.#options.events?.publish('store', { store: 'redis', works: health === 'usable', reason });
    this.#report();
    for (const listener of this.#onHealth) listener(health);
  }

  #report(): void {
    if (this.#writable) this.#outage.succeeded();
    else this.#outage.failed({ reason: this.#state.reason });
  }
}

/**
 * `createClient` builds a class of hundreds of commands for each address, in 30 ms; all duplicates of a client share
 * it.
 */
const unconnected = createClient();

/**
 * For one connection: when that ends, by a server that is silent for long, too, `error` says why, and what is not
 * answered by then is rejected. While it is connecting it cannot be destroyed (@redis/client 6.3).
 *
 * @param connectTimeoutMs a second unless given, because a link tries another connection after it
 */
export function newClient(url: string, connectTimeoutMs = 1_000) {
  const socket = { connectTimeout: connectTimeoutMs, socketTimeout: 10_000, reconnectStrategy: false } as const;
  return unconnected.duplicate({ url, socket });
}

/** What is usually wrong when a server does not answer like Redis. */
export function tlsCure(url: string): string {
  return url.startsWith('rediss:')
    ? 'if it has no TLS, REDIS_URL begins with redis://'
    : 'if it has TLS, REDIS_URL begins with rediss://';
}

/** What an answer that is an error means, by how it begins. */
const MEANINGS = [
  /** A replica, memory used up, a disk that fails, too few replicas: reads are answered. */
  ['refuses writes', /^(READONLY|OOM|MISCONF|NOREPLICAS)\b/],
  /** It answers nothing to this client, or not now: password, still loading. */
  ['none', /^(NOAUTH|WRONGPASS|LOADING|MASTERDOWN|BUSY)\b/],
  /** An ACL does not permit this command or key; three versions word it for scripts. */
  ['forbids', /^(NOPERM|ERR ACL failure|ERR The user executing the script can't)\b/],
  /** What is under a key is of another type. */
  ['mistyped', /^WRONGTYPE\b/],
] as const;

/** `none`: there is no answer to any command. */
export function replyMeaning(error: unknown): (typeof MEANINGS)[number][0] | 'failed' {
  if (!(error instanceof ErrorReply)) return 'none';
  return MEANINGS.find(([, begins]) => begins.test(error.message))?.[0] ?? 'failed';
}

export function messageOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  return message || code || name;
}

/** Why a server can never be used, as a sentence; `undefined` when it can. No ACL refuses a HELLO. */
export async function whyUnusable(client: Pick<RedisClient, 'hello'>): Promise<string | undefined> {
  const sentences: Record<string, string> = {
    cluster: 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.',
    sentinel: 'REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.',
  };
  return sentences[(await client.hello())?.mode];
}

/** Warns once, as soon as Redis is usable. A Redis that does not report its settings causes no warning. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let isAsked = false;
  link.onHealth((health) => {
    if (isAsked || health !== 'usable') return;
    isAsked = true;
    const warn = (info: string) =>
      settingProblems(info).forEach((cure) => void log.warn({ cure }, 'redis may lose deferred replies'));
    link.read((client) => client.info().catch(() => '')).then(warn, () => {});
  });
}

/**
 * Settings with which Redis may lose deferred replies, as sentences that say what to set.
 *
 * @param info the answer to `INFO`
 */
export function settingProblems(info: string): string[] {
  const policy = /^maxmemory_policy:(?!noeviction)(\S+)/m.exec(info)?.[1];
  const evicts = `Redis drops keys, deferred replies included, when its memory is full (maxmemory-policy ${policy}). Set maxmemory-policy noeviction.`;
  const isVolatile = 'Redis loses its data, deferred replies included, when it restarts. Set appendonly yes.';
  return [policy ? evicts : [], /^aof_enabled:0/m.test(info) ? isVolatile : []].flat();
}
