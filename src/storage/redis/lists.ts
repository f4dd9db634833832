import { LIST_KEPT_MS, type ListStore, MOST_LISTS, parseList } from '../../lists/kept-lists.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/**
 * KEYS: the ids of a member's lists, the latest first. ARGV: an id, the list, how long it is kept, and how many a member may
 * have. In one step, because of two at once each would leave a list behind that nobody finds.
 */
const ADD = `
  local ids = KEYS[1]
  redis.call('LREM', ids, 0, ARGV[1])
  redis.call('LPUSH', ids, ARGV[1])
  redis.call('SET', ids .. ':' .. ARGV[1], ARGV[2], 'PX', ARGV[3])
  for _, id in ipairs(redis.call('LRANGE', ids, ARGV[4], -1)) do redis.call('DEL', ids .. ':' .. id) end
  redis.call('LTRIM', ids, 0, ARGV[4] - 1)
  return redis.call('PEXPIRE', ids, ARGV[3])
`;
/** KEYS: the ids of a member's lists. */
const FORGET = `
  for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do redis.call('DEL', KEYS[1] .. ':' .. id) end
  return redis.call('DEL', KEYS[1])
`;

/** Members' pasted lists: a key for each, which ends by itself, and one with the ids of a member's, the latest first. */
export function redisLists(link: RedisLink): ListStore {
  const idsKey = (memberId: string) => `${link.prefix}:lists:${memberId}`;
  const listKey = (memberId: string, id: string) => `${idsKey(memberId)}:${id}`;
  const evaluated = (script: string, memberId: string, ...args: string[]) =>
    link.run((client) => client.eval(script, { keys: [idsKey(memberId)], arguments: args }));

  async function existing(memberId: string): Promise<number> {
    const ids = await link.read((client) => client.lRange(idsKey(memberId), 0, -1));
    const keys = ids.map((id) => listKey(memberId, id));
    return keys.length === 0 ? 0 : link.read((client) => client.exists(keys));
  }

  return {
    async add(memberId, id, list) {
      const args = [id, JSON.stringify(list), String(LIST_KEPT_MS), String(MOST_LISTS)];
      return (await unlessUnavailable(evaluated(ADD, memberId, ...args))) !== undefined;
    },
    async replace(memberId, id, list) {
      const [key, text] = [listKey(memberId, id), JSON.stringify(list)];
      await unlessUnavailable(link.run((client) => client.set(key, text, { condition: 'XX', expiration: 'KEEPTTL' })));
    },
    async read(memberId, id) {
      const text = await unlessUnavailable(link.read((client) => client.get(listKey(memberId, id))));
      return text ? parseList(text) : undefined;
    },
    count: (memberId) => unlessUnavailable(existing(memberId)),
    forget: async (memberId) => (await unlessUnavailable(evaluated(FORGET, memberId))) !== undefined,
  };
}
