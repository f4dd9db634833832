import { idFault } from '../model/card-id.ts';
import type { ListedCard, Unclear } from '../model/invocation.ts';
import type { Requester } from '../model/quota.ts';
import type { CardIndex } from './card-index.ts';
import { type FoundInList, type ListMeaning, MOST_FOUND, MOST_LISTED, type Resolution } from './catalog.ts';
import type { CatalogCard, FoundCard } from './catalog-card.ts';
import { looksLikeOthers } from './label.ts';
import { readLine } from './list-line.ts';
import { beginningsOf, beginsSo, type FindExact, isListable, partsOf } from './list-parts.ts';
import { ranked } from './ranking.ts';
import { exactlyIn, resolvePart } from './resolution.ts';
import { search } from './search.ts';
import { hasDigit, nameKey, queryOf, tokenText } from './words.ts';

/** What a list of ids and names means. */
export function resolveList(index: CardIndex, list: string, who: Requester): ListMeaning {
  return meaningOfList(list, (text) => resolvePart(index, text, who), exactIn(index));
}

/** A part that is no known card as a whole is split at its blanks if each piece may be an id. */
export function meaningOfList(
  list: string,
  resolveText: ResolveText,
  findExact: FindExact = () => undefined,
): ListMeaning {
  const ids = new Set<string>();
  const unclear = new Map<string, Unclear>();
  const unsearched = new Set<string>();
  const isRead = new Set<string>();
  for (const { text, card } of partsOf(list, findExact)) {
    if (isRead.has(text)) continue;
    isRead.add(text);
    if (ids.size + unclear.size + unsearched.size > MOST_LISTED) break; // it is refused anyway
    const meant = card ? [card.id] : idsMeant(text, resolveText);
    if (meant === 'unsearched') unsearched.add(text);
    else if ('cards' in meant) unclear.set(text, meant);
    else for (const id of meant) ids.add(id);
  }
  return { ids: [...ids], unclear: inOneMenu([...unclear.values()]), unsearched: [...unsearched] };
}

/** Each has as many of its cards as fit into a menu with those of the others. */
export function inOneMenu(unclear: readonly Unclear[]): Unclear[] {
  const ofEach = Math.floor(MOST_FOUND / unclear.length);
  // Without what only searches need.
  const listed = ({ id, name, set, number }: ListedCard) => ({ id, name, set, number });
  return unclear.map((each) => ({ ...each, cards: each.cards.slice(0, ofEach).map(listed) }));
}

/** Cards for the last part of a list, which is being typed; first those with separators in their names. */
export function searchInList(index: CardIndex, list: string, who: Requester): FoundInList[] {
  const [, earlier = '', last = ''] = /^(.*[,;\r\n])?\s*(.*)$/s.exec(list) ?? [];
  const rows = new Map<string, FoundInList>();
  const add = (before: string, cards: readonly FoundCard[]) => {
    const shown = cards.length > 0 ? withIds(index, before) : undefined;
    if (shown === undefined) return;
    for (const card of cards.filter(({ id }) => isListable(id) && !rows.has(id)))
      rows.set(card.id, { before: shown, card, looksLikeOthers: looksLikeOthers(index, card) });
  };
  if (last !== '') for (const { before, text } of beginningsOf(list)) add(before, namesBeginning(index, text));
  add(earlier, search(index, readLine(last)?.text ?? last, who));
  return [...rows.values()].slice(0, MOST_FOUND);
}

/** What stands before the part that is being typed, with the ids of known cards. @returns `undefined` when the list is full */
function withIds(index: CardIndex, list: string): string | undefined {
  const parts = [...partsOf(list, exactIn(index)).take(MOST_LISTED)];
  const texts = parts.map(({ text, card }) => (card && isListable(card.id) ? card.id : text));
  return texts.length < MOST_LISTED ? texts.map((text) => `${text}, `).join('') : undefined;
}

function namesBeginning(index: CardIndex, text: string): CatalogCard[] {
  const key = nameKey(text);
  const candidates = [...index.withNameKey(key), ...index.withNameBeginning(tokenText(text))];
  const beginning = candidates.filter(({ card }) => beginsSo(card.name, text));
  return ranked(
    queryOf(text),
    beginning.map((each) => ({ ...each, closeness: 'nameBeginning' })),
  );
}

function exactIn(index: CardIndex): FindExact {
  return (line) => exactlyIn(index, line);
}

type ResolveText = (text: string) => Resolution;

function idsMeant(text: string, resolveText: ResolveText): readonly string[] | Unclear | 'unsearched' {
  const meant: Resolution = idFault(text) ? { kind: 'none', similar: [] } : resolveText(text);
  if (meant.kind === 'one') return [meant.card.id];
  const ids = meant.kind === 'id' && meant.isKnown ? [text] : idsOfPieces(text.split(/\s+/), resolveText);
  if (ids) return ids;
  if (meant.kind === 'id') return [text];
  if (meant.kind === 'unsearched') return meant.kind;
  return meant.kind === 'several'
    ? { text, cards: meant.cards, total: meant.total }
    : { text, cards: meant.similar, total: 0 };
}

/** While any form may be that of an id, a piece without a digit is rather a word of a name. */
function idsOfPieces(pieces: readonly string[], resolveText: ResolveText): readonly string[] | undefined {
  if (pieces.length === 1 || pieces.length > MOST_LISTED + 1) return undefined;
  const areIds = pieces.every((piece) => {
    const meant = idFault(piece) ? undefined : resolveText(piece);
    return meant?.kind === 'id' && (meant.isKnown || hasDigit(piece));
  });
  return areIds ? pieces : undefined;
}
