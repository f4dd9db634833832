import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { ReplyJournal } from '../../src/replies/deferred-reply.ts';
import { RedisJournal } from '../../src/storage/redis/journal.ts';
import { RedisLink } from '../../src/storage/redis/link.ts';
import { ProcessesAlive } from '../../src/storage/redis/processes-alive.ts';
import { JOURNAL_SCHEMA, SqliteJournal } from '../../src/storage/sqlite/journal.ts';
import { StateWrites } from '../../src/storage/sqlite/state-rows.ts';
import { logLines } from '../support/log-lines.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

/** One run of one process. */
export interface Run {
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
      return { journal, lines, end: () => journal.close(), die() {} };
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

export async function startRun(
  { url, prefix }: Pick<TestRedis, 'url' | 'prefix'>,
  { answerTimeoutMs = 10_000, openTimeoutMs = 10_000 } = {},
) {
  const { log, lines } = logLines();
  const link = new RedisLink({ url, prefix, log, answerTimeoutMs });
  const processesAlive = new ProcessesAlive(link, prefix, 1, HEARTBEAT_TIMES);
  const journal = new RedisJournal(link, processesAlive, prefix, log);
  onTestFinished(() => link.close());
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
export async function redisWatcher({ url, prefix }: TestRedis) {
  const link = new RedisLink({ url, prefix, log: logLines().log, answerTimeoutMs: 10_000 });
  onTestFinished(() => link.close());
  await link.opened(10_000);
  const { client } = link;
  const key = `${prefix}:replies`;
  return {
    client,
    key,
    written: () => client.hLen(key),
    ownerOf: async (id: string) => (await client.hGet(key, id))?.split(' ')[0],
  };
}
