import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { openRedisState } from '../../../src/storage/redis/redis-state.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis } from '../../support/redis.ts';

/** A connection pings once a second. */
const PING_UNDER_WAY_MS = 1_300;

// Vitest fails a run in which there is an error that nobody hears, and so would the process of a bot.
it.skipIf(noRealRedis('closing while Redis hangs'))('closes while Redis hangs, with an end for its ping', async () => {
  const { url, prefix, pause } = await startRealRedis();
  const config = readConfig({ DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'http://127.0.0.1:1' });
  const state = await openRedisState(config, { url, keyPrefix: prefix }, logLines().log);
  pause();
  await sleep(PING_UNDER_WAY_MS);

  await expect(state.close()).resolves.toBeUndefined();
});
