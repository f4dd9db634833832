/** Some 20 MB; the catalogues of all known games together have 100,000. */
const MOST_WORDS = 300_000;
const MOST_MEANT = 40;
const MOST_ERRORS = 2;
/** Two wrong letters differ in four; a sound that is spelled otherwise in no more. */
const MOST_DIFFERENT = 4;
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/ph/g, 'f'],
  [/igh/g, 'i'],
  [/x|ck?s|cc(?=[ei])/g, 'ks'],
  [/c(?![eihy])|ck|q/g, 'k'],
  [/c(?=[eiy])|z/g, 's'],
  [/oo|ou/g, 'u'],
  [/ee|ea|ie|y/g, 'i'],
  [/e$/, ''],
  [/(.)\1+/g, '$1'],
];

/** The words of all names, to find what a mistyped word means. A search reads all of them, in a millisecond or two. */
export class Vocabulary {
  readonly #words: string[] = [];

  add(word: string): void {
    if (this.#words.length < MOST_WORDS) this.#words.push(word);
  }

  /** Words that sound alike or are two errors apart: those that are spelled most alike first. */
  meantByFar(typed: string): string[] {
    const sound = soundOf(typed);
    const letters = lettersOf(typed);
    const meant: { word: string; errors: number }[] = [];
    for (const word of this.#words) {
      if (Math.abs(word.length - typed.length) > MOST_ERRORS || bits(letters ^ lettersOf(word)) > MOST_DIFFERENT)
        continue;
      const errors = errorsBetween(typed, word);
      const bySound = word[0] === typed[0] ? errorsBetween(sound, soundOf(word)) + 1 : Infinity;
      const least = Math.min(errors, bySound);
      if (least <= MOST_ERRORS) meant.push({ word, errors: least + Number(word[0] !== typed[0]) / 2 });
    }
    return meant
      .sort((a, b) => a.errors - b.errors)
      .slice(0, MOST_MEANT)
      .map(({ word }) => word);
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

/** How many letters are missing, added, wrong, or swapped with the next. */
export function errorsBetween(typed: string, meant: string): number {
  let [before, last] = [[] as number[], Array.from({ length: meant.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= meant.length; j++) {
      const wrong = (last[j - 1] ?? 0) + Number(typed[i - 1] !== meant[j - 1]);
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(wrong, swapped, (last[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, last] = [last, next];
  }
  return last[meant.length] ?? 0;
}

/** How a word sounds, roughly: `snorlacks` and `snorlax`, `dragonight` and `dragonite` are the same. */
export function soundOf(word: string): string {
  return SOUNDS.reduce((sound, [letters, as]) => sound.replace(letters, as), word);
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
