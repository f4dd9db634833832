import { DatabaseSync } from 'node:sqlite';
import { redisWatches } from '../../src/storage/redis/watches.ts';
import { StateWrites } from '../../src/storage/sqlite/state-rows.ts';
import { sqliteWatches, WATCHES_SCHEMA } from '../../src/storage/sqlite/watches.ts';
import type { WatchStore } from '../../src/watches/watches.ts';
import { logLines } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';

/** Where watches may be kept. */
export const WATCH_STORES: [where: string, open: () => Promise<WatchStore>][] = [
  [
    'in files',
    async () => {
      const database = new DatabaseSync(':memory:');
      database.exec(WATCHES_SCHEMA);
      return sqliteWatches(database, new StateWrites(logLines().log));
    },
  ],
  ['in Redis', async () => redisWatches((await openedLink(await startRedis())).link)],
];
