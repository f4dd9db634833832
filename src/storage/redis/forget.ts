import { CARDS_VERSION } from '../../cache/card-store.ts';
import type { Logger } from '../../log.ts';
import type { DeletionRequest, DeletionRequests } from '../../privacy/member-data.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import { keysBelow } from './cards.ts';
import { redisPrefix } from './client.ts';
import { RedisLink } from './link.ts';
import { messageOf, unlessUnavailable } from './unavailable.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** Allows for a scan of a large Redis across a network. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Deletes whatever below the prefix holds the id of a member or a server: counts, settings, replies that wait, and cards as
 * whose id somebody typed a mention; and whatever another version of the bot has written. Reads everything that the bot
 * keeps in that Redis.
 *
 * @returns why it could not; `undefined` when it could
 */
export async function forgetInRedis(
  redis: { url: string; keyPrefix: string },
  id: string,
  log: Logger,
): Promise<string | undefined> {
  const prefix = redisPrefix(redis.keyPrefix);
  const link = new RedisLink({ url: redis.url, prefix, log, answerTimeoutMs: ANSWER_TIMEOUT_MS });
  try {
    await link.opened(OPEN_TIMEOUT_MS);
    const below = `${redis.keyPrefix}:`;
    const read = [`${prefix}:`, `${below}cards:${CARDS_VERSION}:`];
    // Another bot's prefix may begin with this one and a colon.
    const isVersioned = (key: string) => /^(?:cards:)?v\d+:/.test(key.slice(below.length));
    for await (const keys of keysBelow(link, below)) {
      const old = keys.filter((key) => isVersioned(key) && !read.some((each) => key.startsWith(each)));
      if (old.length > 0) await link.run((client) => client.del(old));
      await Promise.all(keys.map((key) => forgetInKey(link, key, id)));
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    link.close();
  }
}

async function forgetInKey(link: RedisLink, key: string, id: string): Promise<void> {
  const holds = (text: string | null) => text?.includes(id);
  const type = await link.read((client) => client.type(key));
  if (holds(key) || (type === 'string' && holds(await link.read((client) => client.get(key))))) {
    await link.run((client) => client.del(key));
  } else if (type === 'hash') {
    const entries = Object.entries(await link.read((client) => client.hGetAll(key)));
    const fields = entries.filter((entry) => entry.some(holds)).map(([field]) => field);
    if (fields.length > 0) await link.run((client) => client.hDel(key, fields));
  } else if (type === 'set') {
    const held = (await link.read((client) => client.sMembers(key))).filter(holds);
    if (held.length > 0) await link.run((client) => client.sRem(key, held));
  } else if (type === 'zset') {
    const held = (await link.read((client) => client.zRange(key, 0, -1))).filter(holds);
    if (held.length > 0) await link.run((client) => client.zRem(key, held));
  }
}

/** Redis drops them after this time if no process runs that does. */
const REQUESTS_KEPT_MS = 40 * DAY_MS;

/** The requests to all processes, in one hash: member to time and last change of a watch. */
export function redisDeletionRequests(link: RedisLink): DeletionRequests {
  const key = `${link.prefix}:deletion-requests`;

  async function all(): Promise<DeletionRequest[]> {
    const found = await link.read((client) => client.hGetAll(key)).catch(() => ({}));
    return Object.entries(found).map(([memberId, text]) => {
      const [at = '', lastChange] = String(text).split(' ');
      const isTime = !Number.isNaN(Date.parse(at));
      if (!isTime) link.unreadable(key);
      return { memberId, at: isTime ? at : '', lastChange: Number(lastChange) || 0 }; // without a time it is dropped as old
    });
  }

  return {
    all,
    async add({ memberId, at, lastChange }) {
      const text = `${at} ${lastChange}`;
      const kept = link.run((client) => client.multi().hSet(key, memberId, text).pExpire(key, REQUESTS_KEPT_MS).exec());
      return (await unlessUnavailable(kept)) !== undefined;
    },
    async drop(beforeDay) {
      const old = (await all()).flatMap(({ memberId, at }) => (at < beforeDay ? memberId : []));
      if (old.length > 0) await link.run((client) => client.hDel(key, old)).catch(() => {}); // tried again in a minute
    },
  };
}
