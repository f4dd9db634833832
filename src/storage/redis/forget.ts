import type { Logger } from '../../log.ts';
import { RedisStore } from './cards.ts';
import { RedisLink } from './link.ts';
import { redisPrefix } from './prefix.ts';
import { messageOf } from './unavailable.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** Allows for a scan of a large Redis across a network. */
const ANSWER_TIMEOUT_MS = 10_000;
/** A key has at most some 1 kB. */
const KEYS_AT_ONCE = 1_000;
/** An entry has at most some 10 kB. */
const ENTRIES_AT_ONCE = 100;

/**
 * Deletes whatever below the prefix holds a member's id: today's counts, replies that wait, and cards as whose id somebody
 * typed a mention. Reads everything that the bot keeps in that Redis.
 *
 * @returns why it could not; `undefined` when it could
 */
export async function forgetInRedis(
  redis: { url: string; keyPrefix: string },
  memberId: string,
  log: Logger,
): Promise<string | undefined> {
  const prefix = redisPrefix(redis.keyPrefix);
  const link = new RedisLink({ url: redis.url, prefix, log, answerTimeoutMs: ANSWER_TIMEOUT_MS });
  try {
    await link.opened(OPEN_TIMEOUT_MS);
    const batch: string[] = [];
    const clean = () => Promise.all(batch.splice(0).map((key) => forgetInKey(link, key, memberId)));
    for await (const key of new RedisStore(link).keys(`${redis.keyPrefix}:`)) {
      if (batch.push(key) === KEYS_AT_ONCE) await clean();
    }
    await clean();
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    link.close();
  }
}

async function forgetInKey(link: RedisLink, key: string, memberId: string): Promise<void> {
  const holds = (text: string | null | undefined) => text?.includes(memberId);
  const remove = () => link.run((client) => client.del(key));
  if (holds(key)) return void (await remove());
  switch (await link.read((client) => client.type(key))) {
    case 'string':
      if (holds(await link.read((client) => client.get(key)))) await remove();
      return;
    case 'hash': {
      const entries = Object.entries(await link.read((client) => client.hGetAll(key)));
      const fields = entries.flatMap(([field, value]) => (holds(field) || holds(value) ? field : []));
      if (fields.length > 0) await link.run((client) => client.hDel(key, fields));
      return;
    }
    case 'zset':
      await link.run((client) => client.zRem(key, memberId));
      return;
    case 'stream':
      return forgetInStream(link, key, (message) => Object.values(message).some(holds));
  }
}

async function forgetInStream(
  link: RedisLink,
  key: string,
  holds: (message: Record<string, string>) => boolean,
): Promise<void> {
  for (let after: string | undefined = '0-0'; after !== undefined; ) {
    const start: string = `(${after}`;
    const entries = (await link.read((client) => client.xRange(key, start, '+', { COUNT: ENTRIES_AT_ONCE }))) ?? [];
    const ids = entries.flatMap(({ id, message }) => (holds(message) ? id : []));
    if (ids.length > 0) await link.run((client) => client.xDel(key, ids));
    after = entries.at(-1)?.id;
  }
}
