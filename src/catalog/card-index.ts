import type { SQLInputValue } from 'node:sqlite';
import type { Statements } from '../storage/sqlite/file.ts';
import { DAY_MS } from '../time.ts';
import type { CatalogCard } from './text.ts';
import { Vocabulary } from './vocabulary.ts';

/** A word to be found: its tokens next to each other. */
export interface WordToFind {
  /** With blanks between the tokens. */
  word: string;
  /** The last token may be only the beginning of one. */
  begins?: boolean;
  /** It counts only in the name. */
  inName?: boolean;
}

/** A word, or some of which one is to be found. */
export type WordsToFind = WordToFind | readonly WordToFind[];

/** A card that may be what is searched for. */
export interface Candidate {
  card: CatalogCard;
  /** 1: the service denied it, so it comes last; else 0. */
  denied: number;
  /** How many cards are called so: the nearest to "well known" that lists tell. */
  printings: number;
  /** Comes first among cards that fit equally well: how near its name is to what was typed. */
  place?: number;
  /** How often a card that is asked for most was asked for. */
  here?: number | undefined;
  everywhere?: number | undefined;
}

/** Figures of everything that is kept. */
export interface CatalogStats {
  /** Cards that are offered. */
  cards: number;
  /** How many of them the service has answered with. */
  confirmed: number;
  /** How many of them the service denied although a copy is kept. */
  denied: number;
  /** Different names. */
  names: number;
  /**
   * What each import brought that the service has not confirmed: those that are withdrawn first, then those with most.
   */
  imports: { source: string; unconfirmed: number; withdrawn: 0 | 1 }[];
  /** Size on disk. */
  bytes: number;
}

/** Cards that are given: not denied, and named by the service or by an import that is not withdrawn. */
export const OFFERED = `cards.denied < 2 AND (cards.confirmed = 1 OR EXISTS (
  SELECT 1 FROM named_in JOIN sources ON sources.row = named_in.source WHERE card = cards.row AND NOT withdrawn
))`;

/** In place of a server. */
export const EVERYWHERE = '';
/** For how long what a member asked for counts, and is kept. */
export const MEMBER_HISTORY_MS = 30 * DAY_MS;

/** Cards that the service has answered with and whose ids are digits alone. */
const CONFIRMED_NUMBERS = "confirmed = 1 AND id NOT GLOB '*[^0-9]*'";

/** After so many denials and no confirmation, the ids of an import are not the service's. */
export const DENIALS_THAT_WITHDRAW = 5;

/**
 * `denied`: 0, or 1 for a card of which a copy is kept, or 2 for one that is no longer given. Texts are split into
 * tokens before they come here, so the simplest tokenizer is right; it takes whatever is not ASCII for a letter.
 * `who` asked: a server, or a member behind an `@`.
 */
export const CATALOG_SCHEMA = `
  CREATE TABLE IF NOT EXISTS cards (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, set_name TEXT, number TEXT, game TEXT,
    id_key TEXT NOT NULL, name_row INTEGER NOT NULL, confirmed INTEGER NOT NULL, denied INTEGER NOT NULL,
    also TEXT, released TEXT
  );
  CREATE UNIQUE INDEX IF NOT EXISTS cards_by_id ON cards (id_key, id);
  CREATE INDEX IF NOT EXISTS cards_by_name ON cards (name_row);
  CREATE INDEX IF NOT EXISTS cards_by_digits ON cards (length(id)) WHERE ${CONFIRMED_NUMBERS};
  CREATE TABLE IF NOT EXISTS names (
    row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, words TEXT NOT NULL DEFAULT '', printings INTEGER NOT NULL DEFAULT 0
  );
  CREATE TRIGGER IF NOT EXISTS printing_added AFTER INSERT ON cards BEGIN
    UPDATE names SET printings = printings + 1 WHERE row = new.name_row;
  END;
  CREATE TRIGGER IF NOT EXISTS printing_renamed AFTER UPDATE OF name_row ON cards BEGIN
    UPDATE names SET printings = printings - 1 WHERE row = old.name_row;
    UPDATE names SET printings = printings + 1 WHERE row = new.name_row;
  END;
  CREATE TABLE IF NOT EXISTS words (row INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS forms (form TEXT PRIMARY KEY, ids INTEGER NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5 (
    name, other, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3'
  );
  CREATE TABLE IF NOT EXISTS sources (
    row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, confirmed INTEGER NOT NULL DEFAULT 0, denied INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER AS (denied >= ${DENIALS_THAT_WITHDRAW} AND confirmed = 0)
  );
  CREATE TABLE IF NOT EXISTS named_in (card INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (card, source)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS import_forms (source INTEGER NOT NULL, form TEXT NOT NULL, PRIMARY KEY (source, form)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS asked (
    who TEXT, id TEXT, id_key TEXT NOT NULL, times INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (who, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS asked_most ON asked (who, times);
  CREATE INDEX IF NOT EXISTS asked_at ON asked (at);
`;

/** A row of `cards`. */
export interface StoredRow {
  row: number;
  id: string;
  name: string;
  set_name: string | null;
  number: string | null;
  game: string | null;
  confirmed: number;
  denied: number;
  also: string | null;
  released: string | null;
}

export function cardOf({ id, name, set_name, number, game, also, released }: StoredRow): CatalogCard {
  return {
    id,
    name,
    set: set_name ?? undefined,
    number: number ?? undefined,
    game: game ?? undefined,
    also: also?.split('\n'),
    released: released ?? undefined,
  };
}

const MOST_OF_ONE_NAME = 200;
const MOST_NAMES = 25;
/** One letter begins thousands: to tell which words they begin would take some 10 µs for each. */
const MOST_NAMES_COMPARED = 500;
const MOST_BEGINNING_SO = 50;
const MOST_WITH_WORDS = 200;
/** To tell the best of more takes longer than a keystroke may: each takes some microseconds. */
const MOST_COMPARED = 3_000;
const MOST_WORDS_COMPARED = 20;
const MOST_ASKED_HERE = 100;
const MOST_ASKED_EVERYWHERE = 200;
/** Comes after every text that begins with a key, because SQLite compares bytes of UTF-8. */
const LAST = '\u{10ffff}';

const FOUND = 'cards.*, names.printings FROM cards JOIN names ON names.row = name_row';
const WITH_NAME = `SELECT ${FOUND} WHERE name_row = ? AND ${OFFERED} ORDER BY released DESC LIMIT ?`;
/** `begun`: the name up to the end of the word in which the text ends. */
const NAMES_BEGINNING = `
  SELECT row FROM (
    SELECT *, key GLOB ?3 AS begins, substr(words, 1, length(?2) + instr(substr(words || ' ', length(?2) + 1), ' ') - 1) AS begun
    FROM names WHERE key > ?1 AND key < ?1 || '${LAST}' AND (key GLOB ?3 OR words GLOB ?4)
    ORDER BY begins DESC, length(begun) = length(?2) DESC, printings DESC LIMIT ${MOST_NAMES_COMPARED}
  )
  WINDOW of_word AS (PARTITION BY iif(begins, begun, key))
  ORDER BY begins DESC, length(begun) = length(?2) DESC, row_number() OVER (of_word ORDER BY printings DESC, length(key), key),
    sum(printings) OVER of_word DESC, length(key), key LIMIT ${MOST_NAMES}`;
const WITH_WORDS = `
  SELECT cards.*, names.printings FROM card_words
  CROSS JOIN cards ON cards.row = card_words.rowid CROSS JOIN names ON names.row = name_row
  WHERE card_words MATCH ? AND ${OFFERED}`;
const BEST_WITH_WORDS = `${WITH_WORDS} ORDER BY card_words.rank LIMIT ${MOST_WITH_WORDS}`;
const SOME_WITH_WORDS = `${WITH_WORDS} LIMIT ?`;
const TOO_MANY_WITH_WORDS = `SELECT 1 FROM card_words WHERE card_words MATCH ? LIMIT 1 OFFSET ${MOST_COMPARED}`;
const COUNTS = `
  SELECT count(*) AS cards, count(*) FILTER (WHERE confirmed = 1) AS confirmed,
    count(*) FILTER (WHERE denied > 0) AS denied, count(DISTINCT name_row) AS names,
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes FROM cards WHERE ${OFFERED}`;
const IMPORTS = `
  SELECT sources.name AS source, withdrawn, count(cards.row) AS unconfirmed FROM sources
  LEFT JOIN named_in ON source = sources.row
  LEFT JOIN cards ON cards.row = card AND cards.confirmed = 0 AND cards.denied < 2
  GROUP BY sources.row ORDER BY withdrawn DESC, unconfirmed DESC`;
const IMPORTED_FORM = 'SELECT 1 FROM import_forms JOIN sources ON sources.row = source WHERE NOT withdrawn';
const IMPORTED_OTHERS = `SELECT 1 WHERE EXISTS (${IMPORTED_FORM}) AND NOT EXISTS (${IMPORTED_FORM} AND form = ?)`;
const TIMES = 'SELECT times FROM asked WHERE asked.id = cards.id AND who =';
const ASKED_MOST = `
  WITH most AS (
    SELECT * FROM (SELECT id_key, id FROM asked WHERE who = ?1 ORDER BY times DESC LIMIT ${MOST_ASKED_HERE})
    UNION SELECT * FROM (
      SELECT id_key, id FROM asked WHERE who = '${EVERYWHERE}' ORDER BY times DESC LIMIT ${MOST_ASKED_EVERYWHERE}
    )
  )
  SELECT cards.*, printings, coalesce((${TIMES} ?1), 0) AS here, coalesce((${TIMES} '${EVERYWHERE}'), 0) AS everywhere
  FROM most JOIN cards USING (id_key, id) JOIN names ON names.row = name_row
  WHERE ${OFFERED} ORDER BY here DESC, everywhere DESC`;
const LAST_ASKED = `SELECT ${FOUND} JOIN asked USING (id_key, id) WHERE who = '@' || ? AND at >= ? AND ${OFFERED} ORDER BY at DESC`;

/**
 * What `catalog.sqlite` has of a text. Each answer is bounded, so that a search takes milliseconds. Methods throw the
 * errors of SQLite.
 */
export class CardIndex {
  readonly #sql: Statements;
  readonly #vocabulary = new Vocabulary();
  #lastWordRow = 0;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  withIdKey(idKey: string): Candidate[] {
    return this.#found(`SELECT ${FOUND} WHERE id_key = ? AND ${OFFERED}`, idKey);
  }

  /** @param most as many are enough */
  withNameKey(nameKey: string, most = MOST_OF_ONE_NAME): Candidate[] {
    const names = this.#sql('SELECT row FROM names WHERE key = ?').all(nameKey); // mostly there is none
    return names.flatMap(({ row = null }) => this.#found(WITH_NAME, row, most));
  }

  /**
   * A few cards of each name that begins with these words, also when it is written in one, then of those whose words
   * may begin with these. First those in which a word ends there, then the name with the most cards of each word that
   * is begun, by how many cards that word begins; then the second of each.
   */
  withNameBeginning(words: string): Candidate[] {
    if (words === '') return []; // every name begins so
    const [first = ''] = words.split(' ');
    const asOne = `${words.replaceAll(' ', '')}*`;
    const names = this.#sql(NAMES_BEGINNING).all(first, words, asOne, `${words.replaceAll(' ', '* ')}*`);
    const ofEach = Math.ceil(MOST_BEGINNING_SO / names.length);
    return names.flatMap(({ row = null }, place) =>
      this.#found(WITH_NAME, row, ofEach).map((each) => ({ ...each, place })),
    );
  }

  /** Cards that have one word of each list; of many those that it tells most of, of very many any. */
  withWords(all: readonly WordsToFind[]): Candidate[] {
    const words = matching(all);
    const some = this.#found(SOME_WITH_WORDS, words, MOST_WITH_WORDS + 1);
    // Each of the words that may be meant costs the order some of its time.
    const areCompared = some.length > MOST_WITH_WORDS && all.flat().length <= MOST_WORDS_COMPARED;
    return areCompared && !this.#has(TOO_MANY_WITH_WORDS, words) ? this.#found(BEST_WITH_WORDS, words) : some;
  }

  /** The same, `undefined` when they are many. */
  allWithWords(all: readonly WordsToFind[]): Candidate[] | undefined {
    const some = this.#found(SOME_WITH_WORDS, matching(all), MOST_WITH_WORDS + 1);
    return some.length > MOST_WITH_WORDS ? undefined : some;
  }

  /** Whether there is such a card. */
  hasWords(all: readonly WordsToFind[]): boolean {
    return this.#has(SOME_WITH_WORDS, matching(all), 1);
  }

  /** How many cards have one word of each list. Those of a withdrawn import, too: to look at each would take long. */
  countWithWords(all: readonly WordsToFind[]): number {
    const count = this.#sql('SELECT count(*) AS count FROM card_words WHERE card_words MATCH ?');
    return Number(count.get(matching(all))?.count);
  }

  /** What this server and everybody ask for most: what this server does first. */
  askedMost(guildId: string | undefined): Candidate[] {
    return this.#found(ASKED_MOST, guildId ?? null);
  }

  /** What the member asked for last, newest first. */
  lastAsked(memberId: string): CatalogCard[] {
    const since = Date.now() - MEMBER_HISTORY_MS;
    return this.#found(LAST_ASKED, memberId, since).map(({ card }) => card);
  }

  vocabulary(): Vocabulary {
    this.readWords();
    return this.#vocabulary;
  }

  /** Words that are new, so that the next search need not read them. @returns whether there may be more */
  readWords(most = Number.MAX_SAFE_INTEGER): boolean {
    const before = this.#lastWordRow;
    const newWords = this.#sql('SELECT row, word FROM words WHERE row > ? ORDER BY row LIMIT ?');
    for (const { row, word } of newWords.iterate(before, most)) {
      this.#vocabulary.add(String(word));
      this.#lastWordRow = Number(row);
    }
    return this.#lastWordRow > before;
  }

  /** Whether a confirmed id has this form, however few are known. */
  isConfirmedForm(form: string): boolean {
    return this.#has('SELECT 1 FROM forms WHERE form = ?', form);
  }

  /** Whether lists were imported, and no id in them has this form of `looseFormOf`. */
  lacksImportedForm(form: string): boolean {
    return this.#has(IMPORTED_OTHERS, form);
  }

  /** Whether a confirmed id is a number of so many digits and nothing else. */
  hasConfirmedNumber(digits: number): boolean {
    return this.#has(`SELECT 1 FROM cards WHERE length(id) = ? AND ${CONFIRMED_NUMBERS} LIMIT 1`, digits);
  }

  /** How many ids are confirmed. */
  confirmedIds(): number {
    return Number(this.#sql('SELECT sum(ids) AS ids FROM forms').get()?.ids);
  }

  /** All cards that are offered, as they were when it began; the file must not be written through this meanwhile. */
  *rows(): Generator<CatalogCard> {
    const all = this.#sql(`SELECT * FROM cards WHERE ${OFFERED} ORDER BY row`);
    for (const row of all.iterate()) yield cardOf(row as unknown as StoredRow);
  }

  /** Reads all rows: a second for a million cards. */
  stats(): CatalogStats {
    return { ...this.#sql(COUNTS).get(), imports: this.#sql(IMPORTS).all() } as unknown as CatalogStats;
  }

  #found(sql: string, ...by: SQLInputValue[]): Candidate[] {
    const rows = this.#sql(sql).all(...by) as unknown as (StoredRow & Omit<Candidate, 'card'>)[];
    return rows.map((row) => {
      const { denied, printings, here, everywhere } = row;
      return { card: cardOf(row), denied, printings, here, everywhere };
    });
  }

  #has(sql: string, ...by: SQLInputValue[]): boolean {
    return this.#sql(sql).get(...by) !== undefined;
  }
}

/** It is in no card. */
const NO_WORD = '""';

function matching(all: readonly WordsToFind[]): string {
  const oneOf = (words: WordsToFind) =>
    `(${
      [words]
        .flat()
        .map(({ word, begins, inName }) => `${inName ? 'name : ' : ''}"${word}"${begins ? ' *' : ''}`)
        .join(' OR ') || NO_WORD
    })`;
  return all.map(oneOf).join(' AND ') || NO_WORD;
}
