import { RedisLink, type RedisLinkOptions } from '../../src/storage/redis/link.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import type { TestRedis } from './redis.ts';

/** A machine that is busy with tests answers within it. */
const PATIENT = { answerTimeoutMs: 10_000 };

export type RedisAddress = Pick<TestRedis, 'url' | 'prefix'>;

/** A link to a Redis, which closes when the test ends, and what it logs. `options`: `{}` for the bot's own patience. */
export function linkTo(
  { url, prefix }: RedisAddress,
  options: Pick<RedisLinkOptions, 'answerTimeoutMs' | 'botId' | 'events'> = PATIENT,
) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, ...options });
  onFinished(() => link.close());
  return { link, log, lines };
}

/** A link that is usable. */
export async function openedLink(redis: RedisAddress, patience?: { answerTimeoutMs?: number }) {
  const opened = linkTo(redis, patience);
  await opened.link.opened(10_000);
  return opened;
}
