import type { Logger } from '../../log.ts';
import type { Place, StateOptions } from '../state.ts';
import { RedisStore } from './cards.ts';
import { redisPrefix, settingProblems } from './client.ts';
import { RedisLink } from './link.ts';
import { RedisRows } from './rows.ts';

/** What several processes share. Opens, whatever Redis does. @throws StateUnusable */
export async function openRedis(
  { url, keyPrefix }: NonNullable<StateOptions['redis']>,
  { discord, log, events }: Pick<StateOptions, 'discord' | 'log' | 'events'>,
): Promise<Place & { link: RedisLink }> {
  const link = new RedisLink({ url, prefix: redisPrefix(keyPrefix), log, botId: discord.botId, events });
  const { refused } = link;
  const rows = new RedisRows(link);
  const cards = { store: new RedisStore(link), keyPrefix: `${keyPrefix}:cards:` };
  warnOfSettings(link, log);
  const refusal = await Promise.race([link.opened, refused]);
  if (refusal) throw refusal;
  return { rows, cards, link, refused, close: () => link.close() };
}

/** Warns once, as soon as Redis is usable. A Redis that does not report its settings causes no warning. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let isAsked = false;
  link.onHealth((health) => {
    if (isAsked || health !== 'usable') return;
    isAsked = true;
    const warn = (info: string) =>
      settingProblems(info).forEach((cure) => void log.warn({ cure }, 'redis may lose deferred replies'));
    link.read((client) => client.info().catch(() => '')).then(warn, () => {});
  });
}
