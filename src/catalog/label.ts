import type { Candidate, CardIndex } from './card-index.ts';
import type { CatalogCard } from './catalog-card.ts';
import { idKey, nameKey, tokensOf } from './words.ts';

/** Stands between name, set and number where a card is suggested. Discord hands an edited suggestion back as text. */
const SEPARATOR = '·';
/** Discord accepts no longer label. */
const LONGEST = 100;
/** Suggestions in a list show blanks in place of separators, and nothing in place of invisible characters. */
const NOT_COMPARED = /[\s,;\p{C}]+/gu;

export function mayBeLabel(text: string): boolean {
  return text.includes(` ${SEPARATOR} `) && text.length <= LONGEST;
}

/** The cards that are suggested with this label, which may end with the id to tell them apart. */
export function withLabel(index: CardIndex, text: string): CatalogCard[] {
  if (!mayBeLabel(text)) return [];
  const among = (candidates: readonly Candidate[]) =>
    candidates.map(({ card }) => card).filter((card) => isLabelOf(card, text));
  const ofName = among(index.withNameKey(nameKey(text.slice(0, text.indexOf(SEPARATOR)))));
  // A name may have the separator in it, or more printings than are given.
  if (ofName.length > 0) return ofName;
  return among(index.withWords([...new Set(tokensOf(text))].map((word) => [{ word, begins: false }])));
}

/** Whether the label without the id also fits another card. A name alone fits all cards that are called so. */
export function looksLikeOthers(index: CardIndex, card: CatalogCard): boolean {
  const { id, name } = card;
  const label = labelOf(card);
  const isName = !label.includes(SEPARATOR);
  const called = [...index.withNameKey(nameKey(name)), ...(isName ? index.withIdKey(idKey(name)) : [])];
  return called.some((other) => other.card.id !== id && (isName || labelOf(other.card) === label));
}

/** The number may stand before the set, another name behind the name, and the id at the end. */
function isLabelOf(card: CatalogCard, text: string): boolean {
  const names = [card.name, ...(card.also ?? []).map((also) => `${card.name} (${also})`)];
  const typed = compared(text);
  return names.some((name) =>
    [card, { ...card, set: card.number, number: card.set }].some((printed) => {
      const label = labelOf({ ...printed, name });
      return typed === label || typed === label + SEPARATOR + compared(card.id);
    }),
  );
}

/** What is compared of a card that is suggested: its label without its id. */
function labelOf({ id, name, set = '', number = '' }: CatalogCard): string {
  const shown = [compared(name) || compared(id), compared(set), compared(number)];
  return shown.filter((part) => part !== '').join(SEPARATOR);
}

function compared(text: string): string {
  return text.replace(NOT_COMPARED, '');
}
