/** More choices are not tried. */
const MOST_CHOICES = 40;

/**
 * What may be left of several words when some are dropped: all choices with the fewest dropped, then with one more, and so
 * on; of equally many those that were typed last first.
 *
 * @param isName whether words that follow each other are the name or the id of a card; they are not dropped
 */
export function* fewerWords(
  words: readonly string[],
  isName: (some: readonly string[]) => boolean,
): Generator<string[][]> {
  const [from, to] = nameIn(words, isName);
  const mayGo = [...words.keys()].filter((at) => at < from || at >= to).toReversed();
  let tried = 0;
  for (let count = 1; count <= mayGo.length && tried < MOST_CHOICES; count++) {
    const dropped = [...combinations(mayGo, count)].slice(0, MOST_CHOICES - tried);
    tried += dropped.length;
    yield dropped.map((places) => words.filter((_, at) => !places.includes(at))).filter(({ length }) => length > 0);
  }
}

/** The longest name among the words, the first of equally long ones, as the place where it begins and the one behind it. */
function nameIn(words: readonly string[], isName: (some: readonly string[]) => boolean): [from: number, to: number] {
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
