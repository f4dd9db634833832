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
  CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5 (
    name, other, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3'
  );
`;
