import type { CardIndex } from './card-index.ts';
import { MOST_FOUND } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import { ranked } from './ranking.ts';
import { idKey, nameKey, queryOf } from './words.ts';

/** Other cards of the same name as the one with this id; none when that card is not known. */
export function printings(index: CardIndex, id: string): CatalogCard[] {
  const spelledSo = index.withIdKey(idKey(id)).map(({ card }) => card);
  const shown = spelledSo.find((card) => card.id === id) ?? spelledSo[0];
  const key = nameKey(shown?.name ?? '');
  if (!shown || key === '') return [];
  const sameName = index.withNameKey(key).filter(({ card }) => card.id !== shown.id);
  const candidates = sameName.map((candidate) => ({ ...candidate, closeness: 'name' }) as const);
  return ranked(queryOf(shown.name), candidates, new Map())
    .slice(0, MOST_FOUND)
    .map(({ card }) => card);
}
