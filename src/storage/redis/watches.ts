import { isUntold, parseWatch, WATCH_KEPT_MS, type Watch } from '../../watches/watch.ts';
import { type ChangedWatch, MOST_WATCHES, type WatchStore, type WatchSummary } from '../../watches/watches.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

/**
 * KEYS: the number of changes, a member's watches, all, others, and the order of changes. ARGV: a field, the text that it has
 * in KEYS[3], how long keys are kept, how many a member may have, the new text for each key but the first and the last; an
 * empty one is none; and what stands in the order, before and after. Changes all of them, if that text is there.
 */
const REPLACE = `
  local text = redis.call('HGET', KEYS[3], ARGV[1]) or ''
  if text ~= ARGV[2] then return 'changed' end
  if text == '' and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then return 'full' end
  local change = redis.pcall('INCR', KEYS[1])
  if type(change) ~= 'number' then -- no number: one that is above all before it
    change = redis.call('TIME')[1]
    redis.call('SET', KEYS[1], change)
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  local order = KEYS[#KEYS]
  redis.call('ZREM', order, ARGV[#ARGV - 1])
  if ARGV[#ARGV] ~= '' then redis.call('ZADD', order, change, ARGV[#ARGV]) end
  redis.call('PEXPIRE', order, ARGV[3])
  for i = 2, #KEYS - 1 do
    local text = ARGV[3 + i]
    if text == '' then
      redis.call('HDEL', KEYS[i], ARGV[1])
    else
      redis.call('HSET', KEYS[i], ARGV[1], i == 2 and change .. text or text)
      redis.call('PEXPIRE', KEYS[i], ARGV[3])
    end
  end
  return 'done'
`;
/**
 * KEYS: the number of changes, the order of changes, a member's watches, all, and those to be told by message. ARGV: the last
 * change that counts, or nothing, how the keys of cards begin, and the member. Returns the number of changes.
 */
const FORGET = `
  local own = redis.call('HGETALL', KEYS[3])
  for i = 1, #own, 2 do
    local change, card = string.match(own[i + 1], '^(%d+) (.*)$')
    if ARGV[1] == '' or tonumber(change or 0) <= tonumber(ARGV[1]) then
      for key = 3, #KEYS do redis.call('HDEL', KEYS[key], own[i]) end
      for told = 0, 1 do redis.call('ZREM', KEYS[2], table.concat({ told, ARGV[3], own[i], card }, ' ')) end
      redis.call('HDEL', ARGV[2] .. (card or ''), own[i])
    end
  end
  return tonumber(redis.call('GET', KEYS[1]) or 0) or 0
`;
/** Another process changes the same watch only when it gets a price of the same card, or tells of it. */
const MOST_TRIES = 5;

/**
 * The hashes that have a watch, with its text in each: the ids of a member's (to come after its last change, the card), the
 * watches themselves, and the ids of those with a crossing to be told by message, and of a card. Each name or text has the
 * member's id, by which it is found to be forgotten.
 */
function watchFields(key: string, watch: Watch): Record<string, string> {
  const { memberId, cardId } = watch;
  return {
    [`${key}:member:${memberId}`]: ` ${cardId}`,
    [key]: JSON.stringify(watch),
    [`${key}:untold`]: isUntold(watch) ? memberId : '',
    [`${key}:card:${cardId}`]: memberId,
  };
}

function inChangeOrder({ id, memberId, cardId, untold }: Watch): string {
  return `${untold.length > 0 ? 1 : 0} ${memberId} ${id} ${cardId}`;
}

function summaryOf(text: string): WatchSummary {
  const [untold, memberId = '', , ...cardId] = text.split(' ');
  return { memberId, cardId: cardId.join(' '), untold: Number(untold) };
}

/** Members' watches, of all processes. */
export function redisWatches(link: RedisLink): WatchStore {
  /** The hash of all watches, as JSON by id. */
  const key = `${link.prefix}:watches`;
  const changes = `${key}:changes`;
  /** The changed watches in their order. Each has the member's id, too. */
  const order = `${key}:changed`;

  async function changed(id: string, change: Parameters<WatchStore['change']>[1]): Promise<ChangedWatch | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const stored = await link.run((client) => client.hGet(key, id));
      const before = parseWatch(stored);
      const after = change(before);
      const known = after ?? before;
      if (!known || after === before) return { before, after };
      const fields = watchFields(key, known);
      const texts = Object.values(fields).map((text) => (after ? text : ''));
      const inOrder = [before, after].map((each) => (each ? inChangeOrder(each) : ''));
      const args = [id, stored ?? '', String(WATCH_KEPT_MS), String(MOST_WATCHES), ...texts, ...inOrder];
      const keys = [changes, ...Object.keys(fields), order];
      const result = await link.run((client) => client.eval(REPLACE, { keys, arguments: args }));
      if (result !== 'changed') return { before, after: result === 'full' ? undefined : after };
    }
    return undefined;
  }

  /** A Redis that was away may have lost changes, and give their numbers to others. */
  let isFollowed = false;
  link.onHealth(() => {
    isFollowed = false;
  });

  return {
    async find(of) {
      const texts = link.read(async (client) => {
        if (!of) return client.hVals(key);
        const index = of === 'untold' ? of : Object.entries(of).flat().join(':');
        const ids = await client.hKeys(`${key}:${index}`);
        return ids.length === 0 ? [] : client.hmGet(key, ids);
      });
      return (await unlessUnavailable(texts))?.flatMap((text) => {
        const watch = parseWatch(text);
        if (text !== null && !watch) link.unreadable(key);
        return watch ?? [];
      });
    },
    async changedAfter(change) {
      if (change === undefined || !isFollowed) {
        isFollowed = true;
        const last = await unlessUnavailable(link.read((client) => client.get(changes)));
        const all = last === undefined ? undefined : await this.find();
        isFollowed &&= all !== undefined;
        const watches = all?.map(({ untold, ...watch }) => ({ ...watch, untold: untold.length }));
        return watches && { watches, lastChange: Number(last) || 0 };
      }
      const found = link.read((client) => client.zRangeByScoreWithScores(order, `(${change}`, '+inf'));
      const changed = await unlessUnavailable(found);
      const watches = changed?.map(({ value }) => summaryOf(value));
      return watches && { watches, lastChange: changed?.at(-1)?.score ?? change };
    },
    change: (id, change) => unlessUnavailable(changed(id, change)),
    async forget(memberId, lastChange) {
      const keys = [changes, order, `${key}:member:${memberId}`, key, `${key}:untold`];
      const args = [String(lastChange ?? ''), `${key}:card:`, memberId];
      const last = await unlessUnavailable(link.run((client) => client.eval(FORGET, { keys, arguments: args })));
      return last === undefined ? undefined : Number(last);
    },
  };
}
