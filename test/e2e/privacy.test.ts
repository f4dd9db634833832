import { expect, it } from 'vitest';
import { SETTINGS_KEPT_MS } from '../../src/settings/server-settings.ts';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { settingsKey } from '../../src/storage/redis/server-settings.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';
import { startWorld } from '../support/world.ts';

it('a member sees what is kept about them, and deletes it with the button that asks once more', async () => {
  const world = await startWorld();
  await world.card('base1-4').settled();
  const shown = await world.discord.type({ command: 'privacy' }).settled();
  expect(shown).toMatchObject({ ephemeral: true, content: expect.stringContaining('So far: 1 lookup on one day.') });
  const press = ({ messageId = '' }: typeof shown, customId: string) =>
    world.discord.click({ messageId, customId }).settled();
  const question = await press(shown, 'privacy:forget');
  expect(question).toMatchObject({ ephemeral: true, content: expect.stringContaining("can't be undone") });
  const done = await press(question, 'privacy:really-forget');
  expect(done).toMatchObject({ ephemeral: true, content: expect.stringContaining("Done, that's deleted.") });
  expect(world.cardService.requests).toHaveLength(1);
});

it('what is set in a server is kept for a year after any command there', async () => {
  const redis = await startRedis();
  const world = await startWorld({ env: { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix } });
  const { link } = await openedLink(redis);
  const key = settingsKey(redisPrefix(redis.prefix), world.discord.guilds[0]?.id ?? '');
  await link.run((client) => client.multi().hSet(key, 'language', 'de').expire(key, 60).exec());
  await world.discord.type({ command: 'privacy' }).settled();
  await expect.poll(() => link.read((client) => client.pTTL(key))).toBeGreaterThan(SETTINGS_KEPT_MS / 2);
});
