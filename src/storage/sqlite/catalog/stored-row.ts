import type { CatalogCard, CatalogRow } from '../../../catalog/catalog-card.ts';

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

/** A card without absent fields, as it is given. */
export function cardOf({ id, name, set_name, number, game }: StoredRow): CatalogCard {
  return {
    id,
    name,
    ...(set_name !== null && { set: set_name }),
    ...(number !== null && { number }),
    ...(game !== null && { game }),
  };
}

export function rowOf(stored: StoredRow, source: string | undefined): CatalogRow {
  const { confirmed, denied } = stored;
  return {
    ...cardOf(stored),
    isConfirmed: confirmed === 1,
    isDenied: denied > 0,
    ...(source !== undefined && { source }),
  };
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
  return (
    stored.name === name &&
    stored.set_name === (set ?? null) &&
    stored.number === (number ?? null) &&
    stored.game === (game ?? null)
  );
}
