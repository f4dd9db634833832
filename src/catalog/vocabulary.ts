import { isFarApart, isMistypedBeginning, isTypingError } from './typing-error.ts';

/** Some 20 MB; the catalogues of all known games together have 100,000. */
const MOST_WORDS = 300_000;
const MOST_MEANT = 40;

/** The words of all names, to find what a mistyped word means. A search reads all of them, in a millisecond or two. */
export class Vocabulary {
  readonly #words: string[] = [];

  add(word: string): void {
    if (this.#words.length < MOST_WORDS) this.#words.push(word);
  }

  /** Words that are one typing error apart, then words that begin so with one error. */
  meantBy(typed: string): string[] {
    const meant: string[] = [];
    const begun: string[] = [];
    for (const word of this.#words) {
      if (word.length < typed.length - 1 || isFarApart(typed, word)) continue;
      if (isTypingError(typed, word)) meant.push(word);
      else if (begun.length < MOST_MEANT && isMistypedBeginning(typed, word)) begun.push(word);
    }
    return [...meant, ...begun].slice(0, MOST_MEANT);
  }
}
