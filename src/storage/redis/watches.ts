import { isSame, parseWatch, WATCH_KEPT_MS, type Watch, type WatchStore, watchText } from '../../watches/watch.ts';
import type { RedisClient } from './client.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/**
 * ARGV: a field, the text that it has in KEYS[1], how long keys are kept, and the new text for each key; an empty one is
 * none. Changes all of them, and returns 1, if that text is there.
 */
const REPLACE = `
  if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
  for i, key in ipairs(KEYS) do
    local text = ARGV[3 + i]
    if text == '' then
      redis.call('HDEL', key, ARGV[1])
    else
      redis.call('HSET', key, ARGV[1], text)
      redis.call('PEXPIRE', key, ARGV[3])
    end
  end
  return 1
`;

/** The hash of all watches, as JSON by id. */
function watchesKey(prefix: string): string {
  return `${prefix}:watches`;
}

/**
 * The hashes that have a watch, with its text in each: the watches themselves, and the ids of those with a crossing to be
 * told by message, of a member, and of a card. Each text has the member's id, by which it is found to be forgotten.
 */
export function watchFields(prefix: string, watch: Watch): Record<string, string> {
  const key = watchesKey(prefix);
  const { memberId, cardId, untold } = watch;
  return {
    [key]: watchText(watch),
    [`${key}:untold`]: untold.some(({ tellBy }) => tellBy === 'message') ? memberId : '',
    [`${key}:member:${memberId}`]: memberId,
    [`${key}:card:${cardId}`]: memberId,
  };
}

/** Members' watches, of all processes. */
export function redisWatches(link: RedisLink): WatchStore {
  const key = watchesKey(link.prefix);
  const read = async (texts: (client: RedisClient) => Promise<(string | null)[]>) =>
    (await unlessUnavailable(link.read(texts)))?.flatMap((text) => parseWatch(text) ?? []);
  const listedIn = (index: string) =>
    read(async (client) => {
      const ids = await client.hKeys(index);
      return ids.length === 0 ? [] : client.hmGet(key, ids);
    });
  return {
    ofMember: async (memberId) => (await listedIn(`${key}:member:${memberId}`))?.sort((a, b) => a.setAtMs - b.setAtMs),
    ofCard: async (cardId) => (await listedIn(`${key}:card:${cardId}`)) ?? [],
    untold: async () => (await listedIn(`${key}:untold`)) ?? [],
    all: async () => (await read((client) => client.hVals(key))) ?? [],
    async replace(before, after) {
      const watch = after ?? before;
      if (!watch) return true;
      const { id } = watch;
      const replaced = unlessUnavailable(
        link.run(async (client) => {
          const stored = await client.hGet(key, id);
          if (!isSame(parseWatch(stored), before)) return 0;
          const fields = watchFields(link.prefix, watch);
          const texts = Object.values(fields).map((text) => (after ? text : ''));
          const args = [id, stored ?? '', String(WATCH_KEPT_MS), ...texts];
          return client.eval(REPLACE, { keys: Object.keys(fields), arguments: args });
        }),
      );
      return (await replaced) === 1;
    },
  };
}
