import { CARDS_VERSION } from '../../model/card.ts';
import { StateUnusable } from '../../model/errors.ts';
import { messageOf, newClient, redisPrefix } from './connection.ts';

/** A connection may take as long as an answer, because no other is tried after it. */
const CONNECT_MS = 10_000;
/** Redis is busy with one scan of this many keys for about 1 ms. */
const KEYS_PER_SCAN = 1_000;

/** KEYS are gone where they hold the text ARGV[1], and so are rows of parts. */
const FORGET = `
  for _, key in ipairs(KEYS) do
    local rows = redis.call('TYPE', key).ok == 'hash' and redis.call('HGETALL', key) or {}
    for at = 1, #rows, 2 do
      if string.find(rows[at] .. ' ' .. rows[at + 1], ARGV[1], 1, true) then redis.call('HDEL', key, rows[at]) end
    end
    if string.find(key, ARGV[1], 1, true) then redis.call('DEL', key) end
  end
`;

/**
 * Deletes whatever below the prefix holds the id of a member or a server: rows, parts, and cards as whose id somebody
 * typed a mention; and whatever another version of the bot has written. Reads everything that the bot keeps in that
 * Redis.
 *
 * @throws StateUnusable while it cannot
 */
export async function forgetInRedis({ url, keyPrefix }: { url: string; keyPrefix: string }, id: string): Promise<void> {
  const client = newClient(url, CONNECT_MS).on('error', () => {}); // what waits for an answer is rejected with it
  const ours = [`${redisPrefix(keyPrefix)}:`, `${keyPrefix}:cards:${CARDS_VERSION}:`];
  // Another bot's prefix may begin with this one and a colon.
  const isOld = (key: string) =>
    /^:(?:cards:)?v\d+:/.test(key.slice(keyPrefix.length)) && !ours.some((start) => key.startsWith(start));
  const MATCH = `${keyPrefix.replace(/[*?[\]\\]/g, '\\$&')}:*`;
  try {
    await client.connect();
    for await (const keys of client.scanIterator({ MATCH, COUNT: KEYS_PER_SCAN })) {
      const old = keys.filter(isOld);
      if (old.length > 0) await client.del(old);
      await client.eval(FORGET, { keys, arguments: [id] });
    }
  } catch (error) {
    throw new StateUnusable(`Redis cannot be cleaned now (${messageOf(error)}). Check REDIS_URL, and run this again.`);
  } finally {
    client.destroy();
  }
}
