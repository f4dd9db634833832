import { isUntold, parseWatch, WATCH_KEPT_MS, type Watch } from '../../watches/watch.ts';
import type { ChangedWatch, WatchStore } from '../../watches/watches.ts';
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
/** Another process changes the same watch only when it gets a price of the same card, or tells of it. */
const MOST_TRIES = 5;

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
  const { memberId, cardId } = watch;
  return {
    [key]: JSON.stringify(watch),
    [`${key}:untold`]: isUntold(watch) ? memberId : '',
    [`${key}:member:${memberId}`]: memberId,
    [`${key}:card:${cardId}`]: memberId,
  };
}

/** Members' watches, of all processes. */
export function redisWatches(link: RedisLink): WatchStore {
  const key = watchesKey(link.prefix);

  async function changed(id: string, change: Parameters<WatchStore['change']>[1]): Promise<ChangedWatch | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const stored = await link.run((client) => client.hGet(key, id));
      const before = parseWatch(stored);
      const after = change(before);
      const known = after ?? before;
      if (!known || after === before) return { before, after };
      const fields = watchFields(link.prefix, known);
      const texts = Object.values(fields).map((text) => (after ? text : ''));
      const args = [id, stored ?? '', String(WATCH_KEPT_MS), ...texts];
      const keys = Object.keys(fields);
      if ((await link.run((client) => client.eval(REPLACE, { keys, arguments: args }))) === 1) return { before, after };
    }
    return undefined;
  }

  return {
    async find(of) {
      const texts = link.read(async (client) => {
        if (!of) return client.hVals(key);
        const index = of === 'untold' ? of : Object.entries(of).flat().join(':');
        const ids = await client.hKeys(`${key}:${index}`);
        return ids.length === 0 ? [] : client.hmGet(key, ids);
      });
      return (await unlessUnavailable(texts))?.flatMap((text) => parseWatch(text) ?? []);
    },
    change: (id, change) => unlessUnavailable(changed(id, change)),
  };
}
