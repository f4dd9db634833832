import type { Requester } from '../model/quota.ts';
import type { CardIndex } from './card-index.ts';
import { MOST_FOUND, type Resolution } from './catalog.ts';
import { formOf } from './form.ts';
import { type Candidate, type Ranked, ranked } from './ranking.ts';
import { find } from './search.ts';
import { type Query, queryOf } from './words.ts';

const MOST_SIMILAR = 3;
/** A shorter word says little of a name. */
const SHORTEST_TELLING_WORD = 3;

/** What a text that may not be an id means. */
export function resolve(index: CardIndex, text: string, who: Requester): Resolution {
  const id = text.trim();
  const query = queryOf(id);
  if (index.has(id)) return { kind: 'id', isKnown: true };
  const sameId = index.withIdKey(query.idKey);
  if (sameId.length > 0) return oneOrSeveral(sameId);
  const sameName = query.nameKey === '' ? [] : index.withNameKey(query.nameKey);
  if (sameName.length === 1) return oneOrSeveral(sameName);
  if (sameName.length > 1) return several(find(index, query, who).filter(({ closeness }) => closeness === 'name'));
  const mayBeId = index.isKnownForm(formOf(id));
  if (mayBeId && !looksLikeName(index, id)) return { kind: 'id' };
  const found = find(index, query, who);
  if (mayBeId && found.length === 0) return { kind: 'id' };
  const withAllWords = found.filter(({ closeness }) => !closeness.startsWith('mistyped'));
  if (withAllWords.length > 0) return several(withAllWords);
  const similar = found.length > 0 ? found : withSomeWords(index, query);
  return { kind: 'none', similar: similar.slice(0, MOST_SIMILAR).map(({ card }) => card) };
}

/** While few ids are confirmed, any text may be an id; what has no digit is more often a name that somebody typed. */
function looksLikeName(index: CardIndex, text: string): boolean {
  return !/\p{N}/u.test(text) && !index.isConfirmedForm(formOf(text));
}

function oneOrSeveral(candidates: readonly Candidate[]): Resolution {
  const [first, ...others] = candidates;
  return first && others.length === 0 ? { kind: 'one', card: first.card } : several(candidates);
}

function several(candidates: readonly Candidate[]): Resolution {
  return { kind: 'several', cards: candidates.slice(0, MOST_FOUND).map(({ card }) => card) };
}

/** When nothing fits: cards that have any of the words, or a word that is mistyped. */
function withSomeWords(index: CardIndex, query: Query): Candidate[] {
  const telling = query.words.filter((word) => word.length >= SHORTEST_TELLING_WORD);
  const meant = telling.flatMap((word) => [word, ...index.vocabulary().meantBy(word)]);
  if (meant.length === 0) return [];
  const candidates = index.withWords([meant.map((word) => ({ word, begins: false }))]);
  const some = candidates.map((candidate): Ranked => ({ ...candidate, closeness: 'mistyped' }));
  return ranked(query, some, new Map());
}
