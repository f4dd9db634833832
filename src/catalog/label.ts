import type { CardIndex } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import { nameKey, tokensOf } from './words.ts';

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

/** Whether a label without the id also stands for another card; a name alone does for each card of that name. */
export function looksLikeOthers(index: CardIndex, card: CatalogCard): boolean {
  const label = labelOf(card);
  const sameName = index.withNameKey(nameKey(card.name));
  return sameName.some((other) => other.card.id !== card.id && (isName(label) || labelOf(other.card) === label));
}

function isLabelOf(card: CatalogCard, text: string): boolean {
  const label = labelOf(card);
  return [label, label + SEPARATOR + compared(card.id)].includes(compared(text));
}

/** As it is compared. */
function labelOf({ id, name, set = '', number = '' }: CatalogCard): string {
  const shown = [compared(name) || compared(id), compared(set), compared(number)];
  return shown.filter((part) => part !== '').join(SEPARATOR);
}

function isName(label: string): boolean {
  return !label.includes(SEPARATOR);
}

function compared(text: string): string {
  return text.replace(NOT_COMPARED, '');
}
