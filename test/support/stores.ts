import { DatabaseSync } from 'node:sqlite';
import { KeptLists } from '../../src/members/kept-lists.ts';
import { SettingsOfServers } from '../../src/members/server-settings.ts';
import { Watches } from '../../src/members/watches.ts';
import type { Rows } from '../../src/model/store/rows.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import type { RedisLink } from '../../src/storage/redis/connection.ts';
import { RedisRows } from '../../src/storage/redis/rows.ts';
import { ROWS_SCHEMA, SqliteRows } from '../../src/storage/sqlite/rows.ts';
import { type LogLine, logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { clientIn, openedLink, startRedis, type TestRedis } from './redis.ts';

/** What one process has open, or one run of one: the ports, and what the app makes of them. */
export interface Stores {
  rows: Rows;
  lines: LogLine[];
  ledger: Ledger;
  watches: Watches;
  lists: KeptLists;
  settings: SettingsOfServers;
  /** In files alone. */
  database?: DatabaseSync;
  /** In Redis alone. */
  link?: RedisLink;
}

/** Where several processes, or several runs of one, keep what lasts. @param service absent: the first one */
export type Place<More = unknown> = (service?: string) => Promise<Stores & More>;

/** Rows in a file that nobody else has. */
export function rowsInFile() {
  const { log, lines } = logLines();
  const database = new DatabaseSync(':memory:');
  database.exec(ROWS_SCHEMA);
  const rows = new SqliteRows(database, log);
  onFinished(() => rows.close());
  return { rows, database, lines };
}

export async function inFiles(): Promise<Place<{ database: DatabaseSync }>> {
  const { database } = rowsInFile();
  return async (service) => {
    const { log, lines } = logLines();
    const rows = new SqliteRows(database, log);
    onFinished(() => rows.close());
    return { ...over(rows, service), database, lines };
  };
}

export async function inRedis(own?: TestRedis): Promise<Place<{ link: RedisLink }>> {
  const redis = own ?? (await startRedis());
  return async (service) => {
    const { link, lines } = await openedLink(redis);
    const rows = new RedisRows(link);
    return { ...over(rows, service), link, lines };
  };
}

function over(rows: Rows, service?: string) {
  const watches = new Watches(rows, undefined, service);
  const ledger = new Ledger(rows, service);
  return { rows, ledger, watches, lists: new KeptLists(rows), settings: new SettingsOfServers(rows) };
}

/** How long each part whose name begins so will be there. */
export async function keptMs({ database, link }: Stores, beginning: string): Promise<number[]> {
  const parts = 'SELECT part, ends_at AS endsAtMs FROM parts WHERE part IN (SELECT part FROM rows)';
  const inFile = database?.prepare(parts).all() ?? [];
  const client = link && (await clientIn(link));
  const keys = (await client?.keys(`${link?.prefix}:${beginning}*`)) ?? [];
  return [
    ...inFile.flatMap(({ part, endsAtMs }) =>
      String(part).startsWith(beginning) ? Number(endsAtMs) - Date.now() : [],
    ),
    ...(await Promise.all(keys.map((key) => client?.pTTL(key) ?? 0))),
  ];
}

/** For `describe.each`: what a port promises holds in both. */
export const PLACES: [where: string, place: () => Promise<Place>][] = [
  ['in files', inFiles],
  ['in Redis', inRedis],
];
