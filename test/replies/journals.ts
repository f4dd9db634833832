import { DatabaseSync } from 'node:sqlite';
import type { ReplyJournal } from '../../src/replies/reply-ports.ts';
import { RedisJournal } from '../../src/storage/redis/journal.ts';
import { ProcessesAlive } from '../../src/storage/redis/processes-alive.ts';
import { JOURNAL_SCHEMA, SqliteJournal, StateWrites } from '../../src/storage/sqlite/state-rows.ts';
import { logLines } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';
import { linkTo, openedLink, type RedisAddress } from '../support/redis-link.ts';

/** One run of one process. */
interface Run {
  journal: ReplyJournal;
  lines: ReturnType<typeof logLines>['lines'];
  /** Stops as a bot does. */
  end(): Promise<void>;
  /** Ends without closing its journal. */
  die(): void;
}

/** Where the journals of several runs are. */
export interface JournalPlace {
  start(): Promise<Run>;
  /** Deferred replies in the journal. */
  written(): Promise<number>;
}

export async function sqlitePlace(): Promise<JournalPlace> {
  const database = new DatabaseSync(':memory:');
  database.exec(JOURNAL_SCHEMA);
  return {
    async start() {
      const { log, lines } = logLines();
      const journal = new SqliteJournal(database, log, new StateWrites(log));
      return { journal, lines, end: async () => {}, die() {} };
    },
    written: async () => Number(database.prepare('SELECT count(*) AS written FROM deferred_replies').get()?.written),
  };
}

export async function redisPlace(): Promise<JournalPlace> {
  const redis = await startRedis();
  const { written } = await redisWatcher(redis);
  return { start: () => startRun(redis), written };
}

/** So short that tests need not wait; dead only after many beats, because the machine may be busy. */
const HEARTBEAT_TIMES = { everyMs: 100, deadAfterMs: 1_500 };

export async function startRun(redis: RedisAddress, { answerTimeoutMs = 10_000, openTimeoutMs = 10_000 } = {}) {
  const { link, log, lines } = linkTo(redis, { answerTimeoutMs });
  const processesAlive = new ProcessesAlive(link, 1, HEARTBEAT_TIMES);
  const journal = new RedisJournal(link, processesAlive, log);
  await link.opened(openTimeoutMs);
  return {
    journal,
    lines,
    link,
    processesAlive,
    async end() {
      await journal.close();
      await processesAlive.leave();
      link.close();
    },
    die: () => link.close(),
  };
}

/** Sees what is written down in Redis. */
export async function redisWatcher(redis: RedisAddress) {
  const { client } = (await openedLink(redis)).link;
  const key = `${redis.prefix}:replies`;
  return {
    client,
    key,
    written: () => client.hLen(key),
    ownerOf: async (id: string) => (await client.hGet(key, id))?.split(' ')[0],
  };
}
