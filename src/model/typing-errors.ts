/** How many letters are missing, added, wrong, or swapped with the next: in all of a word, and where it only begins so. */
export function errorsBetween(typed: string, word: string): { whole: number; begun: number } {
  let [before, last] = [[] as number[], Array.from({ length: word.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= word.length; j++) {
      const wrong = (last[j - 1] ?? 0) + Number(typed[i - 1] !== word[j - 1]);
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(wrong, swapped, (last[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, last] = [last, next];
  }
  return { whole: last[word.length] ?? 0, begun: Math.min(...last) };
}
