import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextLoopIteration, setTimeout as sleep } from 'node:timers/promises';
import { Incident, type Logger } from '../log.ts';
import type { Card } from '../model/card.ts';
import type { ReadCardId } from '../model/card-id.ts';
import type { EventsByName } from '../model/events.ts';
import type { Requester } from '../model/quota.ts';
import { BUSY_CODE, deleteFilesAside, isCorruption, sqliteCode } from '../storage/sqlite/file.ts';
import { every } from '../time.ts';
import type { CardIndex } from './card-index.ts';
import { CatalogDatabase } from './database.ts';
import type { PastedLine } from './lines.ts';
import { atOnce, meantLine, resolveList, searchInList } from './list.ts';
import { inOneMenu, mentions, type PrintingsPart, printings, type Resolution, resolve } from './meaning.ts';
import { search } from './search.ts';
import { catalogCardOf } from './text.ts';

export interface CatalogOptions {
  /** Of `catalog.sqlite`. */
  dataDir: string;
  /** Of `cards.sqlite`, if there is one, and of what was put aside. */
  cardsDir: string;
  /** How the keys of this service's cards begin in `cards.sqlite`. */
  cardKeys: string;
  /** Whether what a member asked for may be kept. */
  keepsMembers: boolean;
  /** What the service's ids are: a text that it reads as none is no id, whatever it resembles. */
  readCardId: ReadCardId;
  log: Logger;
}

/** A member waits for this before names count as not searched. */
const LOOKUP_MS = 1_500;
/** A long list is read behind a reply that says "thinking…". */
const LIST_MS = 30_000;
/**
 * Changes are written together, behind the replies that they come from. What cannot be done now is tried again: an
 * import locks the file for moments.
 */
const LATER_MS = 1_000;
/** Changes that are kept while they cannot be written. The oldest are dropped. */
const MOST_UNWRITTEN = 1_000;
/** What the cache holds is read a little at a time, with a pause that leaves most of the thread to others. */
const ROWS_AT_ONCE = 50;
const PAUSE_MS = 20;
const WORDS_AT_ONCE = 2_000;
const SWEEP_EVERY_MS = 3_600_000;

/** The order of questions: a lookup depends on the first, the next only suggest something to who types. */
const LOOKUP = 0;
const SEARCH = 1;
const LIST = 2;

/** Someone who waits for the thread. */
interface Waiting {
  /** The lowest comes first. */
  turn: number;
  memberId: string | undefined;
  /** In the past: a newer question of the member replaces it. */
  deadlineMs: number;
  answer(isLate: boolean): void;
}

interface Change {
  apply(database: CatalogDatabase): void;
  /** It is written at the next attempt or never, so that nothing of a member is written after it was deleted. */
  isOfMember: boolean;
}

/**
 * Every card that this bot has seen or was given, for search, on the thread that answers everybody: one question at a
 * time, long ones in pieces, and the process's other work in between. What is late is dropped, and so is a search of a
 * member who has typed on. A file that turns out to be damaged is replaced; what cannot be opened or written now is
 * tried again. No method costs a request to the card service, and none rejects: what fails or is late finds nothing.
 */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #outage: Incident;
  readonly #waiting: Waiting[] = [];
  /** `undefined` after it was damaged, or could not be opened: the next attempt does. */
  #database: CatalogDatabase | undefined;
  #unwritten: Change[] = [];
  #writing: NodeJS.Timeout | undefined;
  readonly #endSweeps = every(SWEEP_EVERY_MS, () => this.#sweep());
  #isClosed = false;

  /** Opens the file; where that fails, the log says so. */
  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'catalog failed: suggestions may be empty until it works again',
      ends: 'catalog works again',
    });
    this.#attempt(() => {});
  }

  /**
   * Best first, at most 25. An empty text gives the member's last ten cards, then what their server asks for most.
   * While one search of a member waits, a newer one replaces it.
   *
   * @returns nothing when it fails, is replaced, or is not done by `deadlineMs`
   */
  async search(text: string, who: Requester, deadlineMs: number) {
    return (await this.#ask(SEARCH, (index) => search(index, text, who), deadlineMs, who.memberId)) ?? [];
  }

  /** The same for the last part of a list, which is being typed. */
  async searchInList(list: string, who: Requester, deadlineMs: number) {
    return (await this.#ask(SEARCH, (index) => searchInList(index, list, who), deadlineMs, who.memberId)) ?? [];
  }

  /** What a text that may not be an id means. */
  async resolve(text: string, who: Requester): Promise<Resolution> {
    const meant = (await this.#ask(LOOKUP, (index) => resolve(index, text, who))) ?? resolve(undefined, text, who);
    const id = meant.kind === 'one' ? meant.card.id : meant.kind === 'id' ? text : undefined;
    return id === undefined || this.#options.readCardId(id) ? meant : { kind: 'none', similar: [] };
  }

  /** What a list of ids and names means. */
  async resolveList(list: string, who: Requester) {
    const meant = await this.#askInPieces((index) => resolveList(index, list, who));
    const { ids, unclear, ...rest } = meant ?? atOnce(resolveList(undefined, list, who));
    const foreign = ids.filter((id) => this.#read([id]).length === 0).map((text) => ({ text, cards: [], total: 0 }));
    return { ...rest, ids: this.#read(ids), unclear: inOneMenu([...unclear, ...foreign]) };
  }

  /** What each of these lines means. Comes after what others type, so it may take a while. */
  async resolveLines(lines: readonly PastedLine[]) {
    const deadlineMs = Date.now() + LIST_MS;
    return Promise.all(
      lines.map(async (line) => {
        const meant = await this.#ask(LIST, (index) => meantLine(index, line), deadlineMs);
        const { cards, ...rest } = meant ?? { ...meantLine(undefined, line), isUnsearched: true };
        return { ...rest, cards: cards.flatMap((card) => this.#read([card.id]).map((id) => ({ ...card, id }))) };
      }),
    );
  }

  /** Cards of the same name as the one with this id; `undefined` when that cannot be known in time. */
  printings(id: string, part: PrintingsPart) {
    return this.#ask(LOOKUP, (index) => printings(index, id, part));
  }

  /** The cards that a text of any length names; `undefined` when that cannot be known. */
  async mentions(text: string) {
    const mentioned = await this.#askInPieces((index) => mentions(index, text));
    return mentioned && { ...mentioned, ids: this.#read(mentioned.ids) };
  }

  /**
   * The service answered with this card. A search that begins later finds it, unless another process writes just now.
   */
  learn(card: Card): void {
    this.#change((database) => database.upsert([catalogCardOf(card)]));
  }

  /**
   * The service denied this id.
   *
   * @param isKept a copy of the card is still kept: it is offered last; otherwise no longer
   */
  deny(id: string, isKept: boolean): void {
    this.#change((database) => database.deny(id, isKept));
  }

  /**
   * A reply shows these cards to the member who asked for them: for their last ten, and for what is asked for most; in
   * private for their last ten alone, since others are not offered what they did not see. Needs no `this`.
   */
  readonly shown = ({ cardIds, isPrivate, ...who }: EventsByName['shown']): void => {
    const atMs = Date.now();
    const { keepsMembers } = this.#options;
    for (const id of cardIds)
      this.#change((database) => database.addAsked(id, who, atMs, keepsMembers, isPrivate), true);
  };

  /** Writes what is not written yet, unless another process writes just then: all that waits, or nothing of it. */
  write(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    if (this.#unwritten.length === 0) return;
    const isWritten = this.#attempt((database) =>
      database.inTransaction(() => {
        for (const { apply } of this.#unwritten) apply(database);
        return true;
      }),
    );
    this.#unwritten = isWritten ? [] : this.#unwritten.filter(({ isOfMember }) => !isOfMember);
    if (!isWritten) this.#writeLater();
  }

  close(): void {
    this.#endSweeps();
    this.write();
    clearTimeout(this.#writing);
    this.#isClosed = true;
    this.#database?.close();
    this.#database = undefined;
  }

  /** Ids as the service writes them, without what can be none. */
  #read(ids: readonly string[]): string[] {
    return [...new Set(ids.flatMap((id) => this.#options.readCardId(id) ?? []))];
  }

  /** @returns `undefined` when it fails, or is not done by the deadline */
  async #askInPieces<T>(begin: (index: CardIndex) => Generator<undefined, T>): Promise<T | undefined> {
    const deadlineMs = Date.now() + LOOKUP_MS;
    let work: Generator<undefined, T> | undefined;
    const next = (index: CardIndex) => {
      work ??= begin(index);
      return work.next();
    };
    for (;;) {
      const piece = await this.#ask(LOOKUP, next, deadlineMs);
      if (!piece || piece.done) return piece?.value;
    }
  }

  /**
   * @param answer holds the thread for some milliseconds
   * @param memberId whose question before this one, if it still waits, is dropped
   * @returns `undefined` when it fails, is dropped, or is not begun by the deadline
   */
  #ask<T>(
    turn: number,
    answer: (index: CardIndex) => T,
    deadlineMs = Date.now() + LOOKUP_MS,
    memberId?: string,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    for (const older of this.#waiting) if (memberId && older.memberId === memberId) older.deadlineMs = 0;
    const inTurn = (isLate: boolean) => {
      if (isLate) return resolve(undefined);
      if (turn !== LOOKUP) this.write(); // who types finds what was just learned
      resolve(this.#attempt(({ index }) => answer(index)));
    };
    if (this.#waiting.push({ turn, memberId, deadlineMs, answer: inTurn }) === 1) void this.#answerAll();
    return promise;
  }

  /** Runs as long as somebody waits. */
  async #answerAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextLoopIteration();
      const next = this.#waiting.sort((one, other) => one.turn - other.turn).shift();
      next?.answer(next.deadlineMs <= Date.now());
    }
  }

  #change(apply: Change['apply'], isOfMember = false): void {
    if (this.#unwritten.push({ apply, isOfMember }) > MOST_UNWRITTEN) this.#unwritten.shift();
    this.#writeLater();
  }

  #writeLater(): void {
    this.#writing ??= setTimeout(() => this.write(), LATER_MS).unref();
  }

  #sweep(): void {
    const { cardsDir, keepsMembers } = this.#options;
    this.#attempt((database) => database.sweepAsked(Date.now(), keepsMembers));
    deleteFilesAside(cardsDir, Date.now());
  }

  /** @returns `undefined` when it failed; it is not thrown */
  #attempt<T>(work: (database: CatalogDatabase) => T): T | undefined {
    if (this.#isClosed) return undefined;
    try {
      const result = work(this.#opened());
      this.#outage.succeeded();
      return result;
    } catch (err) {
      if (isCorruption(err)) this.#discard(err);
      else if (sqliteCode(err) !== BUSY_CODE) this.#outage.failed({ err }); // what is busy is tried again
      return undefined;
    }
  }

  /** Opens the file anew when it was damaged, or has been replaced. */
  #opened(): CatalogDatabase {
    const { dataDir, log } = this.#options;
    if (this.#database?.isReplaced()) {
      this.#database.close();
      this.#database = undefined;
      log.error('the catalog was replaced or deleted while the bot runs: its lists may have to be imported again');
    }
    if (!this.#database) {
      this.#database = new CatalogDatabase(dataDir, log, 0);
      void this.#catchUp();
    }
    return this.#database;
  }

  #discard(corruption: unknown): void {
    const damaged = this.#database;
    this.#database = undefined; // before anything can fail, so that it is not closed twice
    try {
      damaged?.discard(corruption);
    } catch (err) {
      this.#outage.failed({ err });
    }
  }

  /**
   * Reads what the first search would wait for, then what the cache holds and a process has not written here before it
   * ended. That says nothing new in most cases: some 30 µs for each card.
   */
  async #catchUp(): Promise<void> {
    let after = 0;
    for (let isMore: boolean | undefined = true; isMore !== false && !this.#isClosed; ) {
      await sleep(isMore === undefined ? LATER_MS : PAUSE_MS, undefined, { ref: false });
      isMore = this.#attempt((database) => {
        if (database.index.readWords(WORDS_AT_ONCE)) return true;
        const rows = this.#cachedAfter(after);
        database.inTransaction(() => {
          for (const { value } of rows) {
            const { card, delistedAtMs } = JSON.parse(String(value)).value;
            database.upsert([catalogCardOf(card)]);
            if (delistedAtMs) database.deny(card.id, true);
          }
        });
        after = Number(rows.at(-1)?.row ?? after);
        return rows.length > 0;
      });
    }
    this.#sweep();
  }

  /** None where there is no cache. @throws errors of SQLite when it can be read later */
  #cachedAfter(row: number) {
    const { cardsDir, cardKeys, log } = this.#options;
    const file = join(cardsDir, 'cards.sqlite');
    if (!existsSync(file)) return [];
    try {
      using database = new DatabaseSync(file, { readOnly: true });
      return database.prepare(CACHED).all(row, cardKeys);
    } catch (err) {
      if (sqliteCode(err) === BUSY_CODE) throw err;
      // What is wrong with the cache is not wrong with the catalog.
      log.warn({ err }, 'saved cards cannot be read for search: each is found by its name once it is looked up again');
      return [];
    }
  }
}

/** What Keyv has stored of cards. */
const CACHED = `SELECT rowid AS row, value FROM cards
  WHERE rowid > ? AND key GLOB ? || '*' AND json_valid(value)
    AND json_type(value, '$.value.card.id') = 'text' AND json_type(value, '$.value.card.name') = 'text'
  ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`;
