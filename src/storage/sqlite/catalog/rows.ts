import type { CatalogCard } from '../../../catalog/catalog-card.ts';
import {
  alsoText,
  formOf,
  idKey,
  looseFormOf,
  nameKey,
  nameText,
  otherText,
  spelledWords,
  tokenText,
} from '../../../catalog/words.ts';
import type { Statements } from '../database.ts';
import type { CatalogImports } from './imports.ts';
import { cardOf, GONE, hasImported, importedOf, isNews, KEPT, type StoredRow } from './schema.ts';

/** Words that were written before need no statement; this many are remembered. */
const MOST_KNOWN_WORDS = 200_000;
/** Names that were written before, and texts of sets and games: an import has each many times. 5 MB. */
const MOST_REMEMBERED = 20_000;

const REINDEXED_AT_ONCE = 1_000;

/** Statements that write cards; a transaction around them is the caller's. */
export class CatalogRows {
  readonly #sql: Statements;
  readonly #imports: CatalogImports;
  readonly #knownWords = new Map<string, true>();
  readonly #knownNames = new Map<string, KnownName>();
  readonly #knownForms = new Map<string, true>();
  readonly #tokenTexts = new Map<string, string>();

  constructor(sql: Statements, imports: CatalogImports) {
    this.#sql = sql;
    this.#imports = imports;
  }

  /** To be called when a transaction is rolled back. */
  takenBack(): void {
    this.#knownWords.clear();
    this.#knownNames.clear();
    this.#knownForms.clear();
  }

  find(id: string): StoredRow | undefined {
    return this.#sql('SELECT * FROM cards WHERE id_key = ? AND id = ?').get(idKey(id), id) as StoredRow | undefined;
  }

  /** @param source of an import; `undefined` when the service answered with the card @returns whether that was news */
  put(card: CatalogCard, source: number | undefined): boolean {
    if (source !== undefined) this.#addImportedForm(card.id, source);
    const found = this.find(card.id);
    if (!found) this.#add(card, source);
    else if (source !== undefined && found.confirmed === 1)
      return found.denied === 0 && this.#nameConfirmed(card, source, found);
    else if (isNews(card, source, found)) this.#change(card, source, found);
    else return false;
    return true;
  }

  /**
   * The service denied this card. The row stays, so that an import of the same file does not bring it back.
   *
   * @param isKept a copy of the card is kept: it is still given
   */
  deny({ row, source, confirmed, denied }: StoredRow, isKept: boolean): void {
    this.#sql('UPDATE cards SET denied = ? WHERE row = ?').run(isKept ? KEPT : GONE, row);
    if (!isKept) this.#removeWords(row);
    if (source !== null && confirmed === 0 && denied === 0) this.#imports.denied(source);
  }

  /** A file names a card that the service has answered with, and knows better: the file's ids are the service's. */
  #nameConfirmed(card: CatalogCard, source: number, found: StoredRow): boolean {
    const isSaidBefore = hasImported(found, card);
    if (!isSaidBefore) {
      const [also, released] = importedOf(card, found);
      this.#sql('UPDATE cards SET also = ?, released = ? WHERE row = ?').run(also, released, found.row);
      this.#index({ ...found, also, released });
    }
    if (found.source === source) return !isSaidBefore;
    this.#sql('UPDATE cards SET source = ? WHERE row = ?').run(source, found.row);
    this.#imports.confirmed(source, found.row);
    return true;
  }

  #add(card: CatalogCard, source: number | undefined): void {
    const { id, name, set = null, number = null, game = null } = card;
    const isConfirmed = source === undefined;
    const known = this.#known(name);
    const key = idKey(id);
    const { lastInsertRowid } = this.#sql(
      'INSERT INTO cards (id, name, set_name, number, game, id_key, name_row, source, confirmed, denied, also, released) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)',
    ).run(id, name, set, number, game, key, known.row, source ?? null, Number(isConfirmed), ...importedOf(card));
    this.#addWords(card, known, lastInsertRowid);
    if (isConfirmed) this.#addForm(id);
  }

  #change(card: CatalogCard, source: number | undefined, found: StoredRow): void {
    const { id, name, set = null, number = null, game = null } = card;
    const by = source ?? found.source;
    const isConfirmed = source === undefined;
    const denied = isConfirmed ? 0 : found.denied;
    const imported = importedOf(card, found);
    const known = this.#known(name);
    this.#sql(
      'UPDATE cards SET name = ?, set_name = ?, number = ?, game = ?, name_row = ?, source = ?, confirmed = ?, denied = ?, also = ?, released = ? WHERE row = ?',
    ).run(name, set, number, game, known.row, by, Number(isConfirmed), denied, ...imported, found.row);
    this.#removeWords(found.row);
    this.#addWords({ ...card, also: imported[0]?.split('\n') }, known, found.row);
    if (found.source !== null && found.source !== by) this.#imports.alsoIn(found.row, found.source);
    if (!isConfirmed || found.confirmed === 1) return;
    this.#addForm(id);
    if (found.source !== null) this.#imports.confirmed(found.source, found.row);
  }

  /** Makes everything that cards are found by anew, of all that is stored. */
  reindex(): void {
    const next = this.#sql(`SELECT * FROM cards WHERE row > ? ORDER BY row LIMIT ${REINDEXED_AT_ONCE}`);
    for (let rows = next.all(0); rows.length > 0; rows = next.all(rows.at(-1)?.row ?? null)) {
      for (const row of rows as unknown as StoredRow[]) {
        this.#sql('UPDATE cards SET name_row = ? WHERE row = ?').run(this.#known(row.name).row, row.row);
        if (row.denied !== GONE) this.#index(row);
        if (row.source !== null) this.#addImportedForm(row.id, row.source);
      }
    }
    this.#sql('UPDATE names SET printings = (SELECT count(*) FROM cards WHERE name_row = names.row)').run();
  }

  #index(stored: StoredRow): void {
    this.#removeWords(stored.row);
    this.#addWords(cardOf(stored), this.#known(stored.name), stored.row);
  }

  #addWords(card: CatalogCard, { text }: KnownName, row: number | bigint): void {
    const other = otherText(card, (of) => remembered(this.#tokenTexts, of, MOST_REMEMBERED, tokenText));
    this.#sql('INSERT INTO card_words (rowid, name, other, also) VALUES (?, ?, ?, ?)').run(
      row,
      text,
      other,
      alsoText(card),
    );
  }

  #removeWords(row: number): void {
    this.#sql('DELETE FROM card_words WHERE rowid = ?').run(row);
  }

  #addForm(id: string): void {
    this.#sql('INSERT INTO forms VALUES (?, 1) ON CONFLICT (form) DO UPDATE SET ids = ids + 1').run(formOf(id));
  }

  #addImportedForm(id: string, source: number): void {
    const form = looseFormOf(id);
    remembered(this.#knownForms, `${source} ${form}`, MOST_REMEMBERED, () => {
      this.#sql('INSERT OR IGNORE INTO import_forms VALUES (?, ?)').run(source, form);
      return true;
    });
  }

  #known(name: string): KnownName {
    return remembered(this.#knownNames, name, MOST_REMEMBERED, () => {
      for (const word of spelledWords(name))
        remembered(this.#knownWords, word, MOST_KNOWN_WORDS, () => {
          this.#sql('INSERT OR IGNORE INTO words (word) VALUES (?)').run(word);
          return true;
        });
      const key = nameKey(name);
      const found = this.#sql('SELECT row FROM names WHERE key = ?').get(key);
      const row = found
        ? Number(found.row)
        : this.#sql('INSERT INTO names (key, words) VALUES (?, ?)').run(key, tokenText(name)).lastInsertRowid;
      return { row, text: nameText(name) };
    });
  }
}

/** A name whose words are written. */
interface KnownName {
  row: number | bigint;
  /** What it is found by. */
  text: string;
}

/** What was made of a key before, or is made now. The memory is emptied when it is full. */
function remembered<T>(memory: Map<string, T>, key: string, most: number, make: (key: string) => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  if (memory.size >= most) memory.clear();
  memory.set(key, made);
  return made;
}
