import { DatabaseSync } from 'node:sqlite';
import type { ListStore } from '../../src/lists/kept-lists.ts';
import type { DeletionRequests } from '../../src/privacy/member-data.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { SettingsOfServers, type SettingsStore } from '../../src/settings/server-settings.ts';
import { RedisCounters } from '../../src/storage/redis/counters.ts';
import { redisDeletionRequests } from '../../src/storage/redis/forget.ts';
import type { RedisLink } from '../../src/storage/redis/link.ts';
import { redisLists } from '../../src/storage/redis/lists.ts';
import { redisSettings } from '../../src/storage/redis/server-settings.ts';
import { redisWatches } from '../../src/storage/redis/watches.ts';
import { SqliteCounters } from '../../src/storage/sqlite/counters.ts';
import { sqliteLists } from '../../src/storage/sqlite/lists.ts';
import { sqliteSettings } from '../../src/storage/sqlite/server-settings.ts';
import { STATE_SCHEMA } from '../../src/storage/sqlite/state.ts';
import { StateWrites, sqliteDeletionRequests } from '../../src/storage/sqlite/state-rows.ts';
import { sqliteWatches } from '../../src/storage/sqlite/watches.ts';
import { Watches, type WatchStore } from '../../src/watches/watches.ts';
import { type LogLine, logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { startRedis } from './redis.ts';
import { openedLink } from './redis-link.ts';

/** What one process has open, or one run of one: the ports, and what the app makes of them. */
export interface Stores {
  ledger: Ledger;
  requests: DeletionRequests;
  watchStore: WatchStore;
  watches: Watches;
  lists: ListStore;
  settingsStore: SettingsStore;
  settings: SettingsOfServers;
  /** In files alone. */
  database?: DatabaseSync;
  /** In Redis alone. */
  link?: RedisLink;
}

/** Where several processes, or several runs of one, keep what lasts. @param service absent: the first one */
export type Place<More = unknown> = (service?: string) => Promise<Stores & More>;

/** `lines`: what is logged. */
export async function inFiles(): Promise<Place<{ database: DatabaseSync; lines: LogLine[] }>> {
  const database = new DatabaseSync(':memory:');
  database.exec(STATE_SCHEMA);
  return async (service) => {
    const { log, lines } = logLines();
    const writes = new StateWrites(log);
    const lists = sqliteLists(database, writes);
    onFinished(() => lists.close());
    return {
      ...used(sqliteWatches(database, writes), sqliteSettings(database, writes), service),
      ledger: new Ledger(new SqliteCounters(database, service)),
      requests: sqliteDeletionRequests(database, writes),
      lists,
      database,
      lines,
    };
  };
}

export async function inRedis(): Promise<Place<{ link: RedisLink }>> {
  const redis = await startRedis();
  return async (service) => {
    const { link } = await openedLink(redis);
    return {
      ...used(redisWatches(link), redisSettings(link), service),
      ledger: new Ledger(new RedisCounters(link, service)),
      requests: redisDeletionRequests(link),
      lists: redisLists(link),
      link,
    };
  };
}

function used(watchStore: WatchStore, settingsStore: SettingsStore, service?: string) {
  const watches = new Watches(watchStore, undefined, service);
  return { watchStore, watches, settingsStore, settings: new SettingsOfServers(settingsStore) };
}

/** For `describe.each`: what a port promises holds in both. */
export const PLACES: [where: string, place: () => Promise<Place>][] = [
  ['in files', inFiles],
  ['in Redis', inRedis],
];
