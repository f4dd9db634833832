import type { Requester } from '../model/quota.ts';
import type { Candidate, CardIndex } from './card-index.ts';
import { MOST_FOUND } from './catalog.ts';
import type { CatalogCard, FoundCard } from './catalog-card.ts';
import { isNumber } from './named-printing.ts';
import { type Closeness, closeness, type Ranked, ranked } from './ranking.ts';
import { TypedWord } from './typed-word.ts';
import { nameKey, type Query, queryOf, queryOfWords, tokensOf } from './words.ts';

/** A shorter name is more often something else. */
const SHORTEST_NAME = 3;

/** A number with the size of its set behind it, and no other slash. */
const WITH_TOTAL = /(?<![\p{L}\d]|\/.*)(\p{L}*\d+\p{L}?)\/\p{L}*\d+(?=[^/]*$)/u;

/** A shorter list goes on with what fits less well, unless a whole name, number or id was typed. */
const ENOUGH = 5;
const WHOLE: ReadonlySet<unknown> = new Set<Closeness>(['id', 'sameId', 'number']);

/** What an empty field, or what was typed, offers: best first. */
export function search(index: CardIndex, text: string, who: Requester): FoundCard[] {
  const query = queryOf(text);
  const cards = query.text === '' ? suggested(index, who) : enough(query, founds(index, query, who));
  return cards.slice(0, MOST_FOUND).map((card) => foundAs(query, card));
}

function enough(query: Query, founds: Iterable<Found>): CatalogCard[] {
  const all = new Map<string, CatalogCard>();
  for (const { cards } of founds) {
    for (const card of cards) all.set(card.id, card); // one that is found again keeps its place
    const [best] = all.values();
    const isClear = best && (query.nameKey.includes(nameKey(best.name)) || WHOLE.has(closeness(query, best)));
    if (isClear || all.size >= ENOUGH) break;
  }
  return [...all.values()];
}

function suggested(index: CardIndex, { memberId, guildId }: Requester): CatalogCard[] {
  const here = index.askedMost(guildId).filter(({ asked }) => asked.here > 0);
  const cards = [...index.lastAsked(memberId), ...here.map(({ card }) => card)];
  return [...new Map(cards.map((card) => [card.id, card])).values()];
}

/** With the other name that was typed, if that is not how the name begins. */
function foundAs({ nameKey: typed }: Query, card: CatalogCard): FoundCard {
  if (nameKey(card.name).startsWith(typed)) return card;
  const knownAs = card.also?.find((name) => nameKey(name).startsWith(typed));
  return knownAs === undefined ? card : { ...card, knownAs };
}

/** Cards, best first, and whether they have all that was typed without an error. */
export interface Found {
  has: 'all' | 'mistyped' | 'part';
  cards: CatalogCard[];
}

/** What fits best. */
export function find(index: CardIndex, query: Query, who: Requester): Found {
  for (const found of founds(index, query, who)) if (found.cards.length > 0) return found;
  return { has: 'part', cards: [] };
}

/**
 * What fits, best first. Then cards whose number is known without the size of the set that was typed behind it; then
 * what fits when two words are one, or with typing errors; then what has as many of the words as possible. A name that
 * was typed in full stays in the name: sets are called after cards, too.
 */
function* founds(index: CardIndex, query: Query, who: Requester): Generator<Found, undefined> {
  const popular = index.askedMost(who.guildId);
  const asked = new Map(popular.map(({ card, asked }) => [card.id, asked]));
  const found = (has: Found['has'], typed: Query, fitting: readonly Ranked[]) => ({
    has,
    cards: ranked(typed, fitting, asked),
  });
  const words = query.words.map((word, at) => new TypedWord(index, word, at === query.words.length - 1));
  yield found('all', query, asTyped(query, closestFirst(index, query, words, popular)));
  const [whole = '', number = ''] = WITH_TOTAL.exec(query.text) ?? [];
  const short = whole === '' ? [] : founds(index, queryOf(query.text.replace(whole, number)), who);
  for (const { has, cards } of short) yield { has, cards: cards.filter((card) => isNumber(card, number)) };
  const known = words.filter(({ likely }) => likely.length > 0);
  const parts = namesIn(index, known).map((named) => ({ named, some: mostWords(index, known, named) }));
  const { named, some } = parts.reduce((most, each) => (each.some.length > most.some.length ? each : most));
  const name = queryOfWords(named.map(({ text }) => text)).nameKey;
  const isNamed = ({ card }: Ranked) => nameKey(card.name).includes(name);
  yield found('mistyped', query, joined(index, query.words));
  const mistyped = corrected(index, words);
  const inNamed = mistyped.filter(isNamed);
  // A set that is called after a card is meant rather than the card if one letter is wrong.
  const besides = words.every(({ isKnown }) => isKnown) ? [] : mistyped.filter(({ place = 0 }) => place < 2);
  yield found('mistyped', query, inNamed.length > 0 ? inNamed : besides);
  const part = queryOfWords(some.map(({ text }) => text));
  const inPart = asTyped(part, closestFirst(index, part, some, [])).filter(isNamed);
  yield found('part', part, inPart.length > 0 ? inPart : corrected(index, some).filter(isNamed));
}

/** Cards that have all words when two that follow each other are one, as `heavy arms` in `Heavyarms`. */
function joined(index: CardIndex, words: readonly string[]): Ranked[] {
  return words.slice(1).flatMap((word, at) => {
    const one = queryOfWords([...words.slice(0, at), `${words[at]}${word}`, ...words.slice(at + 2)]);
    const found = index.withWords(one.words.map((each) => [{ word: each, begins: false, inName: true }]));
    return found.map((each) => ({ ...each, closeness: 'mistyped' as const }));
  });
}

/** Asks for what fits less well only while there are too few cards that fit better. */
function asTyped(query: Query, questions: Iterable<readonly Candidate[]>): Ranked[] {
  const fitting = new Map<string, Ranked>();
  for (const candidates of questions) {
    for (const candidate of candidates) {
      const { card, place } = candidate;
      const before = fitting.get(card.id);
      if (before && place !== undefined) before.place ??= place;
      const fit = before ? undefined : closeness(query, card);
      if (fit !== undefined) fitting.set(card.id, { ...candidate, closeness: fit });
    }
    if (fitting.size >= MOST_FOUND) break;
  }
  return [...fitting.values()];
}

/** What the index has, closer cards first: each is asked when it is wanted. */
function* closestFirst(
  index: CardIndex,
  { idKey, nameKey, words: typed }: Query,
  words: readonly TypedWord[],
  popular: readonly Candidate[],
): Generator<readonly Candidate[]> {
  yield popular;
  if (idKey !== '') yield index.withIdKey(idKey);
  yield index.withNameKey(nameKey);
  if (words.length === 0) return;
  const beginnings = words.map(({ asTyped }) => asTyped);
  const inName = (all: typeof beginnings) => all.map((oneOf) => oneOf.map((word) => ({ ...word, inName: true })));
  const whole = beginnings.map((oneOf) => oneOf.map((word) => ({ ...word, begins: false })));
  const begun = [...index.withNameBeginning(typed.join(' ')), ...index.withWordsBegun(typed.join(' '))];
  if (words.length > 1) yield begun;
  yield [...(words.length > 1 ? [] : begun), ...index.withWords(inName(whole))];
  const every = index.allWithWords(beginnings);
  if (every) return yield every;
  for (const all of [whole, inName(beginnings), beginnings]) yield index.withWords(all);
}

/** Cards that have all words when those that no card has, or else one, are taken for mistyped. */
function corrected(index: CardIndex, words: readonly TypedWord[]): Ranked[] {
  const unknown = words.filter(({ isKnown }) => !isKnown);
  const found = new Map<string, Ranked>();
  for (const mistyped of unknown.length > 0 ? [unknown] : words.map((word) => [word])) {
    const others = words.filter((word) => !mistyped.includes(word));
    if (others.length > 0 && !index.hasWords(others.map(({ asTyped }) => asTyped))) continue;
    const wanted = words.map((word) => (mistyped.includes(word) ? word.meant : word.asTyped));
    for (const candidate of wanted.every(({ length }) => length > 0) ? index.withWords(wanted) : []) {
      const tokens = tokensOf(candidate.card.name);
      const errors = mistyped.map(({ meant }) => meant.find(({ word }) => tokens.includes(word))?.errors ?? 0);
      const place = errors.reduce((sum, each) => sum + each, Number(tokens.length > words.length) / 4);
      found.set(candidate.card.id, { ...candidate, place, closeness: 'mistyped' });
    }
  }
  return [...found.values()];
}

/** The words of a name, and of the others the most that a card of that name has, too: in their order. */
function mostWords(index: CardIndex, words: readonly TypedWord[], named: readonly TypedWord[]): TypedWord[] {
  const inName = named.map(({ likely }) => likely.map((each) => ({ ...each, begins: false, inName: true })));
  const others = words.filter((word) => !named.includes(word));
  // Among words of which equally many are known, the longest tell most.
  others.sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.text.length - a.text.length);
  let most: TypedWord[] = [];
  for (const [at, first] of others.entries()) {
    const kept: TypedWord[] = [];
    for (const word of [first, ...others.slice(0, at), ...others.slice(at + 1)])
      if (index.hasWords([...inName, ...[...kept, word].map(({ likely }) => likely)])) kept.push(word);
    if (kept.length > most.length) most = kept;
    if (most.length >= others.length - 1) break;
  }
  return words.filter((word) => named.includes(word) || most.includes(word));
}

/**
 * The longest name among words that follow each other, the first of equally long ones, and those before and behind it.
 */
function namesIn(index: CardIndex, words: readonly TypedWord[]): (readonly TypedWord[])[] {
  const [before, name, behind] = longestNameIn(index, words);
  const others = name.length > 0 ? [before, behind].map((rest) => longestNameIn(index, rest)[1]) : [];
  return [name, ...others.filter(({ length }) => length > 0)];
}

type Words = readonly TypedWord[];

function longestNameIn(index: CardIndex, words: Words): [before: Words, name: Words, behind: Words] {
  for (let length = words.length; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const some = words.slice(from, from + length);
      const { nameKey } = queryOfWords(some.map(({ text }) => text));
      if (nameKey.length >= SHORTEST_NAME && index.withNameKey(nameKey, 1).length > 0)
        return [words.slice(0, from), some, words.slice(from + length)];
    }
  return [words, [], []];
}
