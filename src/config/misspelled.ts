/** A name that nothing reads, and the variable of ours that it looks like. */
export interface Misspelled {
  name: string;
  meant: string;
}

/**
 * Names that are one of `ours`, but for some letters, capitals or separators. Few letters, so that what belongs to other
 * programs is left alone, such as the CARD_SERVICE_PORT that Kubernetes sets; and no digits, which none of ours has:
 * DISCORD_TOKEN_2 is no slip of the pen.
 */
export function misspelled(names: readonly string[], ours: readonly string[]): Misspelled[] {
  return names.flatMap((name) => {
    if (ours.includes(name) || /\d/.test(name)) return [];
    const letters = lettersOf(name);
    const [nearest] = ours
      .map((meant) => ({ name, meant, slips: distance(letters, lettersOf(meant)) }))
      .filter(({ meant, slips }) => slips <= slipsIn(lettersOf(meant).length))
      .sort((a, b) => a.slips - b.slips);
    return nearest ? [{ name, meant: nearest.meant }] : [];
  });
}

function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z]/g, '');
}

/** Judgement: what still reads as the same name. */
function slipsIn(length: number): number {
  if (length < 12) return 1;
  return length < 17 ? 2 : 3;
}

/** Letters to add, leave out or replace to get from one to the other (Levenshtein). */
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
