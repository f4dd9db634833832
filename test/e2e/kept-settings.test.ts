import { expect, it } from 'vitest';
import { SETTINGS_KEPT_MS } from '../../src/settings/server-settings.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { redisSettings, settingsKey } from '../../src/storage/redis/server-settings.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';
import { startWorld } from '../support/world.ts';

it('what is set in a server is kept for a year after any command there', async () => {
  const redis = await startRedis();
  const world = await startWorld({ env: { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix } });
  const prefix = redisPrefix(redis.prefix);
  const { link } = await openedLink({ ...redis, prefix });
  const guildId = world.discord.guilds[0]?.id ?? '';
  await redisSettings(link).write(guildId, 'language', 'de');
  await world.restartBot(); // knows at once in which servers anything is set
  const key = settingsKey(prefix, guildId);
  await link.run((client) => client.expire(key, 60));
  await world.discord.type({ command: 'privacy' }).settled();
  await expect.poll(() => link.read((client) => client.pTTL(key))).toBeGreaterThan(SETTINGS_KEPT_MS / 2);
});
