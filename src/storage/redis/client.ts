import { createClient, ErrorReply } from '@redis/client';

export type RedisClient = ReturnType<typeof newClient>;

/** Raised by each change of a key or of the form of what is in one; processes of different versions share nothing. */
const VERSION = 'v11';

/** How all keys begin but those of cards, which know their own version. */
export function redisPrefix(keyPrefix: string): string {
  return `${keyPrefix}:${VERSION}`;
}

/**
 * `createClient` builds a class of hundreds of commands for each address, in 30 ms; all duplicates of a client share
 * it.
 */
const unconnected = createClient();

/**
 * For one connection: when that ends, by a server that is silent for long, too, `error` says why, and what is not
 * answered by then is rejected. While it is connecting, for a second at most, it cannot be destroyed (@redis/client
 * 6.3).
 */
export function newClient(url: string) {
  const socket = { connectTimeout: 1_000, socketTimeout: 10_000, reconnectStrategy: false } as const;
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
export function meaningOf(error: unknown): (typeof MEANINGS)[number][0] | 'failed' {
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
