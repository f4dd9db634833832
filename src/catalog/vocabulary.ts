import { errorsFrom } from '../model/typing-errors.ts';

/** Some 20 MB; the catalogues of all known games together have 100,000. */
const MOST_WORDS = 300_000;
const MOST_MEANT = 40;
/** The shortest words in which one, two and three errors are looked for: in a shorter one they leave too little. */
const SHORTEST = [4, 5, 8];
/** What counts as less than an error: the word goes on, or begins with another letter. */
const HALF = 0.5;
/** With fewer words, more errors are looked for. */
const ENOUGH = 3;

/** A word that may be meant; the fewer errors, the likelier. */
interface MeantWord {
  word: string;
  errors: number;
}

/** The words of all names, to find what a mistyped word means. A search reads all of them, in a millisecond or two. */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #letters: number[] = [];

  add(word: string): void {
    if (this.#words.length >= MOST_WORDS) return;
    this.#words.push(word);
    this.#letters.push(lettersOf(word));
  }

  /**
   * Words that are one typing error apart, begin so or have the text inside; if there are few, those that are two
   * apart, then three.
   */
  meantBy(typed: string): MeantWord[] {
    let meant: MeantWord[] = [];
    for (const [at, shortest] of SHORTEST.entries())
      if (typed.length >= shortest && meant.length < ENOUGH) meant = this.#within(at + 1, typed);
    return meant;
  }

  #within(most: number, typed: string): MeantWord[] {
    const letters = lettersOf(typed);
    const errorsIn = errorsFrom(typed);
    const meant: MeantWord[] = [];
    for (let at = 0; at < this.#words.length; at++) {
      const word = this.#words[at] ?? '';
      if (word.length < typed.length - most || bits(letters & ~(this.#letters[at] ?? 0)) > most) continue;
      if (word.includes(typed)) {
        meant.push({ word, errors: 1 });
        continue;
      }
      const { whole, begun } = errorsIn(word);
      const least = Math.min(whole, begun > 1 ? whole : begun + HALF);
      if (least <= most + HALF) meant.push({ word, errors: least + (word[0] === typed[0] ? 0 : HALF) });
    }
    return meant.sort((a, b) => a.errors - b.errors).slice(0, MOST_MEANT);
  }
}

/** The letters of a word as bits. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(of: number): number {
  let count = 0;
  for (let left = of; left !== 0; left &= left - 1) count++;
  return count;
}
