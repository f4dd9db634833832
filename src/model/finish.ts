/** What a printing is beside plain; each is worth something else. */
export type Finish = 'foil' | 'etched';

/** What a mark in a list, or the label of a price, says of that; absent: nothing, or that it is plain. */
export function finishOf(text: string): Finish | undefined {
  if (/etch/i.test(text)) return 'etched';
  return /(?<!non[- ]?)(?:foil|holo)/i.test(text) ? 'foil' : undefined;
}
