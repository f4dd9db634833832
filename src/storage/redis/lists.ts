import { LIST_KEPT_MS, type ListStore, MOST_LISTS, parseList } from '../../lists/kept-lists.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/** Members' pasted lists: a key for each, which ends by itself, and one with the ids of a member's, the latest first. */
export function redisLists(link: RedisLink): ListStore {
  const idsKey = (memberId: string) => `${link.prefix}:lists:${memberId}`;
  const listKey = (memberId: string, id: string) => `${idsKey(memberId)}:${id}`;
  const idsOf = (memberId: string) => link.read((client) => client.lRange(idsKey(memberId), 0, -1));

  async function add(memberId: string, id: string, text: string): Promise<unknown> {
    const ids = idsKey(memberId);
    const old = (await idsOf(memberId)).slice(MOST_LISTS - 1);
    return link.run((client) => {
      const change = client
        .multi()
        .set(listKey(memberId, id), text, { expiration: { type: 'PX', value: LIST_KEPT_MS } });
      for (const each of old) change.del(listKey(memberId, each));
      return change
        .lPush(ids, id)
        .lTrim(ids, 0, MOST_LISTS - 1)
        .pExpire(ids, LIST_KEPT_MS)
        .exec();
    });
  }

  async function existing(memberId: string): Promise<number> {
    const keys = (await idsOf(memberId)).map((id) => listKey(memberId, id));
    return keys.length === 0 ? 0 : link.read((client) => client.exists(keys));
  }

  async function forget(memberId: string): Promise<number> {
    const keys = (await idsOf(memberId)).map((id) => listKey(memberId, id));
    return link.run((client) => client.del([idsKey(memberId), ...keys]));
  }

  return {
    add: async (memberId, id, list) => (await unlessUnavailable(add(memberId, id, JSON.stringify(list)))) !== undefined,
    async replace(memberId, id, list) {
      const [key, text] = [listKey(memberId, id), JSON.stringify(list)];
      await unlessUnavailable(link.run((client) => client.set(key, text, { condition: 'XX', expiration: 'KEEPTTL' })));
    },
    async read(memberId, id) {
      const text = await unlessUnavailable(link.read((client) => client.get(listKey(memberId, id))));
      return text ? parseList(text) : undefined;
    },
    count: (memberId) => unlessUnavailable(existing(memberId)),
    forget: async (memberId) => (await unlessUnavailable(forget(memberId))) !== undefined,
  };
}
