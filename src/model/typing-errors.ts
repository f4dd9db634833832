/** A number has bits for so many. */
const MOST_LETTERS = 31;

/**
 * Counts how many letters are missing, added, wrong, or swapped with the next between what was typed and one word after
 * the other: in all of a word, and where it only begins so. Of longer texts the first 31 letters count. Each bit is a
 * row of the usual table, so that a word takes a fraction of a microsecond (Hyyrö 2003, "A bit-vector algorithm for
 * computing Levenshtein and Damerau edit distances").
 */
export function errorsFrom(typed: string): (word: string) => { whole: number; begun: number } {
  const length = Math.min(typed.length, MOST_LETTERS);
  const rowsOf = new Map<number, number>();
  for (let at = 0; at < length; at++) {
    const letter = typed.charCodeAt(at);
    rowsOf.set(letter, (rowsOf.get(letter) ?? 0) | (1 << at));
  }
  return (word) => {
    let [whole, begun] = [length, length];
    // Rows with one error more, or one less, than the row above.
    let [more, less, unchanged, sameBefore] = [-1, 0, 0, 0];
    for (let at = 0; at < word.length && at < MOST_LETTERS; at++) {
      const same = rowsOf.get(word.charCodeAt(at)) ?? 0;
      const swapped = ((~unchanged & same) << 1) & sameBefore;
      unchanged = (((same & more) + more) ^ more) | same | less | swapped;
      // The same against the column before.
      const grown = ((less | ~(unchanged | more)) << 1) | 1;
      const shrunk = (unchanged & more) << 1;
      whole += ((grown >>> length) & 1) - ((shrunk >>> length) & 1);
      begun = Math.min(begun, whole);
      more = shrunk | ~(unchanged | grown);
      less = grown & unchanged;
      sameBefore = same;
    }
    return { whole, begun };
  };
}
