import type { CatalogCard } from './catalog-card.ts';
import type { ListLine } from './list-line.ts';
import { isSameId, nameKey, tokenText } from './words.ts';

/** Shorter ones are too often in a name. */
const SHORTEST_CODE = 3;
const CODE = /(?<![\p{L}\d])[A-Z][A-Z\d]{1,5}(?![\p{L}\d])/gu;

/** Those of the cards of one name that a line of a list says, by set and number. @param cards all of that name */
export function printed(
  cards: readonly CatalogCard[],
  { set = '', number = '' }: Pick<ListLine, 'set' | 'number'>,
): readonly CatalogCard[] {
  const itself = cards.filter(({ id }) => isSameId([set, number].filter(Boolean).join('-'), id));
  const inSet = cards.filter((card) => setKeys(card).includes(nameKey(set)));
  const numbered = inSet.filter((card) => isNumbered(card, number));
  const unnumbered = inSet.filter((card) => !card.number);
  const abbreviated = cards.filter((card) => number !== '' && isNumbered(card, number) && abbreviates(set, card));
  const isAbbreviated = abbreviated.length === 1 && inSet.length === 0;
  const isAlone = cards.length === 1 && !cards[0]?.set; // a list without sets tells no printings apart
  const all = [itself, numbered, unnumbered, isAbbreviated ? abbreviated : [], isAlone ? cards : []];
  return all.find((each) => each.length > 0) ?? [];
}

/** The number may be printed behind a set's code, as in `OP01-025`, and before the set's size. */
function isNumbered({ number: printed = '' }: CatalogCard, number: string): boolean {
  const [has, typed] = [printed, number].map((text) => tokenText(text.replace(/\/.*/s, '')));
  return typed === '' || ` ${has}`.endsWith(` ${typed}`);
}

/** How a card's set may be written: its name, a code in that or before the number in the id, and what else the card is found by. */
function setKeys({ id, set = '', also = [] }: CatalogCard): string[] {
  return [set, ...(set.match(CODE) ?? []), id.replace(/[-_ ][^-_ ]*$/, ''), ...also].map(nameKey);
}

/** Whether a set's name has the letters of a code in their order, as `Obsidian Flames` those of OBF, where no codes are known. */
function abbreviates(code: string, { set = '', also }: CatalogCard): boolean {
  const letters = [...nameKey(code)].join('.*');
  return also === undefined && code.length >= SHORTEST_CODE && new RegExp(`(?:^| )${letters}`).test(tokenText(set));
}
