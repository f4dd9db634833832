import type { CardPage } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import type { CardIndex } from './card-index.ts';
import { MOST_FOUND, type PrintingsPart } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import { ranked } from './ranking.ts';
import { idKey, nameKey, queryOf } from './words.ts';

/** No game has so many cards of one name. */
const MOST_PRINTINGS = 5_000;
const FIRST_PAGE: PrintingsPart = { page: 0, isOthers: false };

/** A page of the cards of the same name as the one with this id; none when that card is not known. */
export function printings(index: CardIndex, id: string, _who: Requester, part = FIRST_PAGE): CardPage {
  const spelledSo = index.withIdKey(idKey(id)).map(({ card }) => card);
  const shown = spelledSo.find((card) => card.id === id) ?? spelledSo[0];
  return pageOf(shown ? called(index, shown.name) : [], part, shown);
}

/** All cards that are called so, in the order of their printings. */
export function called(index: CardIndex, name: string): CatalogCard[] {
  const key = nameKey(name);
  const all = key === '' ? [] : index.withNameKey(key, MOST_PRINTINGS);
  return ranked(
    queryOf(name),
    all.map((each) => ({ ...each, closeness: 'name' })),
  );
}

/** @param cards all that there are @param shown one of them, if all have its name */
export function pageOf(cards: readonly CatalogCard[], { page, isOthers } = FIRST_PAGE, shown?: CatalogCard): CardPage {
  const wanted = isOthers ? cards.filter(({ id }) => id !== shown?.id) : cards;
  const last = Math.max(0, Math.ceil(wanted.length / MOST_FOUND) - 1);
  const at = Math.min(page, last);
  const onPage = wanted.slice(at * MOST_FOUND, (at + 1) * MOST_FOUND);
  return { cards: onPage, page: at, total: wanted.length, ...(shown && { name: shown.name }) };
}
