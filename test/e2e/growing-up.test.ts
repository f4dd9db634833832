import { describe, expect, it } from 'vitest';
import { redisPrefix } from '../../src/storage/redis/client.ts';
import { utcDay } from '../../src/time/utc-day.ts';
import { startAppBot } from '../support/app-bot.ts';
import { type Backends, startBackends } from '../support/backends.ts';
import { requestedIds, showsCard } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis } from '../support/redis.ts';

const CARDS = Array.from({ length: 40 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
const IDS = CARDS.map(({ id }) => id);
const DONE = 'the files have been carried over into redis';

function lookUp({ discord }: Backends, ids: readonly string[]) {
  return Promise.all(ids.map((id) => showsCard(discord.type({ command: 'card', options: { id } }))));
}

describe.skipIf(noRealRedis('the first start with Redis'))(
  'the first start with Redis beside the files of one process',
  () => {
    it('asks for no card again, grants no new burst, and continues the counts', async () => {
      const service = { requestsPerMinute: 60, burst: 8, requestsPerDay: 1_000, cards: CARDS };
      const backends = await startBackends(service);
      const redis = await startRealRedis();
      const embedded = await startAppBot(backends.env);
      await embedded.wrote('gateway ready');
      await lookUp(backends, IDS.slice(0, 9));
      await embedded.stop();

      const bot = await startAppBot({ ...backends.env, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix });
      await Promise.all([bot.wrote('gateway ready'), bot.wrote(DONE)]);
      await lookUp(backends, IDS.slice(0, 16));
      expect(backends.cardService.counts.byStatus[429]).toBeUndefined();
      expect(requestedIds(backends).toSorted()).toEqual(IDS.slice(0, 16).toSorted());
      const counted = () => redis.command('HGET', `${redisPrefix(redis.prefix)}:ledger:${utcDay(Date.now())}`, 'all');
      await expect.poll(counted).toBe('16');
      await bot.stop();
    });
  },
);
