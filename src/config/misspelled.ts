/** A variable that nothing reads, and the known variable that it resembles. */
export interface Misspelled {
  name: string;
  meant: string;
}

/**
 * Names that differ from one of `known` in capitals, separators or a few letters. Only a few, so that variables of other
 * programs are not reported, such as the CARD_SERVICE_PORT that Kubernetes sets. A name with a digit is never reported:
 * no variable of the bot has one, so DISCORD_TOKEN_2 is intended.
 */
export function misspelled(names: readonly string[], known: readonly string[]): Misspelled[] {
  return names.flatMap((name) => {
    if (known.includes(name) || /\d/.test(name)) return [];
    const letters = lettersOf(name);
    const [nearest] = known
      .map((meant) => ({ name, meant, edits: distance(letters, lettersOf(meant)) }))
      .filter(({ meant, edits }) => edits <= mostEdits(lettersOf(meant).length))
      .sort((a, b) => a.edits - b.edits);
    return nearest ? [{ name, meant: nearest.meant }] : [];
  });
}

function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z]/g, '');
}

/** A judgement: up to here a reader takes it for the same name. */
function mostEdits(length: number): number {
  if (length < 12) return 1;
  return length < 17 ? 2 : 3;
}

/** Levenshtein distance: letters to insert, delete or replace. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
