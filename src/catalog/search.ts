import type { Requester } from '../model/quota.ts';
import type { Asked, Candidate, CardIndex, WordToFind } from './card-index.ts';
import { MOST_FOUND } from './catalog.ts';
import type { CatalogCard } from './catalog-card.ts';
import { type Closeness, closeness, type Ranked, ranked } from './ranking.ts';
import { type Query, queryOf } from './words.ts';

const WHOLE: ReadonlySet<Closeness> = new Set(['id', 'sameId', 'name', 'wholeWords']);

/** What an empty field, or what was typed, offers: best first. */
export function search(index: CardIndex, text: string, who: Requester): CatalogCard[] {
  const query = queryOf(text);
  const cards = query.text === '' ? suggested(index, who) : find(index, query, who).map(({ card }) => card);
  return cards.slice(0, MOST_FOUND);
}

function suggested(index: CardIndex, { memberId, guildId }: Requester): CatalogCard[] {
  const here = guildId === undefined ? [] : index.askedMost(guildId).filter(({ asked }) => asked.here > 0);
  const mostFirst = here.sort((a, b) => b.asked.here - a.asked.here);
  const cards = [...index.lastAsked(memberId), ...mostFirst.map(({ candidate }) => candidate.card)];
  return [...new Map(cards.map((card) => [card.id, card])).values()];
}

/** Everything that fits, best first; asks for what fits less well only while there are too few cards that fit better. */
export function find(index: CardIndex, query: Query, { guildId }: Requester): Ranked[] {
  const fitting = new Map<string, Ranked>();
  const asked = new Map<string, Asked>();
  const add = (candidates: readonly Candidate[]) => {
    for (const candidate of candidates) {
      const { card } = candidate;
      const fit = fitting.has(card.id) ? undefined : closeness(query, card);
      if (fit !== undefined) fitting.set(card.id, { ...candidate, closeness: fit });
    }
  };
  for (const most of index.askedMost(guildId)) {
    asked.set(most.candidate.card.id, most.asked);
    add([most.candidate]);
  }
  for (const next of closestFirst(index, query, () => isTypedRight(fitting))) {
    add(next());
    if (offered(fitting) >= MOST_FOUND) break;
  }
  return ranked(query, fitting.values(), asked);
}

/**
 * The questions to the index, those for closer cards first.
 *
 * @param isTypedRight whether there is no need to look for typing errors, which takes longer than all else
 */
function* closestFirst(
  index: CardIndex,
  { idKey, nameKey, words }: Query,
  isTypedRight: () => boolean,
): Generator<() => readonly Candidate[]> {
  yield () => index.withIdKey(idKey);
  if (words.length === 0) return;
  yield () => index.withNameKey(nameKey);
  yield () => index.withNameBeginning(nameKey);
  const whole = words.map((word): WordToFind => ({ word, begins: false }));
  const beginnings = words.map((word, at): WordToFind => ({ word, begins: mayGoOn(word, at === words.length - 1) }));
  for (const all of [whole, beginnings]) {
    yield () => index.withWords(all.map((word) => [{ ...word, inName: true }]));
    yield () => index.withWords(all.map((word) => [word]));
  }
  if (isTypedRight()) return;
  for (const [at, typed] of words.entries()) {
    if (!/^\p{L}{2,}$/u.test(typed)) continue;
    yield () => {
      const meant = index.vocabulary().meantBy(typed);
      const oneOf = meant.map((word): WordToFind => ({ word, begins: false, inName: true }));
      const wanted = beginnings.map((word) => [word]).with(at, oneOf);
      return meant.length > 0 ? index.withWords(wanted) : [];
    };
  }
}

/** A number is typed in full before the next word is begun. */
function mayGoOn(word: string, isLast: boolean): boolean {
  return isLast || !/^\d+$/.test(word);
}

/** A card has all words as they were typed. */
function isTypedRight(fitting: ReadonlyMap<string, Ranked>): boolean {
  return fitting.values().some(({ closeness, isDenied }) => !isDenied && WHOLE.has(closeness));
}

/** A denied card comes last, so it does not stand for one that could be found. */
function offered(fitting: ReadonlyMap<string, Ranked>): number {
  return fitting.values().reduce((count, { isDenied }) => count + Number(!isDenied), 0);
}
