import type { Logger } from '../../log.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';
import { deletionRequestsKey } from './redis-deletion-requests.ts';
import { RedisLink } from './redis-link.ts';
import { deleteMember } from './redis-member-counts.ts';
import { redisPrefix } from './redis-prefix.ts';
import { messageOf } from './redis-unavailable.ts';

const OPEN_TIMEOUT_MS = 5_000;
/** A scan of a large Redis across a network. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Deletes everything that is kept about a member, today's counts and replies that wait included.
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
    const replies = `${prefix}:replies`;
    const waiting = await link.read((client) => client.hGetAll(replies));
    const own = Object.entries(waiting).flatMap(([id, reply]) => (String(reply).includes(memberId) ? id : []));
    await link.run((client) =>
      Promise.all([
        client.hDel(deletionRequestsKey(prefix), memberId),
        ...(own.length > 0 ? [client.hDel(replies, own)] : []),
      ]),
    );
    const isDeleted = await deleteMember(link, prefix, memberId, utcDay(Date.now() + DAY_MS));
    return isDeleted ? undefined : 'not all counts could be deleted';
  } catch (error) {
    return messageOf(error);
  } finally {
    link.close();
  }
}
