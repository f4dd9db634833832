import type { CatalogCard } from '../../../catalog/catalog-card.ts';

/** Cards that are given: not denied, and of an import that is not withdrawn, unless the service has answered with them. */
export const OFFERED = `cards.denied < 2 AND (
  cards.confirmed = 1 OR cards.source IS NULL OR cards.source NOT IN (SELECT row FROM sources WHERE withdrawn = 1)
  OR EXISTS (SELECT 1 FROM also_in JOIN sources ON sources.row = also_in.source WHERE card = cards.row AND withdrawn = 0)
)`;

/** Cards that the service has answered with and whose ids are digits alone. */
export const CONFIRMED_NUMBERS = "confirmed = 1 AND id NOT GLOB '*[^0-9]*'";

/**
 * `denied`: 0, or 1 for a card of which a copy is kept, or 2 for one that is no longer given. Texts are split into tokens
 * before they come here, so the simplest tokenizer is right; it takes whatever is not ASCII for a letter.
 */
export const CATALOG_SCHEMA = `
  CREATE TABLE IF NOT EXISTS cards (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, set_name TEXT, number TEXT, game TEXT,
    id_key TEXT NOT NULL, name_row INTEGER NOT NULL, source INTEGER, confirmed INTEGER NOT NULL, denied INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS cards_by_id ON cards (id_key, id);
  CREATE INDEX IF NOT EXISTS cards_by_name ON cards (name_row);
  CREATE INDEX IF NOT EXISTS cards_by_digits ON cards (length(id)) WHERE ${CONFIRMED_NUMBERS};
  CREATE TABLE IF NOT EXISTS names (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS words (row INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS forms (form TEXT PRIMARY KEY, ids INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS positions (name TEXT PRIMARY KEY, position TEXT NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5 (
    name, other, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3'
  );
`;

/** A row of `cards`. */
export interface StoredRow {
  row: number;
  id: string;
  name: string;
  set_name: string | null;
  number: string | null;
  game: string | null;
  name_row: number;
  source: number | null;
  confirmed: number;
  denied: number;
}

/** Values of `denied`: whether a copy of the card is kept all the same. */
export const KEPT = 1;
export const GONE = 2;

export function cardOf({ id, name, set_name, number, game }: StoredRow): CatalogCard {
  return { id, name, set: set_name ?? undefined, number: number ?? undefined, game: game ?? undefined };
}

/**
 * Whether a card changes its row, which the service has not confirmed if the card is from a file. What the service has denied,
 * a file does not bring back.
 */
export function isNews(card: CatalogCard, source: number | undefined, found: StoredRow): boolean {
  if (source === undefined) return found.confirmed === 0 || found.denied > 0 || !isSameCard(found, card);
  return found.denied !== GONE && (found.source !== source || !isSameCard(found, card));
}

function isSameCard(stored: StoredRow, { name, set, number, game }: CatalogCard): boolean {
  const isSame = (kept: string | null, given: string | undefined) => kept === (given ?? null);
  const { set_name } = stored;
  return stored.name === name && isSame(set_name, set) && isSame(stored.number, number) && isSame(stored.game, game);
}
