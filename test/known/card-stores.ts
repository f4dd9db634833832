import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CardStore, type CardStoreOptions } from '../../src/known/card-store.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { RedisStore } from '../../src/storage/redis/cards.ts';
import { CARDS_SCHEMA, SqliteStore } from '../../src/storage/sqlite/cards.ts';
import { openFile } from '../../src/storage/sqlite/file.ts';
import { keysOf } from '../../src/storage/state.ts';
import { logLines } from '../support/log-lines.ts';
import { clientIn, openedLink, type RedisAddress } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const KEEP_MS = 90 * 86_400_000;

type Setting = Partial<Pick<CardStoreOptions, 'memoryBytes' | 'keepMs'> & { origin: string }>;

const USUAL = { memoryBytes: 1_000_000, keepMs: KEEP_MS };

/** One process, with a memory of its own over what lasts. */
interface Opened {
  store: CardStore;
  /** What the store has logged. */
  lines: ReturnType<typeof logLines>['lines'];
}

/** What the bot shows of a card: of what another process has stored, it reads what it does not remember. */
export async function keptIn(store: CardStore, id: string): Promise<CardRecord | undefined> {
  return store.remembered(id) ?? store.newest(id);
}

/** Where the cards of several processes, or of several runs of one, last. */
export interface CardPlace {
  open(setting?: Setting): Opened | Promise<Opened>;
  /** Writes this in the place of every card. */
  overwrite(value: string): Promise<void>;
  empty(): Promise<void>;
  count(): Promise<number>;
}

/** Cards in a file, with its database. */
export function sqliteCards() {
  const folder = temporaryFolder();

  function open({ origin = 'cards.test', ...setting }: Setting = {}) {
    const { log, lines } = logLines();
    const file = join(folder, 'cards.sqlite');
    const { database } = openFile(file, { log, schema: CARDS_SCHEMA, lossMeans: 'missing' });
    onTestFinished(() => {
      if (database.isOpen) database.close();
    });
    const store = new SqliteStore(database);
    return { database, lines, store: new CardStore({ ...USUAL, log, store, keyPrefix: keysOf(origin), ...setting }) };
  }
  const { database } = open();
  return {
    open,
    overwrite: async (value: string) => void database.prepare('UPDATE cards SET value = ?').run(value),
    empty: async () => database.exec('DELETE FROM cards'),
    count: async () => Number(database.prepare('SELECT count(*) AS rows FROM cards').get()?.rows),
  };
}

/** Cards in a Redis, with the connection to it. `keys` are those of cards. */
export function redisCards({ url, prefix: testPrefix }: RedisAddress) {
  const prefix = `${testPrefix}:${randomUUID()}`;

  async function open({ origin = 'cards.test', ...setting }: Setting = {}) {
    const { log, lines } = logLines();
    const { link } = await openedLink({ url, prefix });
    const keyPrefix = `${prefix}:cards:${keysOf(origin)}`;
    return { link, lines, store: new CardStore({ ...USUAL, log, store: new RedisStore(link), keyPrefix, ...setting }) };
  }
  const watching = open();
  const client = async () => clientIn((await watching).link);
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
