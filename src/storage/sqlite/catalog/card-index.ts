import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Asked, Candidate, CardIndex, WordToFind } from '../../../catalog/card-index.ts';
import type { CatalogCard } from '../../../catalog/catalog-card.ts';
import { Vocabulary } from '../../../catalog/typing-error.ts';
import { idKey } from '../../../catalog/words.ts';
import { EVERYWHERE, MEMBER_HISTORY_MS, MOST_LAST_ASKED } from './asked.ts';
import { CONFIRMED_NUMBERS, OFFERED } from './schema.ts';
import { cardOf, type StoredRow } from './stored-row.ts';

const MOST_OF_ONE_NAME = 200;
const MOST_NAMES = 25;
const MOST_BEGINNING_SO = 50;
const MOST_WITH_WORDS = 200;
const MOST_ASKED_HERE = 100;
const MOST_ASKED_EVERYWHERE = 200;
/** Comes after every text that begins with a key, because SQLite compares bytes of UTF-8. */
const LAST = '\u{10ffff}';

/** The indexes of `catalog.sqlite`. */
export class SqliteCardIndex implements CardIndex {
  readonly #withIdKey: StatementSync;
  readonly #withId: StatementSync;
  readonly #nameRow: StatementSync;
  readonly #namesBeginning: StatementSync;
  readonly #withName: StatementSync;
  readonly #withWords: StatementSync;
  readonly #askedMost: StatementSync;
  readonly #timesHere: StatementSync;
  readonly #lastAsked: StatementSync;
  readonly #newWords: StatementSync;
  readonly #form: StatementSync;
  readonly #withDigits: StatementSync;
  readonly #confirmed: StatementSync;
  readonly #vocabulary = new Vocabulary();
  #lastWordRow = 0;

  constructor(database: DatabaseSync) {
    this.#withId = database.prepare(`SELECT 1 FROM cards WHERE id_key = ? AND id = ? AND ${OFFERED}`);
    this.#withIdKey = database.prepare(`SELECT * FROM cards WHERE id_key = ? AND ${OFFERED} LIMIT ${MOST_OF_ONE_NAME}`);
    this.#nameRow = database.prepare('SELECT row FROM names WHERE key = ?');
    this.#namesBeginning = database.prepare(
      `SELECT row FROM names WHERE key > ? AND key < ? ORDER BY length(key), key LIMIT ${MOST_NAMES}`,
    );
    this.#withName = database.prepare(`SELECT * FROM cards WHERE name_row = ? AND ${OFFERED} LIMIT ?`);
    this.#withWords = database.prepare(
      `SELECT cards.* FROM card_words CROSS JOIN cards ON cards.row = card_words.rowid WHERE card_words MATCH ? AND ${OFFERED} LIMIT ${MOST_WITH_WORDS}`,
    );
    this.#askedMost = database.prepare(
      `SELECT cards.*, times FROM asked_in_server AS asked JOIN cards USING (id_key, id) WHERE server = ? AND ${OFFERED} ORDER BY times DESC LIMIT ?`,
    );
    this.#timesHere = database.prepare('SELECT times FROM asked_in_server WHERE server = ? AND id = ?');
    this.#lastAsked = database.prepare(
      `SELECT cards.* FROM asked_by_member JOIN cards USING (id_key, id) WHERE member = ? AND at >= ? AND ${OFFERED} ORDER BY at DESC LIMIT ${MOST_LAST_ASKED}`,
    );
    this.#newWords = database.prepare('SELECT row, word FROM words WHERE row > ? ORDER BY row');
    this.#form = database.prepare('SELECT 1 FROM forms WHERE form = ?');
    this.#withDigits = database.prepare(`SELECT 1 FROM cards WHERE length(id) = ? AND ${CONFIRMED_NUMBERS} LIMIT 1`);
    this.#confirmed = database.prepare('SELECT sum(ids) AS ids FROM forms');
  }

  has(id: string): boolean {
    return this.#withId.get(idKey(id), id) !== undefined;
  }

  withIdKey(key: string): Candidate[] {
    return candidates(this.#withIdKey.all(key));
  }

  withNameKey(key: string): Candidate[] {
    const name = this.#nameRow.get(key);
    return name ? candidates(this.#withName.all(Number(name.row), MOST_OF_ONE_NAME)) : [];
  }

  withNameBeginning(key: string): Candidate[] {
    const names = this.#namesBeginning.all(key, key + LAST);
    const ofEach = Math.ceil(MOST_BEGINNING_SO / Math.max(1, names.length));
    return names.flatMap(({ row }) => candidates(this.#withName.all(Number(row), ofEach)));
  }

  withWords(all: readonly (readonly WordToFind[])[]): Candidate[] {
    const oneOf = (words: readonly WordToFind[]) =>
      `(${words.map(({ word, begins, inName }) => `${inName ? 'name : ' : ''}"${word}"${begins ? ' *' : ''}`).join(' OR ')})`;
    return candidates(this.#withWords.all(all.map(oneOf).join(' AND ')));
  }

  askedMost(guildId: string | undefined): { candidate: Candidate; asked: Asked }[] {
    const here = guildId === undefined ? [] : this.#askedMost.all(guildId, MOST_ASKED_HERE);
    const everywhere = this.#askedMost.all(EVERYWHERE, MOST_ASKED_EVERYWHERE);
    const times = new Map(everywhere.map(({ id, times }) => [String(id), Number(times)]));
    const known = new Map([...everywhere, ...here].map((row) => [String(row.id), row]));
    return [...known.values()].flatMap((row) => {
      const id = String(row.id);
      const hereTimes = guildId === undefined ? 0 : Number(this.#timesHere.get(guildId, id)?.times ?? 0);
      const asked = { here: hereTimes, everywhere: times.get(id) ?? hereTimes };
      return candidates([row]).map((candidate) => ({ candidate, asked }));
    });
  }

  lastAsked(memberId: string): CatalogCard[] {
    const since = Date.now() - MEMBER_HISTORY_MS;
    return candidates(this.#lastAsked.all(memberId, since)).map(({ card }) => card);
  }

  vocabulary(): Vocabulary {
    for (const { row, word } of this.#newWords.iterate(this.#lastWordRow)) {
      this.#vocabulary.add(String(word));
      this.#lastWordRow = Number(row);
    }
    return this.#vocabulary;
  }

  isConfirmedForm(form: string): boolean {
    return this.#form.get(form) !== undefined;
  }

  hasConfirmedNumber(digits: number): boolean {
    return this.#withDigits.get(digits) !== undefined;
  }

  confirmedIds(): number {
    return Number(this.#confirmed.get()?.ids ?? 0);
  }
}

function candidates(rows: readonly unknown[]): Candidate[] {
  return (rows as StoredRow[]).map((row) => ({ card: cardOf(row), isDenied: row.denied > 0 }));
}
