/** More choices are not tried. */
const MOST_CHOICES = 40;
/** Where a name begins among words, and the place behind it. */
type Place = [from: number, to: number];

/**
 * What may be left of several words when some are dropped: all choices with the fewest dropped, then with one more, and so
 * on; of equally many those that were typed last first. The words of the name are not dropped.
 */
export function* fewerWords(words: readonly string[], [from, to]: Place): Generator<string[][]> {
  const mayGo = [...words.keys()].filter((at) => at < from || at >= to).toReversed();
  let tried = 0;
  for (let count = 1; count <= mayGo.length && tried < MOST_CHOICES; count++) {
    const dropped = [...combinations(mayGo, count)].slice(0, MOST_CHOICES - tried);
    tried += dropped.length;
    yield dropped.map((places) => words.filter((_, at) => !places.includes(at))).filter(({ length }) => length > 0);
  }
}

/** The longest name or id among words that follow each other, the first of equally long ones. */
export function nameIn(words: readonly string[], isName: (some: readonly string[]) => boolean): Place {
  for (let length = words.length; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++)
      if (isName(words.slice(from, from + length))) return [from, from + length];
  return [0, 0];
}

function* combinations(places: readonly number[], count: number): Generator<number[]> {
  if (count === 0) yield [];
  else
    for (const [at, place] of places.entries())
      for (const others of combinations(places.slice(at + 1), count - 1)) yield [place, ...others];
}
