import type { Candidate, CardIndex, Popularity, WordToFind } from '../../../catalog/card-index.ts';
import type { CatalogCard, CatalogStats } from '../../../catalog/catalog-card.ts';
import { Vocabulary } from '../../../catalog/typing-error.ts';
import type { Statements } from '../file.ts';
import { EVERYWHERE, MEMBER_HISTORY_MS, MOST_LAST_ASKED } from './asked.ts';
import { CONFIRMED_NUMBERS, cardOf, OFFERED, type StoredRow } from './schema.ts';

const MOST_OF_ONE_NAME = 200;
const MOST_NAMES = 25;
const MOST_BEGINNING_SO = 50;
const MOST_WITH_WORDS = 200;
/** To tell the best of more takes longer than a keystroke may: each takes some microseconds. */
const MOST_COMPARED = 3_000;
const MOST_ASKED_HERE = 100;
const MOST_ASKED_EVERYWHERE = 200;
/** Comes after every text that begins with a key, because SQLite compares bytes of UTF-8. */
const LAST = '\u{10ffff}';

const FOUND = 'cards.*, names.printings FROM cards JOIN names ON names.row = name_row';
const WITH_ID_KEY = `SELECT ${FOUND} WHERE id_key = ? AND ${OFFERED} LIMIT ${MOST_OF_ONE_NAME}`;
const WITH_NAME = `SELECT ${FOUND} WHERE name_row = ? AND ${OFFERED} ORDER BY released DESC LIMIT ?`;
/** `begun`: the name up to the end of the word in which the text ends. */
const NAMES_BEGINNING = `
  WITH beginning AS (
    SELECT row, key, printings, substr(words, 1, length(?2) + instr(substr(words || ' ', length(?2) + 1), ' ') - 1) AS begun
    FROM names WHERE key > ?1 AND key < ?1 || '${LAST}'
  ), placed AS (
    SELECT row, key, printings, length(begun) = length(?2) AS ends, sum(printings) OVER (PARTITION BY begun) AS together,
      row_number() OVER (PARTITION BY begun ORDER BY printings DESC, length(key), key) AS place
    FROM beginning
  )
  SELECT row FROM placed
  ORDER BY ends DESC, place > 1, CASE place WHEN 1 THEN together ELSE printings END DESC, length(key), key
  LIMIT ${MOST_NAMES}`;
const WORDS_BEGUN = `
  SELECT row FROM names WHERE key > ?1 AND key < ?1 || '${LAST}' AND words GLOB ?2
  ORDER BY printings DESC, length(key), key LIMIT ${MOST_NAMES}`;
const WITH_WORDS = `
  SELECT cards.*, names.printings FROM card_words
  CROSS JOIN cards ON cards.row = card_words.rowid CROSS JOIN names ON names.row = name_row
  WHERE card_words MATCH ? AND ${OFFERED}`;
const BEST_WITH_WORDS = `${WITH_WORDS} ORDER BY card_words.rank LIMIT ${MOST_WITH_WORDS}`;
const SOME_WITH_WORDS = `${WITH_WORDS} LIMIT ${MOST_WITH_WORDS + 1}`;
const TOO_MANY_WITH_WORDS = `SELECT 1 FROM card_words WHERE card_words MATCH ? LIMIT 1 OFFSET ${MOST_COMPARED}`;
const COUNT_WITH_WORDS = `SELECT count(*) AS count FROM card_words CROSS JOIN cards ON cards.row = card_words.rowid WHERE card_words MATCH ? AND ${OFFERED}`;
const IMPORTED_FORM =
  'SELECT 1 FROM import_forms JOIN sources ON sources.row = source WHERE withdrawn = 0 AND form = coalesce(?, form) LIMIT 1';
const NUMBER_WITH_DIGITS = `SELECT 1 FROM cards WHERE length(id) = ? AND ${CONFIRMED_NUMBERS} LIMIT 1`;
const TIMES = 'SELECT times FROM asked_in_server AS asked WHERE asked.id = cards.id AND server =';
const ASKED_MOST = `
  WITH most AS (
    SELECT * FROM (SELECT id_key, id FROM asked_in_server WHERE server = ?1 ORDER BY times DESC LIMIT ${MOST_ASKED_HERE})
    UNION SELECT * FROM (
      SELECT id_key, id FROM asked_in_server WHERE server = '${EVERYWHERE}' ORDER BY times DESC LIMIT ${MOST_ASKED_EVERYWHERE}
    )
  )
  SELECT cards.*, printings, coalesce((${TIMES} ?1), 0) AS here, coalesce((${TIMES} '${EVERYWHERE}'), 0) AS everywhere
  FROM most JOIN cards USING (id_key, id) JOIN names ON names.row = name_row
  WHERE ${OFFERED} ORDER BY here DESC, everywhere DESC`;
const LAST_ASKED = `SELECT cards.*, printings FROM asked_by_member JOIN cards USING (id_key, id) JOIN names ON names.row = name_row WHERE member = ? AND at >= ? AND ${OFFERED} ORDER BY at DESC LIMIT ${MOST_LAST_ASKED}`;

/** The indexes of `catalog.sqlite`. */
export class SqliteCardIndex implements CardIndex {
  readonly #sql: Statements;
  readonly #vocabulary = new Vocabulary();
  #lastWordRow = 0;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  withIdKey(key: string): Candidate[] {
    return candidates(this.#sql(WITH_ID_KEY).all(key));
  }

  withNameKey(key: string, most = MOST_OF_ONE_NAME): Candidate[] {
    const name = this.#sql('SELECT row FROM names WHERE key = ?').get(key);
    return name ? this.#withName(Number(name.row), most) : [];
  }

  withNameBeginning(words: string): Candidate[] {
    const names = this.#sql(NAMES_BEGINNING).all(words.replaceAll(' ', ''), words);
    const ofEach = Math.ceil(MOST_BEGINNING_SO / Math.max(1, names.length));
    return names.flatMap(({ row }, place) => this.#withName(Number(row), ofEach).map((each) => ({ ...each, place })));
  }

  withWordsBegun(words: string): Candidate[] {
    const [first = '', ...others] = words.split(' ');
    const names = others.length > 0 ? this.#sql(WORDS_BEGUN).all(first, `${words.replaceAll(' ', '* ')}*`) : [];
    return names.flatMap(({ row }) => this.#withName(Number(row), 2));
  }

  withWords(all: readonly (readonly WordToFind[])[]): Candidate[] {
    const words = matching(all);
    const some = this.#sql(SOME_WITH_WORDS).all(words);
    const areCompared = some.length > MOST_WITH_WORDS && !this.#sql(TOO_MANY_WITH_WORDS).get(words);
    return candidates(areCompared ? this.#sql(BEST_WITH_WORDS).all(words) : some);
  }

  allWithWords(all: readonly (readonly WordToFind[])[]): Candidate[] | undefined {
    const some = this.#sql(SOME_WITH_WORDS).all(matching(all));
    return some.length > MOST_WITH_WORDS ? undefined : candidates(some);
  }

  hasWords(all: readonly (readonly WordToFind[])[]): boolean {
    return this.#sql(`${WITH_WORDS} LIMIT 1`).get(matching(all)) !== undefined;
  }

  askedMost(guildId: string | undefined): (Candidate & { asked: Popularity })[] {
    const rows = this.#sql(ASKED_MOST).all(guildId ?? null) as unknown as (FoundRow & Popularity)[];
    return rows.map((row) => ({ ...candidateOf(row), asked: { here: row.here, everywhere: row.everywhere } }));
  }

  lastAsked(memberId: string): CatalogCard[] {
    const since = Date.now() - MEMBER_HISTORY_MS;
    return candidates(this.#sql(LAST_ASKED).all(memberId, since)).map(({ card }) => card);
  }

  vocabulary(): Vocabulary {
    const newWords = this.#sql('SELECT row, word FROM words WHERE row > ? ORDER BY row');
    for (const { row, word } of newWords.iterate(this.#lastWordRow)) {
      this.#vocabulary.add(String(word));
      this.#lastWordRow = Number(row);
    }
    return this.#vocabulary;
  }

  isConfirmedForm(form: string): boolean {
    return this.#sql('SELECT 1 FROM forms WHERE form = ?').get(form) !== undefined;
  }

  hasImportedForm(form: string | null): boolean {
    return this.#sql(IMPORTED_FORM).get(form) !== undefined;
  }

  countWithWords(all: readonly (readonly WordToFind[])[]): number {
    return Number(this.#sql(COUNT_WITH_WORDS).get(matching(all))?.count);
  }

  hasConfirmedNumber(digits: number): boolean {
    return this.#sql(NUMBER_WITH_DIGITS).get(digits) !== undefined;
  }

  confirmedIds(): number {
    return Number(this.#sql('SELECT sum(ids) AS ids FROM forms').get()?.ids ?? 0);
  }

  /** All cards that are offered, as they were when it began; the file must not be written through this meanwhile. */
  *rows(): Generator<CatalogCard> {
    const all = this.#sql(`SELECT * FROM cards WHERE ${OFFERED} ORDER BY row`);
    for (const row of all.iterate()) yield cardOf(row as unknown as StoredRow);
  }

  stats(): CatalogStats {
    const counts = this.#sql(
      `SELECT count(*) AS cards, count(*) FILTER (WHERE confirmed = 1) AS confirmed,
        count(*) FILTER (WHERE denied > 0) AS denied, count(DISTINCT name_row) AS names,
        (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes FROM cards WHERE ${OFFERED}`,
    ).get() as unknown as Omit<CatalogStats, 'imports'>;
    const imports = this.#sql(
      `SELECT sources.name AS source, withdrawn, count(cards.row) AS unconfirmed FROM sources
        LEFT JOIN cards ON source = sources.row AND cards.confirmed = 0 AND cards.denied < 2
        GROUP BY sources.row ORDER BY withdrawn DESC, unconfirmed DESC`,
    ).all() as unknown as { source: string; withdrawn: number; unconfirmed: number }[];
    return {
      ...counts,
      imports: imports.map(({ withdrawn, ...each }) => ({ ...each, isWithdrawn: withdrawn === 1 })),
    };
  }

  #withName(row: number, most: number): Candidate[] {
    return candidates(this.#sql(WITH_NAME).all(row, most));
  }
}

function matching(all: readonly (readonly WordToFind[])[]): string {
  const oneOf = (words: readonly WordToFind[]) =>
    `(${words.map(({ word, begins, inName }) => `${inName ? 'name : ' : ''}"${word}"${begins ? ' *' : ''}`).join(' OR ')})`;
  return all.map(oneOf).join(' AND ') || '""'; // what has no words is in no card
}

type FoundRow = StoredRow & Pick<Candidate, 'printings'>;

function candidates(rows: readonly unknown[]): Candidate[] {
  return (rows as FoundRow[]).map(candidateOf);
}

function candidateOf(row: FoundRow): Candidate {
  return { card: cardOf(row), isDenied: row.denied > 0, printings: row.printings };
}
