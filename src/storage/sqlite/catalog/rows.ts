import type { CatalogCard } from '../../../catalog/catalog-card.ts';
import {
  alsoText,
  formOf,
  idKey,
  looseFormOf,
  nameKey,
  otherText,
  spelledWords,
  tokenText,
} from '../../../catalog/words.ts';
import type { Statements } from '../file.ts';
import type { CatalogImports } from './imports.ts';
import { cardOf, GONE, KEPT, type StoredRow, valuesOf } from './schema.ts';

/** Words that were written before need no statement; this many are remembered. */
const MOST_KNOWN_WORDS = 200_000;
/** Names that were written before, and texts of sets and games: an import has each many times. 5 MB. */
const MOST_REMEMBERED = 20_000;

export type MayReplace = (card: CatalogCard, stored: StoredRow) => boolean;

/** Statements that write cards; a transaction around them is the caller's. */
export class CatalogRows {
  readonly #sql: Statements;
  readonly #imports: CatalogImports;
  readonly #knownWords = new Map<string, true>();
  readonly #knownNames = new Map<string, number | bigint>();
  readonly #knownForms = new Map<string, true>();
  readonly #tokenTexts = new Map<string, string>();
  #putText: string | undefined;

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

  /**
   * @param source of an import; `undefined` when the service answered with the card
   * @param mayReplace whether the card may stand in place of what is stored
   * @returns whether that was news
   */
  put(card: CatalogCard, source: number | undefined, mayReplace: MayReplace = () => true): boolean {
    const found = this.find(card.id);
    if (found && !mayReplace(card, found)) return false;
    if (source !== undefined) this.#addImportedForm(card.id, source);
    const values = valuesOf(card, source, found);
    if (values === undefined) return false;
    this.#putText ??= putting([...Object.keys(values), 'id', 'id_key', 'name_row']);
    const row = this.#sql(this.#putText).get(
      ...Object.values(values),
      card.id,
      idKey(card.id),
      this.#nameRow(values.name),
    ) as unknown as StoredRow;
    if (found) this.#removeWords(row.row);
    this.#addWords(row);
    this.#countFor(row, found);
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

  /** What the card now says of imports and of the forms of ids. */
  #countFor({ row, id, source, confirmed }: StoredRow, before: StoredRow | undefined): void {
    const isOtherSource = before?.source !== source;
    if (confirmed === 0) {
      if (before && before.source !== null && isOtherSource) this.#imports.alsoIn(row, before.source);
      return;
    }
    const isFirst = before?.confirmed !== 1;
    if (isFirst)
      this.#sql('INSERT INTO forms VALUES (?, 1) ON CONFLICT (form) DO UPDATE SET ids = ids + 1').run(formOf(id));
    if (source !== null && (isFirst || isOtherSource)) this.#imports.confirmed(source, row);
  }

  #addWords(stored: StoredRow): void {
    const card = cardOf(stored);
    const tokenTextOf = (text: string) => remembered(this.#tokenTexts, text, MOST_REMEMBERED, tokenText);
    this.#sql('INSERT INTO card_words (rowid, name, other, also) VALUES (?, ?, ?, ?)').run(
      stored.row,
      tokenTextOf(stored.name),
      otherText(card, tokenTextOf),
      alsoText(card),
    );
  }

  #removeWords(row: number): void {
    this.#sql('DELETE FROM card_words WHERE rowid = ?').run(row);
  }

  #addImportedForm(id: string, source: number): void {
    const form = looseFormOf(id);
    remembered(this.#knownForms, `${source} ${form}`, MOST_REMEMBERED, () => {
      this.#sql('INSERT OR IGNORE INTO import_forms VALUES (?, ?)').run(source, form);
      return true;
    });
  }

  #nameRow(name: string): number | bigint {
    return remembered(this.#knownNames, name, MOST_REMEMBERED, () => {
      for (const word of spelledWords(name))
        remembered(this.#knownWords, word, MOST_KNOWN_WORDS, () => {
          this.#sql('INSERT OR IGNORE INTO words (word) VALUES (?)').run(word);
          return true;
        });
      const key = nameKey(name);
      const found = this.#sql('SELECT row FROM names WHERE key = ?').get(key);
      return found
        ? Number(found.row)
        : this.#sql('INSERT INTO names (key, words) VALUES (?, ?)').run(key, tokenText(name)).lastInsertRowid;
    });
  }
}

function putting(names: readonly string[]): string {
  return `INSERT INTO cards (${names}) VALUES (${names.map(() => '?')})
    ON CONFLICT DO UPDATE SET ${names.map((each) => `${each} = excluded.${each}`)} RETURNING *`;
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
