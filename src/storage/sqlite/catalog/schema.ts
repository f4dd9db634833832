import type { CatalogCard } from '../../../catalog/catalog-card.ts';

/**
 * Cards that are given: not denied, and of an import that is not withdrawn, unless the service has answered with them.
 */
export const OFFERED = `cards.denied < 2 AND (
  cards.confirmed = 1 OR cards.source IS NULL OR cards.source NOT IN (SELECT row FROM sources WHERE withdrawn = 1)
  OR EXISTS (SELECT 1 FROM also_in JOIN sources ON sources.row = also_in.source WHERE card = cards.row AND withdrawn = 0)
)`;

/** Cards that the service has answered with and whose ids are digits alone. */
export const CONFIRMED_NUMBERS = "confirmed = 1 AND id NOT GLOB '*[^0-9]*'";

/**
 * `denied`: 0, or 1 for a card of which a copy is kept, or 2 for one that is no longer given. Texts are split into
 * tokens before they come here, so the simplest tokenizer is right; it takes whatever is not ASCII for a letter.
 */
export const CATALOG_SCHEMA = `
  CREATE TABLE IF NOT EXISTS cards (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, set_name TEXT, number TEXT, game TEXT,
    id_key TEXT NOT NULL, name_row INTEGER NOT NULL, source INTEGER, confirmed INTEGER NOT NULL, denied INTEGER NOT NULL,
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
  CREATE TABLE IF NOT EXISTS positions (name TEXT PRIMARY KEY, position TEXT NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5 (
    name, other, also, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3'
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
  also: string | null;
  released: string | null;
}

/** Values of `denied`: whether a copy of the card is kept all the same. */
export const KEPT = 1;
export const GONE = 2;

export function cardOf({ id, name, set_name, number, game, also, released }: StoredRow): CatalogCard {
  const printed = { id, name, set: set_name ?? undefined, number: number ?? undefined, game: game ?? undefined };
  return { ...printed, ...(also !== null && { also: also.split('\n') }), ...(released !== null && { released }) };
}

/** What a card changes. */
type StoredValues = Omit<StoredRow, 'row' | 'id' | 'name_row'>;

/**
 * What is stored of a card from now on; `undefined` when that is stored already. The service knows best what is
 * printed, and only imports know the rest. What the service has denied, a file does not bring back.
 *
 * @param source of an import; `undefined` when the service answered with the card
 */
export function valuesOf(
  card: CatalogCard,
  source: number | undefined,
  found: StoredRow | undefined,
): StoredValues | undefined {
  const isConfirmed = source === undefined;
  const isOnlySaid = !isConfirmed && found?.confirmed === 1;
  if (!isConfirmed && (found?.denied === GONE || (isOnlySaid && found.denied !== 0))) return undefined;
  const { name, set = null, number = null, game = null } = isOnlySaid ? cardOf(found) : card;
  const values = {
    ...{ name, set_name: set, number, game },
    also: card.also?.join('\n') ?? found?.also ?? null,
    released: card.released ?? found?.released ?? null,
    source: source ?? found?.source ?? null,
    confirmed: Number(isConfirmed || isOnlySaid),
    denied: isConfirmed ? 0 : (found?.denied ?? 0),
  };
  const isStored =
    found && Object.entries(values).every(([name, value]) => found[name as keyof StoredValues] === value);
  return isStored ? undefined : values;
}
