import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { openRedisState } from '../../../src/storage/redis/state.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis } from '../../support/redis.ts';

/** After this a ping is under way: a connection sends one a second. */
const PING_UNDER_WAY_MS = 1_300;

// An error event without a listener fails a run of Vitest, and would end the process of a bot.
it.skipIf(noRealRedis('closing while Redis hangs'))(
  'closes while Redis hangs, although a ping is unanswered',
  async () => {
    const { url, prefix, pause } = await startRealRedis();
    const config = readConfig({ DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'http://127.0.0.1:1' });
    const state = await openRedisState({ ...config, redis: { url, keyPrefix: prefix }, log: logLines().log });
    pause();
    await sleep(PING_UNDER_WAY_MS);

    await expect(state.close()).resolves.toBeUndefined();
  },
);
