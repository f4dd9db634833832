import type { Requester } from '../model/quota.ts';
import type { Candidate, CardIndex, WordsToFind, WordToFind } from './card-index.ts';
import {
  type CatalogCard,
  hasDigit,
  idKey,
  isSameId,
  nameKey,
  otherNamesOf,
  otherText,
  printedNumbers,
  type Query,
  queryOf,
  SHORTEST_NAME,
  tokensOf,
  tokenText,
} from './text.ts';

/** How many cards a search finds. */
export const MOST_FOUND = 25;
/** A shorter list goes on with what is only like the text, unless that has a whole id, name or number. */
const ENOUGH = 5;

/** What an empty field, or what was typed, offers: best first. */
export function search(index: CardIndex, text: string, who: Requester): CatalogCard[] {
  const question = asked(index, text, who);
  const ofServer = question.popular.filter(({ here }) => here).map(({ card }) => card);
  const cards = question.text === '' ? [...index.lastAsked(who.memberId), ...ofServer] : offered(question);
  const all = new Map(cards.map((card) => [card.id, card]));
  return [...all.values().take(MOST_FOUND)].map((card) => foundAs(question, card));
}

/** The cards that fit best, best first, and whether they have all that was typed without an error. */
export function find(index: CardIndex, text: string, who: Requester) {
  const question = asked(index, text, who);
  const fits = asTyped(question);
  if (fits.length === 0) fits.push(...alike(question));
  const has = fits.toSorted((a, b) => a.cost - b.cost)[0]?.has ?? 'part';
  return {
    has,
    cards: inOrder(
      question,
      fits.filter((each) => each.has === has),
    ),
  };
}

/** What was typed, what has the answer, and what is asked for most. */
interface Question extends Query {
  index: CardIndex;
  popular: readonly Candidate[];
}

function asked(index: CardIndex, text: string, { guildId }: Requester): Question {
  return { ...queryOf(text), index, popular: index.askedMost(guildId) };
}

/** A card may come twice. */
function offered(question: Question): CatalogCard[] {
  const fits = asTyped(question);
  const isClear = fits.some(({ cost, card }) => cost <= WHOLE || question.nameKey.includes(nameKey(card.name)));
  if (!isClear && fits.length < ENOUGH) fits.push(...alike(question));
  return inOrder(question, fits);
}

/** With the other name that was typed, if that is not how the name begins. */
function foundAs({ nameKey: typed }: Query, card: CatalogCard): CatalogCard {
  if (nameKey(card.name).startsWith(typed)) return card;
  const knownAs = card.also?.find((name) => nameKey(name).startsWith(typed));
  return knownAs ? { ...card, knownAs } : card;
}

/** A card that may be meant; the less it costs, the nearer it is to what was typed. */
interface Fit extends Candidate {
  cost: number;
  has: 'all' | 'mistyped' | 'part';
}

/** Asks for what fits less well only while there are too few cards that fit better. */
function asTyped(question: Question): Fit[] {
  const fits = new Map<string, Fit>();
  for (const candidates of closestFirst(question)) {
    for (const candidate of candidates) {
      const known = fits.get(candidate.card.id);
      const cost = known?.cost ?? costAsTyped(question, candidate.card);
      if (cost !== undefined) fits.set(candidate.card.id, { ...candidate, ...known, cost, has: 'all' });
    }
    if (fits.size >= MOST_FOUND) break;
  }
  return fits.size > 0 ? [...fits.values()] : withoutTotal(question);
}

/** A number with the size of its set behind it, and no other slash. */
const WITH_TOTAL = /(?<![\p{L}\d]|\/.*)(\p{L}*\d+\p{L}?)\/\p{L}*\d+(?=[^/]*$)/u;

/** Cards whose number is known without the size of the set that was typed behind it. */
function withoutTotal(question: Question): Fit[] {
  const [whole, number = ''] = WITH_TOTAL.exec(question.text) ?? [];
  if (!whole) return [];
  const short = queryOf(question.text.replace(whole, number));
  return asTyped({ ...question, ...short }).filter(({ card }) => tokenText(card.number ?? '') === tokenText(number));
}

/** What the index has, closer cards first: each is asked when it is wanted. */
function* closestFirst({ index, popular, idKey, nameKey, words }: Question): Generator<readonly Candidate[]> {
  yield popular;
  yield index.withIdKey(idKey);
  yield index.withNameKey(nameKey);
  const typed = wordsToFind(words);
  const whole = typed.map(({ word }) => ({ word }));
  const inName = (all: WordToFind[]) => all.map((word) => ({ ...word, inName: true }));
  yield [...index.withNameBeginning(words.join(' ')), ...index.withWords(inName(whole))];
  const every = index.allWithWords(typed);
  if (every) return yield every;
  for (const all of [whole, inName(typed), typed]) yield index.withWords(all);
}

/** A number is typed in full before the next word is begun, and so is a short word. */
const MAY_BEGIN = /^(?!\d+$).{3}/su;

function wordsToFind(words: readonly string[]): WordToFind[] {
  const last = words.at(-1);
  return [...new Set(words)].map((word) => ({ word, begins: word === last || MAY_BEGIN.test(word) }));
}

/**
 * Cards that have the words but for typing errors, or else the most of them, and those whose whole name is among
 * them.
 */
function alike({ index, words: typed }: Question): Fit[] {
  const words = wordsOrMeant(index, wordsToFind(typed));
  const unknown = words.filter(({ isKnown }) => !isKnown);
  const wanted = unknown.length > 0 ? [unknown] : words.map((word) => [word]);
  const candidates = wanted.flatMap((mistyped) =>
    index.withWords(words.map((word) => (mistyped.includes(word) ? word.meant : word))),
  );
  const likely = words.filter(({ isKnown, meant }) => isKnown || meant.length > 0);
  if (candidates.length === 0) candidates.push(...withMost(index, likely));
  candidates.push(...withNameIn(index, likely));
  const all = new Map(candidates.map((each) => [each.card.id, each]));
  return [...all.values()].map((each) => likeness(each, words));
}

/** A word that was typed. */
interface TypedWord extends WordToFind {
  /** A card has a word that begins so. */
  isKnown: boolean;
  /** Words of names that may be meant, if it is taken for mistyped. */
  meant: readonly (WordToFind & { errors: number })[];
}

/** What can be mistyped; a shorter word is too often one error apart from another. */
const SPELLED = /^\p{L}{4,}$/u;

/** Words that no card has are taken for mistyped, or else each without which there are cards. */
function wordsOrMeant(index: CardIndex, typed: readonly WordToFind[]): TypedWord[] {
  const areKnown = typed.map((word) => index.hasWords([{ ...word, begins: true }]));
  return typed.map((word, at) => {
    const isKnown = areKnown[at] === true;
    const others = typed.toSpliced(at, 1);
    const isMistyped = areKnown.every(Boolean) ? others.length === 0 || index.hasWords(others) : !isKnown;
    const meant = isMistyped && SPELLED.test(word.word) ? index.vocabulary().meantBy(word.word) : [];
    return { ...word, isKnown, meant: meant.map((each) => ({ ...each, inName: true })) };
  });
}

/** From how many words it is looked for those that go together. */
const MOST_STARTS = 2;

/** Cards with the most words that there are together. */
function withMost(index: CardIndex, words: readonly TypedWord[]): Candidate[] {
  // Among words of which equally many are known, the longest tell most.
  const order = words.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.word.length - a.word.length);
  let most: WordsToFind[] = [];
  for (const first of order.slice(0, MOST_STARTS)) {
    const kept: WordsToFind[] = [];
    for (const word of new Set([first, ...order])) {
      const likely = word.isKnown ? word : word.meant;
      if (index.hasWords([...kept, likely])) kept.push(likely);
    }
    if (kept.length > most.length) most = kept;
  }
  return index.withWords(most);
}

/** More words are no name; they are the title of a listing. */
const MOST_NAME_WORDS = 8;

/** Cards whose whole names are among words that follow each other, the longest first, none within another. */
function withNameIn(index: CardIndex, words: readonly TypedWord[]): Candidate[] {
  const found: Candidate[] = [];
  const named = new Set<TypedWord>();
  for (let length = Math.min(words.length, MOST_NAME_WORDS); length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const some = words.slice(from, from + length);
      const key = nameKey(some.map(({ word }) => word).join(' '));
      if (key.length < SHORTEST_NAME || some.some((word) => named.has(word))) continue;
      const called = index.withNameKey(key);
      found.push(...called);
      if (called.length > 0) for (const word of some) named.add(word);
    }
  return found;
}

/** What a word costs that is whole or begun in the name, or elsewhere. */
const PLACES = [0, 0.1, 0.2, 0.4];
/** What a word costs that a card has not, and each of its letters. */
const ABSENT = 1.3;
const ABSENT_LETTER = 1 / 3;
/** What a name costs that has other words, too: less than a typing error where all words are in it. */
const NOT_WHOLE = 0.9;
const NOT_WHOLE_OF_PART = 1.5;

/** Adds up where a card has each word. */
function likeness(candidate: Candidate, words: readonly TypedWord[]): Fit {
  const { card } = candidate;
  const name = ` ${tokenText(card.name)} `;
  const other = ` ${otherText(card)} `;
  const costs = words.map(({ word, meant }) => {
    const places = [name, other].flatMap((text) => [text.includes(` ${word} `), text.includes(` ${word}`)]);
    return PLACES[places.indexOf(true)] ?? meant.find((each) => name.includes(` ${each.word} `))?.errors;
  });
  const typed = new Set(words.flatMap(({ word, meant }) => [...word.split(' '), ...meant.map((each) => each.word)]));
  const isWhole = tokensOf(card.name).every((token) => typed.has(token));
  const has = costs.includes(undefined) ? 'part' : 'mistyped';
  const ofName = has === 'part' ? NOT_WHOLE_OF_PART : NOT_WHOLE;
  const first = LIKE + (isWhole ? 0 : ofName);
  const cost = words.reduce((sum, { word }, at) => sum + (costs[at] ?? ABSENT + word.length * ABSENT_LETTER), first);
  return { ...candidate, cost, has };
}

/**
 * What it costs to have what was typed as it was typed: how many nearer ways there are. `undefined`: a card has it not.
 */
function costAsTyped(query: Query, card: CatalogCard): number | undefined {
  const { words, nameKey: typed } = query;
  const name = tokenText(card.name);
  const key = nameKey(card.name);
  if (card.id === query.text) return 0;
  const isId = idKey(card.id) === query.idKey;
  if (isId && isSameId(query.text, card.id)) return 1;
  if (key === typed) return 2;
  if (words.length === 0) return undefined;
  if (printedNumbers(card.number ?? '').includes(words.join(' '))) return WHOLE;
  if (otherNamesOf(card).includes(typed)) return 4;
  if (key.startsWith(typed)) return 5;
  const has = (text: string, end: string) => words.every((word) => ` ${text} `.includes(` ${word}${end}`));
  if (has(name, ' ')) return 6;
  if (isId) return 7;
  const all = `${name} ${otherText(card)}`;
  if (has(all, ' ')) return 8;
  return has(all, '') ? 9 : undefined;
}

/** The whole id, name or number costs at most so much. */
const WHOLE = 3;
/** More than whatever fits as it was typed. */
const LIKE = 20;
const DENIED = 1_000;
const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * What costs least. Of that what this server, then everybody asks for most, then names that
 * hold all words, sets that hold the fewest others, names with more cards, shorter names, and of one name the newest
 * card.
 */
function inOrder({ words, popular }: Question, fits: readonly Fit[]): CatalogCard[] {
  const asked = new Map(popular.map((each) => [each.card.id, each]));
  const keyed = fits.map(({ card, cost, denied, place = Number.MAX_SAFE_INTEGER, printings }) => {
    const { here = 0, everywhere = 0 } = asked.get(card.id) ?? {};
    const name = ` ${tokenText(card.name)}`;
    const outside = words.filter((word) => !name.includes(` ${word}`));
    const set = ` ${tokenText(card.set ?? '')}`;
    const isInSet = outside.some((word) => !hasDigit(word) && set.includes(` ${word}`));
    const key = [
      cost + denied * DENIED,
      ...[-here, -everywhere],
      place,
      outside.length,
      isInSet ? set.length : Number.MAX_SAFE_INTEGER,
      -printings,
      card.name.length,
    ];
    return { card, key };
  });
  return keyed
    .sort(
      (a, b) =>
        a.key.reduce((order, value, at) => order || value - (b.key[at] ?? 0), 0) ||
        compare(a.card.name, b.card.name) ||
        newerFirst(a.card, b.card),
    )
    .map(({ card }) => card);
}

/** The order of the cards of one name. */
export function newerFirst(one: CatalogCard, other: CatalogCard): number {
  return compare(other.released ?? '', one.released ?? '') || compare(one.id, other.id);
}
