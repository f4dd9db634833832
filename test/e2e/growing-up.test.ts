import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { utcDay } from '../../src/time/utc-day.ts';
import { startAppBot } from '../support/app-bot.ts';
import { type Backends, startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { requestedIds, showsCard } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis } from '../support/redis.ts';
import { startSlowRelay } from '../support/slow-relay.ts';

const CARDS = Array.from({ length: 40 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
const IDS = CARDS.map(({ id }) => id);
const TEST = { timeout: 120_000 };
const DONE = 'the files have been carried over into redis';
const PATIENCE = { timeout: 60_000, interval: 20 };

function lookUp({ discord }: Backends, ids: readonly string[]) {
  return Promise.all(ids.map((id) => showsCard(discord.type({ command: 'card', options: { id } }))));
}

/** Gives the files as many more cards, as if they had been looked up, by as many members. */
function addCards(dataDir: string, count: number): void {
  const numbers = `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const card = `SELECT replace(key, 'card-0', 'more-' || n), value, expires_at FROM cards, numbers WHERE key LIKE '%:card-0'`;
  const booking = `SELECT '${utcDay(Date.now())}', 'guild', 'member' || n, 1, 0, 0 FROM numbers`;
  inDatabase(dataDir, 'cards.sqlite', `INSERT INTO cards ${numbers} ${card}`);
  inDatabase(dataDir, 'state.sqlite', `INSERT INTO bookings ${numbers} ${booking}`);
}

function inDatabase(dataDir: string, file: string, statement: string): void {
  const database = new DatabaseSync(join(dataDir, file));
  database.exec(statement);
  database.close();
}

describe.skipIf(noRealRedis('the first start with Redis'))(
  'the first start with Redis beside the files of one process',
  TEST,
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
      await lookUp(backends, IDS.slice(0, 20));
      expect(backends.cardService.counts.byStatus[429]).toBeUndefined();
      expect(requestedIds(backends).toSorted()).toEqual(IDS.slice(0, 20).toSorted());
      const counted = () => redis.command('HGET', `${redis.prefix}:v2:ledger:${utcDay(Date.now())}`, 'all');
      await expect.poll(counted, PATIENCE).toBe('20');
      await bot.stop();
    });

    it('continues at the next start when it was killed', async () => {
      const service = { requestsPerMinute: 1_200, burst: 50, requestsPerDay: 10_000, cards: CARDS };
      const backends = await startBackends(service);
      const redis = await startRealRedis();
      const relay = await startSlowRelay(redis.url, { delayMs: 30 });
      const embedded = await startAppBot(backends.env);
      await embedded.wrote('gateway ready');
      await lookUp(backends, IDS.slice(0, 1));
      await embedded.stop();
      addCards(backends.env.DATA_DIR, 3_000);

      const env = { ...backends.env, REDIS_KEY_PREFIX: redis.prefix };
      const killed = startBotProcess({ ...env, REDIS_URL: relay.url });
      const cards = () => redis.command('KEYS', `${redis.prefix}:cards:*`);
      await expect.poll(cards, PATIENCE).not.toHaveLength(0);
      killed.child.kill('SIGKILL');
      await killed.ended;
      expect(await redis.command('HGET', `${redis.prefix}:v2:carried-over`, 'done')).toBe('no');

      const bot = await startAppBot({ ...env, REDIS_URL: redis.url });
      await bot.wrote(DONE);
      expect(await redis.command('HGET', `${redis.prefix}:v2:ledger:${utcDay(Date.now())}`, 'all')).toBe('3001');
      expect(await redis.command('ZCARD', `${redis.prefix}:v2:ledger:${utcDay(Date.now())}:guild`)).toBe(3_000);
      expect(await cards()).toHaveLength(3_001);
      await bot.stop();
    });
  },
);
