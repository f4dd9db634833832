import type { Requester } from '../model/quota.ts';
import type { Asked, Candidate, CardIndex } from './card-index.ts';
import { MOST_FOUND } from './catalog.ts';
import type { CatalogCard, FoundCard } from './catalog-card.ts';
import { fewerWords, nameIn } from './fewer-words.ts';
import { type Closeness, closeness, foundAs, type Ranked, ranked, wordsInName } from './ranking.ts';
import { alsoKey, hasDigit, nameKey, numberKey, type Query, queryOf, queryOfWords, tokensOf } from './words.ts';
import { SHORTEST_WITH_TWO_ERRORS, SPELLED, WordsToFind } from './words-to-find.ts';

const WHOLE: ReadonlySet<Closeness> = new Set([
  ...(['id', 'sameId', 'name', 'number', 'otherName', 'firstWords', 'wholeWords'] as const),
]);
/** What an empty field, or what was typed, offers: best first. */
export function search(index: CardIndex, text: string, who: Requester): FoundCard[] {
  const query = queryOf(text);
  const cards = query.text === '' ? suggested(index, who) : find(index, query, who).map(({ card }) => card);
  return cards.slice(0, MOST_FOUND).map((card) => foundAs(query, card));
}

function suggested(index: CardIndex, { memberId, guildId }: Requester): CatalogCard[] {
  const here = guildId === undefined ? [] : index.askedMost(guildId).filter(({ asked }) => asked.here > 0);
  const mostFirst = here.sort((a, b) => b.asked.here - a.asked.here);
  const cards = [...index.lastAsked(memberId), ...mostFirst.map(({ candidate }) => candidate.card)];
  return [...new Map(cards.map((card) => [card.id, card])).values()];
}

/**
 * Everything that fits, best first; asks for what fits less well only while there are too few cards that fit better. If
 * nothing fits, cards with a word that sounds alike or has two errors; if there are none, cards that have not all words. A
 * name that was typed in full stays in the name: sets are called after cards, too.
 */
export function find(index: CardIndex, query: Query, { guildId }: Requester): Ranked[] {
  const most = index.askedMost(guildId);
  const asked = new Map<string, Asked>(most.map(({ candidate, asked }) => [candidate.card.id, asked]));
  const words = new WordsToFind(index, query.words);
  const candidates = most.map(({ candidate }) => candidate);
  const fitting = fittingIn(index, query, words, candidates);
  if (fitting.length > 0) return ranked(query, fitting, asked);
  const known = query.words.filter((word) => words.begun(word).length > 0);
  const place = nameIn(known, (some) => words.areName(some));
  const name = queryOfWords(known.slice(...place)).nameKey;
  const isComplete = name !== '' && index.withNameKey(name, 1).length > 0;
  const isNamed = ({ card }: Candidate) => !isComplete || nameKey(card.name).includes(name);
  const corrected = ranked(query, withTwoErrors(index, words), asked);
  if (corrected.some(isNamed)) return corrected.filter(isNamed);
  for (const choices of [[known], ...fewerWords(known, place)]) {
    const found = choices
      .filter((some) => some.length > 0 && index.hasWords(some.map((word) => words.begun(word))))
      .flatMap((some) => ranked(queryOfWords(some), fittingIn(index, queryOfWords(some), words, []), asked))
      .filter(isNamed);
    if (found.length === 0) continue;
    const inName = new Map(found.map(({ card }) => [card.id, wordsInName(query, card)]));
    const most = found.toSorted((a, b) => (inName.get(b.card.id) ?? 0) - (inName.get(a.card.id) ?? 0));
    const parts = most.map((each) => ({ ...each, isPart: true as const }));
    return [...new Map([...parts, ...corrected].toReversed().map((each) => [each.card.id, each])).values()].reverse();
  }
  return [];
}

function fittingIn(index: CardIndex, query: Query, words: WordsToFind, first: readonly Candidate[]): Ranked[] {
  const fitting = new Map<string, Ranked>();
  const add = (candidates: readonly Candidate[]) => {
    for (const candidate of candidates) {
      const { card, place } = candidate;
      const before = fitting.get(card.id);
      if (before && place !== undefined) before.place ??= place;
      const fit = before ? undefined : closeness(query, card);
      if (fit !== undefined) fitting.set(card.id, { ...candidate, closeness: fit });
    }
  };
  add(first);
  for (const next of closestFirst(index, query, words, () => isTypedRight(fitting))) {
    add(next());
    if (offered(fitting) >= MOST_FOUND) break;
  }
  return [...fitting.values()];
}

/** Cards whose names have a word that sounds like the one word that no card has, or is two errors apart. */
function withTwoErrors(index: CardIndex, words: WordsToFind): Ranked[] {
  const [typed = '', ...others] = words.all.filter((word) => words.isUnknown(word));
  if (!SPELLED.test(typed) || typed.length < SHORTEST_WITH_TWO_ERRORS || others.length > 0) return [];
  const meant = index.vocabulary().meantByFar(typed);
  if (meant.length === 0) return [];
  const oneOf = meant.map((word) => ({ word, begins: false, inName: true }));
  const found = index.withWords(words.all.map((word) => (word === typed ? oneOf : words.spelled(word))));
  return found.map((candidate) => {
    const tokens = tokensOf(candidate.card.name);
    return { ...candidate, place: meant.findIndex((word) => tokens.includes(word)), closeness: 'twoErrors' };
  });
}

/**
 * The questions to the index, those for closer cards first.
 *
 * @param isTypedRight whether there is no need to look for typing errors, which takes longer than all else
 */
function* closestFirst(
  index: CardIndex,
  { idKey, nameKey, words }: Query,
  toFind: WordsToFind,
  isTypedRight: () => boolean,
): Generator<() => readonly Candidate[]> {
  if (idKey !== '') yield () => index.withIdKey(idKey);
  if (words.length === 0) return;
  yield () => index.withNameKey(nameKey);
  const keys = [alsoKey(nameKey), ...(hasDigit(nameKey) ? [numberKey(nameKey)] : [])];
  for (const word of keys) yield () => index.withWords([[{ word, begins: false }]]);
  yield () => index.withNameBeginning(words.join(' '));
  const beginnings = words.map((word) => toFind.spelled(word));
  const whole = beginnings.map((oneOf) => oneOf.map((word) => ({ ...word, begins: false })));
  for (const all of [whole, beginnings]) {
    yield () => index.withWords(all.map((oneOf) => oneOf.map((word) => ({ ...word, inName: true }))));
    yield () => index.withWords(all);
  }
  yield () => index.withWords([[{ word: alsoKey(nameKey), begins: true }]]);
  if (isTypedRight()) return;
  const unknown = words.filter((word) => toFind.isUnknown(word));
  const choices = unknown.length > 0 ? [unknown] : words.map((word) => [word]);
  for (const mistyped of choices) {
    yield () => {
      const wanted = words.map((word) => (mistyped.includes(word) ? toFind.meantBy(word) : toFind.spelled(word)));
      return wanted.every((oneOf) => oneOf.length > 0) ? index.withWords(wanted) : [];
    };
  }
}

/** A card has all words as they were typed. */
function isTypedRight(fitting: ReadonlyMap<string, Ranked>): boolean {
  return offered(fitting) >= 5 || fitting.values().some(({ closeness, isDenied }) => !isDenied && WHOLE.has(closeness));
}

/** A denied card comes last, so it does not stand for one that could be found. */
function offered(fitting: ReadonlyMap<string, Ranked>): number {
  return fitting.values().reduce((count, { isDenied }) => count + Number(!isDenied), 0);
}
