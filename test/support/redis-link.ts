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
  options: Partial<Pick<RedisLinkOptions, 'answerTimeoutMs' | 'botId' | 'events'>> = PATIENT,
) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, botId: '1', ...options });
  onFinished(() => link.close());
  return { link, log, lines };
}

/** The connection that it uses now. */
export function clientIn(link: RedisLink) {
  return link.read(async (client) => client);
}

/** A link that is usable. */
export async function openedLink(redis: RedisAddress) {
  const opened = linkTo(redis);
  await opened.link.opened;
  return opened;
}
