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

/** Whether two different texts are one typing error apart: a letter missing, doubled or added, swapped with the next, or wrong. */
export function isTypingError(typed: string, meant: string): boolean {
  const longer = typed.length - meant.length;
  if (Math.abs(longer) > 1 || typed === meant) return false;
  let at = 0;
  while (typed[at] === meant[at]) at++;
  if (longer > 0) return typed.slice(at + 1) === meant.slice(at);
  if (longer < 0) return typed.slice(at) === meant.slice(at + 1);
  const isSwapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  return typed.slice(at + 1) === meant.slice(at + 1) || (isSwapped && typed.slice(at + 2) === meant.slice(at + 2));
}

/** Whether a word begins with what is one typing error apart: `chrai` for `charizard`, while it is being typed. */
export function isMistypedBeginning(typed: string, word: string): boolean {
  const { length } = typed;
  return [length, length + 1, length - 1].some((end) => end < word.length && isTypingError(typed, word.slice(0, end)));
}

/** Whether the first letters differ so much that neither word can be the other one mistyped. This sorts out most words. */
export function isFarApart(typed: string, word: string): boolean {
  return typed[0] !== word[0] && typed[1] !== word[1] && typed[0] !== word[1] && typed[1] !== word[0];
}
