import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../log.ts';
import type { Requester } from '../model/quota.ts';
import {
  type FileOptions,
  isReplaced,
  type OpenFile,
  openFile,
  putDamagedAside,
  type Statements,
  statementsOf,
} from '../storage/sqlite/file.ts';
import { DAY_MS } from '../time.ts';
import {
  CATALOG_SCHEMA,
  CardIndex,
  cardOf,
  DENIALS_THAT_WITHDRAW,
  EVERYWHERE,
  MEMBER_HISTORY_MS,
  type StoredRow,
} from './card-index.ts';
import { type CatalogCard, formOf, idKey, looseFormOf, nameKey, otherText, spelledWords, tokenText } from './text.ts';

/** An import leaves the lock for a moment after each batch. */
const BUSY_TIMEOUT_MS = 60_000;
const CACHE_KIB = 16 * 1024;
/** These pages have 32 MB. */
const PAGES_OF_MANY_CARDS = 8_000;
/** FTS5 takes at most this many; its default is 4. */
const SEGMENTS_OF_A_LEVEL = 16;
/** How much of what a member asked for is kept. */
const MOST_LAST_ASKED = 10;
const SERVER_HISTORY_MS = 90 * DAY_MS;

const COLUMNS = 'id name set_name number game id_key name_row confirmed denied also released'.split(' ');
const PUT_CARD = `INSERT INTO cards (${COLUMNS}) VALUES (${COLUMNS.map((each) => `:${each}`)})
  ON CONFLICT DO UPDATE SET ${COLUMNS.map((each) => `${each} = excluded.${each}`)} RETURNING *`;
const OF_CARD = 'row IN (SELECT source FROM named_in WHERE card = ?1';
const DENY = `UPDATE sources SET denied = denied + 1 WHERE ${OF_CARD})
  RETURNING name, denied = ${DENIALS_THAT_WITHDRAW} AND withdrawn AS isWithdrawn`;
const CONFIRM = `UPDATE sources SET confirmed = confirmed + 1 WHERE ${OF_CARD} AND source = coalesce(?2, source))
  RETURNING name, confirmed = 1 AND denied >= ${DENIALS_THAT_WITHDRAW} AS wasWithdrawn`;

/** Whether a card may stand in place of what is stored. */
type MayReplace = (card: CatalogCard, stored: StoredRow) => boolean;

/**
 * The cards that are searched for, in `catalog.sqlite` of a `DATA_DIR`; several processes may have it open.
 * Synchronous. Methods throw the errors of SQLite.
 */
export class CatalogDatabase {
  readonly file: string;
  readonly index: CardIndex;
  readonly #log: Logger;
  readonly #options: FileOptions;
  readonly #opened: OpenFile;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;

  /**
   * Creates the file if it is absent; one that is damaged is moved aside.
   *
   * @param busyTimeoutMs how long writing waits for another process; 0 for one that answers others meanwhile: opening
   *   takes milliseconds then, and damage shows when it is read
   * @throws DatabaseUnusable
   */
  constructor(dataDir: string, log: Logger, busyTimeoutMs = BUSY_TIMEOUT_MS) {
    this.#log = log;
    this.#options = {
      log,
      schema: CATALOG_SCHEMA,
      lossMeans: 'cards are learned again from what the service answered; files have to be imported again',
      isReadLater: busyTimeoutMs === 0,
    };
    this.#opened = openFile(join(dataDir, 'catalog.sqlite'), this.#options);
    const { file, database } = this.#opened;
    this.file = file;
    this.#database = database;
    // It holds what members asked for, which must be gone when it is deleted.
    database.exec(
      `PRAGMA secure_delete = ON; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA busy_timeout = ${busyTimeoutMs}`,
    );
    this.#sql = statementsOf(database);
    this.index = new CardIndex(this.#sql);
  }

  /**
   * A file with many cards is imported, by a program that writes nothing else: through this connection, deleted content
   * is not overwritten, and the file is brought up to date less often. From now on, for all connections, the index of
   * words is merged less often: that takes a fifth less CPU in all, and costs a search microseconds. If an earlier
   * import of this name was withdrawn, that gets another name: its cards stay hidden, except those that the file names
   * now.
   */
  beginImport(source: string): void {
    this.#sql("UPDATE sources SET name = name || ' (import ' || row || ')' WHERE name = ? AND withdrawn").run(source);
    this.#database.exec(`PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = ${PAGES_OF_MANY_CARDS};
      INSERT INTO card_words (card_words, rank) VALUES ('automerge', ${SEGMENTS_OF_A_LEVEL})`);
  }

  /**
   * Takes rows in one transaction, which keeps other writers waiting, some 25 ms for a thousand. The same rows twice
   * change nothing. What the service has confirmed is not changed by an import, and what it denied does not come back.
   *
   * @param source the import's name; absent: the service answered with these cards
   * @param mayReplace asked of each card that is stored already, in the order of the cards
   * @returns how many cards were new or changed, or are named by this import first
   */
  upsert(cards: readonly CatalogCard[], source?: string, mayReplace?: MayReplace): number {
    return this.inTransaction(() => {
      const insert = 'INSERT INTO sources (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name';
      const by = source === undefined ? undefined : this.#rowOf(insert, source);
      return cards.filter((card) => this.#put(card, by, mayReplace)).length;
    });
  }

  /**
   * The service denied this id. The row stays, so that an import of the same file does not bring it back.
   *
   * @param isKept a copy of the card is kept: it is still given
   */
  deny(id: string, isKept: boolean): void {
    const stored = this.#find(id);
    if (!stored) return;
    const { row, confirmed, denied } = stored;
    this.inTransaction(() => {
      this.#sql('UPDATE cards SET denied = ? WHERE row = ?').run(isKept ? 1 : 2, row);
      if (!isKept) this.#removeWords(row);
      if (confirmed || denied) return;
      for (const { name: source, isWithdrawn } of this.#sql(DENY).all(row))
        if (isWithdrawn)
          this.#log.warn(
            { source },
            'the card service knows none of the cards that were looked up from an import: its cards are no longer offered',
          );
    });
  }

  /**
   * A member asked for a card.
   *
   * @param keepsMember whether that may be kept
   * @param isPrivate it counts for the member alone, as it does in a foreign place
   */
  addAsked(
    id: string,
    { memberId, guildId, isInstalled = true }: Requester,
    atMs: number,
    keepsMember: boolean,
    isPrivate = false,
  ): void {
    const who = new Set(isPrivate || !isInstalled ? [] : [guildId ?? EVERYWHERE, EVERYWHERE]);
    const member = `@${memberId}`;
    if (keepsMember) who.add(member);
    for (const each of who)
      this.#sql(
        // Later than the last one, also within a millisecond or after the clock was set back.
        `INSERT INTO asked VALUES (?1, ?2, ?3, 1, iif(?1 GLOB '@*', max(?4, 1 + coalesce((SELECT max(at) FROM asked WHERE who = ?1), 0)), ?4))
          ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at`,
      ).run(each, id, idKey(id), atMs);
    this.#sql(
      'DELETE FROM asked WHERE who = ?1 AND id NOT IN (SELECT id FROM asked WHERE who = ?1 ORDER BY at DESC LIMIT ?2)',
    ).run(member, MOST_LAST_ASKED);
  }

  /** Deletes what was asked for too long ago, and everything about members unless it may be kept. */
  sweepAsked(nowMs: number, keepsMembers: boolean): void {
    const membersUntilMs = keepsMembers ? nowMs - MEMBER_HISTORY_MS : Number.MAX_SAFE_INTEGER;
    this.#sql("DELETE FROM asked WHERE who GLOB '@*' AND at < ?").run(membersUntilMs);
    this.#sql('DELETE FROM asked WHERE at < ?').run(nowMs - SERVER_HISTORY_MS);
  }

  /** Its parts may be nested: only the outermost commits. */
  inTransaction<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Another process found this file damaged, or somebody deleted it. */
  isReplaced(): boolean {
    return isReplaced(this.#opened);
  }

  /** Closes a file that turned out to be damaged, and moves it aside. */
  discard(corruption: unknown): void {
    putDamagedAside(this.#opened, corruption, this.#options);
  }

  close(): void {
    try {
      // Otherwise the first write of a running bot moves all of an import.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk, say: whoever opens the file next finds it as it is.
    }
    this.#database.close();
  }

  #find(id: string): StoredRow | undefined {
    return this.#sql('SELECT * FROM cards WHERE id_key = ? AND id = ?').get(idKey(id), id) as StoredRow | undefined;
  }

  /**
   * What the service has denied, a file does not bring back.
   *
   * @param source of an import; `undefined` when the service answered with the card
   * @returns whether that was news
   */
  #put(card: CatalogCard, source?: number, mayReplace?: MayReplace): boolean {
    const found = this.#find(card.id);
    if (found && mayReplace?.(card, found) === false) return false;
    if (source) {
      this.#sql('INSERT OR IGNORE INTO import_forms VALUES (?, ?)').run(source, looseFormOf(card.id));
      if (found?.denied) return false;
    }
    const values = valuesOf(card, !source, found);
    const isStored = found && isDeepStrictEqual({ ...found, ...values }, { ...found });
    const row = isStored ? found.row : this.#store(card.id, values);
    const isNamed = source && this.#addNaming(row, source);
    if (!source && !found?.confirmed) {
      this.#sql('INSERT INTO forms VALUES (?, 1) ON CONFLICT (form) DO UPDATE SET ids = ids + 1').run(formOf(card.id));
      this.#confirm(row, null);
    }
    if (isNamed && values.confirmed) this.#confirm(row, source);
    return isNamed || !isStored;
  }

  /** The service knows a card: all imports that name it are right, or that which names it only now. */
  #confirm(card: number, namedBy: number | null): void {
    for (const { name: source, wasWithdrawn } of this.#sql(CONFIRM).all(card, namedBy))
      if (wasWithdrawn)
        this.#log.info({ source }, 'the card service knows a card of an import after all: its cards are offered again');
  }

  /** @returns its row */
  #store(id: string, values: ReturnType<typeof valuesOf>): number {
    for (const word of spelledWords(values.name)) this.#sql('INSERT OR IGNORE INTO words (word) VALUES (?)').run(word);
    const insertName = 'INSERT INTO names (key, words) VALUES (?, ?) ON CONFLICT DO UPDATE SET words = words';
    const name_row = this.#rowOf(insertName, nameKey(values.name), tokenText(values.name));
    const row = { ...values, id, id_key: idKey(id), name_row };
    const stored = this.#sql(PUT_CARD).get(row) as unknown as StoredRow;
    const card = cardOf(stored);
    this.#removeWords(stored.row);
    const insert = 'INSERT INTO card_words (rowid, name, other) VALUES (?, ?, ?)';
    this.#sql(insert).run(stored.row, tokenText(card.name), otherText(card));
    return stored.row;
  }

  /** The row number of what is inserted, or is there already. */
  #rowOf(upsert: string, ...values: string[]): number {
    return Number(this.#sql(`${upsert} RETURNING row`).get(...values)?.row);
  }

  #removeWords(row: number): void {
    this.#sql('DELETE FROM card_words WHERE rowid = ?').run(row);
  }

  /**
   * Another import that was withdrawn no longer stands for the card: its others stay hidden when this one is confirmed.
   *
   * @returns whether the import had not named it before
   */
  #addNaming(card: number, source: number): boolean {
    const { changes } = this.#sql('INSERT OR IGNORE INTO named_in VALUES (?, ?)').run(card, source);
    if (changes > 0)
      this.#sql(
        'DELETE FROM named_in WHERE card = ? AND source IN (SELECT row FROM sources WHERE withdrawn AND row <> ?)',
      ).run(card, source);
    return changes > 0;
  }
}

/** What is stored of a card from now on. The service knows best what is printed, and only imports know the rest. */
function valuesOf(card: CatalogCard, isOfService: boolean, found: StoredRow | undefined) {
  const isConfirmed = found?.confirmed === 1;
  const { name, set = null, number = null, game = null } = isConfirmed && !isOfService ? cardOf(found) : card;
  return {
    name,
    set_name: set,
    number,
    game,
    confirmed: Number(isOfService || isConfirmed),
    denied: 0,
    also: card.also?.join('\n') ?? found?.also ?? null,
    released: card.released ?? found?.released ?? null,
  };
}
