import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/log.ts';
import { openRedisState } from '../../../src/storage/redis/state.ts';
import { sampleCard, storedCardId } from '../stored-cards.ts';

const AT_ONCE = 100;

/** Cards 0 to `count` − 1 in Redis, as the bot with these variables would have written them just now. */
export async function putCards(variables: Record<string, string>, count: number): Promise<void> {
  const { redis, ...config } = readConfig({ DISCORD_TOKEN: 'none', ...variables });
  if (redis === undefined) throw new Error('no REDIS_URL');
  const log = createLog({ level: 'warn', secrets: [] });
  const { cardStore: cards, close } = await openRedisState({ ...config, redis, log });
  for (let from = 0; from < count; from += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => storedCardId(from + index));
    await Promise.all(ids.map((id) => cards.set(id, { card: sampleCard(id), fetchedAtMs: Date.now() })));
  }
  await close();
}
