import type { CardIndex } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import { tokensOf } from './words.ts';

/** Between name, set and number where a card is suggested. Discord hands a suggestion back as text when it is edited. */
const SEPARATOR = '·';
/** Discord takes no longer one. */
const LONGEST = 100;
/** Lists show blanks for what separates two cards; and what is invisible is not shown. */
const NOT_COMPARED = /[\s,;\p{C}]+/gu;

export function mayBeLabel(text: string): boolean {
  return text.includes(` ${SEPARATOR} `) && text.length <= LONGEST;
}

/** The cards that are suggested with this label, which may end with the id to tell them apart. */
export function withLabel(index: CardIndex, text: string): CatalogCard[] {
  const words = mayBeLabel(text) ? new Set(tokensOf(text)) : new Set<string>();
  if (words.size === 0) return [];
  const found = index.withWords([...words].map((word) => [{ word, begins: false }]));
  return found.map(({ card }) => card).filter((card) => isLabelOf(card, text));
}

function isLabelOf({ id, name, set = '', number = '' }: CatalogCard, text: string): boolean {
  const shown = [compared(name) || compared(id), compared(set), compared(number)];
  const label = shown.filter((part) => part !== '').join(SEPARATOR);
  return [label, label + SEPARATOR + compared(id)].includes(compared(text));
}

function compared(text: string): string {
  return text.replace(NOT_COMPARED, '');
}
