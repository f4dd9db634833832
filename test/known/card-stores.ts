import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CardStore, type CardStoreOptions, keysOf } from '../../src/known/card-store.ts';
import { RedisStore } from '../../src/storage/redis/cards.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { logLines } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { clientIn, openedLink, type RedisAddress } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const KEEP_MS = 90 * 86_400_000;

/** `origin`: where the cards are from. */
type Setting = Partial<Pick<CardStoreOptions, 'memoryBytes' | 'keepMs'> & { origin: string }>;

/** One process, with a memory of its own over what lasts, and what it logs. */
export function over<Lasting extends object>(
  lasting: Lasting,
  { origin = 'cards.test', ...setting }: Setting = {},
  prefix = '',
) {
  const { log, lines } = logLines();
  const usual = { memoryBytes: 1_000_000, keepMs: KEEP_MS, keyPrefix: prefix + keysOf(origin) };
  return { lasting, lines, store: new CardStore({ ...usual, log, store: lasting, ...setting }) };
}

/** Where the cards of several processes, or of several runs of one, last. */
export interface CardPlace {
  open(setting?: Setting): Promise<ReturnType<typeof over>>;
  /** Writes this in the place of every card. */
  overwrite(value: string): Promise<unknown>;
  empty(): Promise<unknown>;
  count(): Promise<number>;
}

/** What lasts below cards in a file. */
export function cardsIn(database: DatabaseSync, maxRows?: number) {
  return new SqliteStore(database, maxRows);
}

/** Cards in a file, with its database. @param maxRows the most that it holds */
export async function sqliteCards(maxRows?: number) {
  const file = join(temporaryFolder(), 'cards.sqlite');
  const openDatabase = () => {
    const { database } = openFile(file, { log: logLines().log, schema: CARDS_SCHEMA, lossMeans: 'missing' });
    onFinished(() => database.isOpen && database.close());
    return database;
  };
  const database = openDatabase();
  return {
    async open(setting?: Setting) {
      const own = openDatabase();
      return { database: own, ...over(cardsIn(own, maxRows), setting) };
    },
    overwrite: async (value: string) => database.prepare('UPDATE cards SET value = ?').run(value),
    empty: async () => database.exec('DELETE FROM cards'),
    count: async () => Number(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows),
  };
}

/** Cards in a Redis, with a connection to it. `keys` are those of cards. */
export async function redisCards({ url, prefix: testPrefix }: RedisAddress) {
  const prefix = `${testPrefix}:${randomUUID()}`;
  const open = async (setting?: Setting) => {
    const { link } = await openedLink({ url, prefix });
    return { link, ...over(new RedisStore(link), setting, `${prefix}:cards:`) };
  };
  const { link } = await open();
  const client = () => clientIn(link);
  const keys = async () => (await client()).keys(`${prefix}:cards:*`);
  return {
    ...{ open, client, keys, prefix },
    async overwrite(value: string) {
      for (const key of await keys()) await (await client()).set(key, value);
    },
    async empty() {
      for (const key of await keys()) await (await client()).unlink(key);
    },
    count: async () => (await keys()).length,
  };
}
