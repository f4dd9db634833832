import { expect, it } from 'vitest';
import { SETTINGS_KEPT_MS } from '../../src/settings/server-settings.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { settingsKey } from '../../src/storage/redis/server-settings.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';
import { startWorld } from '../support/world.ts';

it('what is set in a server is kept for a year after any command there', async () => {
  const redis = await startRedis();
  const world = await startWorld({ env: { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix } });
  const { link } = await openedLink(redis);
  const key = settingsKey(redisPrefix(redis.prefix), world.discord.guilds[0]?.id ?? '');
  await link.run((client) => client.multi().hSet(key, 'language', 'de').expire(key, 60).exec());
  await world.discord.type({ command: 'privacy' }).settled();
  await expect.poll(() => link.read((client) => client.pTTL(key))).toBeGreaterThan(SETTINGS_KEPT_MS / 2);
});
