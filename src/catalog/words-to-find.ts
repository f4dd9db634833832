import type { CardIndex, WordToFind } from './card-index.ts';
import { queryOfWords, spellingsOf } from './words.ts';

/** What can be mistyped. */
export const SPELLED = /^\p{L}{2,}$/u;
/** In a shorter word two errors leave too little. */
export const SHORTEST_WITH_TWO_ERRORS = 5;
/** A shorter name is more often something else. */
const SHORTEST_NAME = 3;
/** A shorter word is complete when the next one is begun. */
const SHORTEST_BEGINNING = 3;

/** The words of one search, as they are looked for. */
export class WordsToFind {
  readonly all: readonly string[];
  readonly #index: CardIndex;
  readonly #last: string | undefined;
  readonly #meant = new Map<string, WordToFind[]>();
  readonly #unknown = new Map<string, boolean>();

  constructor(index: CardIndex, words: readonly string[]) {
    this.#index = index;
    this.all = words;
    this.#last = words.at(-1);
  }

  /** A word as it was typed, whole or as a beginning; if no card has it so, the words that it may mean. */
  begun(word: string): WordToFind[] {
    return this.isUnknown(word) ? this.meantBy(word) : this.spelled(word);
  }

  /** A number is typed in full before the next word is begun, and so is a short word. */
  spelled(word: string): WordToFind[] {
    const begins = word === this.#last || (word.length >= SHORTEST_BEGINNING && !/^\d+$/.test(word));
    return spellingsOf(word).map((spelling) => ({ word: spelling, begins }));
  }

  /** No card has a word that begins so. */
  isUnknown(word: string): boolean {
    const known = this.#unknown.get(word);
    if (known !== undefined) return known;
    const isUnknown = !spellingsOf(word).some((spelling) => this.#index.hasWords([[{ word: spelling, begins: true }]]));
    this.#unknown.set(word, isUnknown);
    return isUnknown;
  }

  /** Whether words that follow each other are a name, also one of one word that is mistyped, or an id. */
  areName(some: readonly string[]): boolean {
    const { nameKey } = queryOfWords(some);
    if (nameKey.length < SHORTEST_NAME) return false;
    const isName = (key: string) => this.#index.withNameKey(key).length > 0;
    const isMeant = some.length === 1 && nameKey.length >= SHORTEST_WITH_TWO_ERRORS && this.isUnknown(nameKey);
    const meant = isMeant ? this.meantBy(nameKey).map(({ word }) => word) : [];
    return [nameKey, ...meant].some(isName) || this.#index.withIdKey(nameKey).length > 0;
  }

  /** Words of names that are one error apart. */
  meantBy(word: string): WordToFind[] {
    const known = this.#meant.get(word);
    if (known) return known;
    const meant = SPELLED.test(word) ? this.#index.vocabulary().meantBy(word) : [];
    const toFind = meant.map((each) => ({ word: each, begins: false, inName: true }));
    this.#meant.set(word, toFind);
    return toFind;
  }
}
