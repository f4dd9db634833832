import { DatabaseSync } from 'node:sqlite';
import type { DeletionRequests } from '../../src/privacy/member-data.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { RedisCounters } from '../../src/storage/redis/counters.ts';
import { redisDeletionRequests } from '../../src/storage/redis/forget.ts';
import { redisWatches } from '../../src/storage/redis/watches.ts';
import { LEDGER_SCHEMA, SqliteCounters } from '../../src/storage/sqlite/counters.ts';
import { DELETION_REQUESTS_SCHEMA, StateWrites, sqliteDeletionRequests } from '../../src/storage/sqlite/state-rows.ts';
import { sqliteWatches, WATCHES_SCHEMA } from '../../src/storage/sqlite/watches.ts';
import { Watches } from '../../src/watches/watches.ts';
import { logLines } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';

/** Opens what is booked on members, what they watch, and what they wished to be deleted, as two processes do, or two runs of one. */
export type OpenBooks = (service?: string) => Promise<{ ledger: Ledger; requests: DeletionRequests; watches: Watches }>;

function overOneDatabase(): OpenBooks {
  const database = new DatabaseSync(':memory:');
  database.exec(LEDGER_SCHEMA + DELETION_REQUESTS_SCHEMA + WATCHES_SCHEMA);
  const writes = new StateWrites(logLines().log);
  return async (service) => ({
    ledger: new Ledger(new SqliteCounters(database, service)),
    requests: sqliteDeletionRequests(database, writes),
    watches: new Watches(sqliteWatches(database, writes)),
  });
}

function overOneRedis(): OpenBooks {
  const redis = startRedis();
  return async (service) => {
    const { link } = await openedLink(await redis);
    return {
      ledger: new Ledger(new RedisCounters(link, service)),
      requests: redisDeletionRequests(link),
      watches: new Watches(redisWatches(link)),
    };
  };
}

/** Where they may be kept. */
export const BOOKS = [
  { over: 'SQLite', books: overOneDatabase },
  { over: 'Redis', books: overOneRedis },
];
