import type { Requester } from '../model/quota.ts';
import type { Candidate, CardIndex } from './card-index.ts';
import { MOST_FOUND, type Resolution } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import { mayBeLabel, withLabel } from './label.ts';
import { rankedAs } from './ranking.ts';
import { find } from './search.ts';
import { formOf, hasDigit, idKey, nameKey, type Query, queryOf } from './words.ts';

const MOST_SIMILAR = 3;
/** A shorter word says little of a name. */
const SHORTEST_TELLING_WORD = 3;
/** With fewer confirmed ids, forms say nothing: every text may be an id. */
const IDS_THAT_SHOW_FORMS = 100;

/** The known cards of which a text is the id, also in another spelling, the label or the name. */
export interface Exact {
  by: 'id' | 'label' | 'name';
  /** At least one. */
  cards: readonly CatalogCard[];
}

/** `undefined` when a text is nothing of a known card. */
export function exactly(index: CardIndex, text: string): Exact | undefined {
  const sameId = cardsOf(index.withIdKey(idKey(text)));
  const itself = sameId.filter(({ id }) => id === text);
  const ofId = itself.length > 0 ? itself : sameId;
  if (ofId.length > 0) return { by: 'id', cards: ofId };
  const labelled = withLabel(index, text);
  if (labelled.length > 0) return { by: 'label', cards: labelled };
  const key = nameKey(text);
  const sameName = key === '' ? [] : cardsOf(index.withNameKey(key));
  return sameName.length > 0 ? { by: 'name', cards: sameName } : undefined;
}

/** What a text that may not be an id means. */
export function resolve(index: CardIndex, text: string, who: Requester): Resolution {
  const id = text.trim();
  const query = queryOf(id);
  const exact = exactly(index, id);
  if (exact) return meaningOf(exact, index, query, who);
  const isForm = index.isConfirmedForm(formOf(id));
  const mayBeId = isForm || (index.confirmedIds() < IDS_THAT_SHOW_FORMS && !mayBeLabel(id));
  // While few ids are confirmed, what has no digit is more often a name that somebody typed.
  if (isForm || (mayBeId && hasDigit(id))) return { kind: 'id' };
  const found = find(index, query, who);
  if (mayBeId && found.length === 0) return { kind: 'id' };
  const withAllWords = found.filter(({ closeness }) => !closeness.startsWith('mistyped'));
  if (withAllWords.length > 0) return several(cardsOf(withAllWords));
  const similar = found.length > 0 ? cardsOf(found) : withSomeWords(index, query);
  return { kind: 'none', similar: similar.slice(0, MOST_SIMILAR) };
}

/** What a text means while the catalog cannot be searched. */
export function unsearched(text: string): Resolution {
  return hasDigit(text) && !mayBeLabel(text) ? { kind: 'id' } : { kind: 'unsearched' };
}

function meaningOf({ by, cards }: Exact, index: CardIndex, query: Query, who: Requester): Resolution {
  const [only, ...others] = cards;
  if (only && others.length === 0) {
    return only.id === query.text ? { kind: 'id', isKnown: true } : { kind: 'one', card: only };
  }
  const named = by === 'name' ? find(index, query, who).filter(({ closeness }) => closeness === 'name') : [];
  return several(named.length > 0 ? cardsOf(named) : cards);
}

function several(cards: readonly CatalogCard[]): Resolution {
  return { kind: 'several', cards: cards.slice(0, MOST_FOUND) };
}

function cardsOf(candidates: readonly Candidate[]): CatalogCard[] {
  return candidates.map(({ card }) => card);
}

/** When nothing fits: cards that have any of the words, or a word that is mistyped. */
function withSomeWords(index: CardIndex, query: Query): CatalogCard[] {
  const telling = query.words.filter((word) => word.length >= SHORTEST_TELLING_WORD);
  const meant = telling.flatMap((word) => [word, ...index.vocabulary().meantBy(word)]);
  if (meant.length === 0) return [];
  return rankedAs('mistyped', query, index.withWords([meant.map((word) => ({ word, begins: false }))]));
}
