import { createClient } from '@redis/client';
import { backOffMs } from '../../time/back-off.ts';
import { withTimeout } from '../../time/timers.ts';
import { says } from './unavailable.ts';

export type RedisClient = ReturnType<typeof newClient>;

/** Raised by each change of a key or of the form of what is in one; processes of different versions share nothing. */
const VERSION = 'v7';

/** How all keys begin but those of cards, which know their own version. */
export function redisPrefix(keyPrefix: string): string {
  return `${keyPrefix}:${VERSION}`;
}

const ANSWER_TIMEOUT_MS = 2_000;
const RECONNECT = { firstMs: 50, longestMs: 500 };

/** `createClient` builds a class of hundreds of commands for each address, in 30 ms; all duplicates of a client share it. */
const unconnected = createClient();

/** Never queues a command while it is not connected. */
export function newClient(url: string, { reconnects }: { reconnects: boolean }) {
  return unconnected.duplicate({
    url,
    // What cannot be sent now is answered for at once.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      // An idle timer; while Redis answers, the pings keep it from firing.
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => reconnects && backOffMs(retries + 1, RECONNECT) + Math.random() * 50,
    },
  });
}

/** Messages of the client about a server that does not answer like Redis. */
export const UNLIKE_REDIS = /^(Socket closed|Connection timeout)/;

/** What is usually wrong then. */
export function tlsCure(url: string): string {
  return url.startsWith('rediss:')
    ? 'if it has no TLS, REDIS_URL begins with redis://'
    : 'if it has TLS, REDIS_URL begins with rediss://';
}

/** Also one that is connecting: `destroy()` alone does not keep @redis/client 6.3 from being connected a moment later. */
export function destroyClient(client: RedisClient): void {
  client.once('ready', () => client.destroy());
  client.destroy();
}

/** Whether a new connection takes a write: after a failover the address may lead to another server than it did. */
export async function takesWrite(url: string, write: (client: RedisClient) => Promise<unknown>): Promise<boolean> {
  const client = newClient(url, { reconnects: false }).on('error', () => {});
  const written = client.connect().then(() => write(client));
  const answer = await withTimeout(ANSWER_TIMEOUT_MS, written).catch(() => undefined);
  destroyClient(client);
  return answer === 'OK';
}

/** Why a server can never be used, as a sentence; `undefined` when it can. No ACL refuses a HELLO. */
export async function whyUnusable(client: Pick<RedisClient, 'sendCommand'>): Promise<string | undefined> {
  const hello: unknown = await client.sendCommand(['HELLO']).catch(() => undefined);
  const mode = typeof hello === 'object' && hello && 'mode' in hello && hello.mode;
  if (mode === 'cluster') return 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.';
  if (mode === 'sentinel') return 'REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.';
  return undefined;
}

/**
 * Keeps for good whose data is below a prefix.
 *
 * @returns why this bot may not use it, as a sentence, when it belongs to another
 * @throws what the server answers while it cannot say
 */
export async function whyNotOwner(client: RedisClient, prefix: string, botId: string): Promise<string | undefined> {
  const key = `${prefix}:application`;
  const [, read] = await Promise.allSettled([client.set(key, botId, { condition: 'NX' }), client.get(key)]);
  if (read.status === 'rejected' && !says('forbids', read.reason)) throw read.reason;
  const owner = read.status === 'fulfilled' ? read.value : undefined;
  if (owner == null || owner === botId) return undefined;
  return `REDIS_KEY_PREFIX is that of another application (${owner}; this is ${botId}): set another one, or delete the key ${key} if that application will not be used again.`;
}

/** Settings with which Redis may lose deferred replies, as sentences that say what to set. @param info the answer to `INFO` */
export function settingProblems(info: string): string[] {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = field('maxmemory_policy') ?? 'noeviction';
  const evicts = `Redis drops keys, deferred replies included, when its memory is full (maxmemory-policy ${policy}). Set maxmemory-policy noeviction.`;
  const isVolatile = 'Redis loses its data, deferred replies included, when it restarts. Set appendonly yes.';
  return [policy === 'noeviction' ? [] : evicts, field('aof_enabled') === '0' ? isVolatile : []].flat();
}
