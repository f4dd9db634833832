/** Whether two different texts are one typing error apart: a letter missing, doubled or added, swapped with the next, or wrong. */
export function isTypingError(typed: string, meant: string): boolean {
  const longer = typed.length - meant.length;
  if (Math.abs(longer) > 1) return false;
  const at = firstDifference(typed, meant);
  if (at === Math.max(typed.length, meant.length)) return false; // the same
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

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.length > b.length || at < b.length ? at : b.length;
}
