/**
 * Draws ranks 0 to `count` − 1 by Zipf's law: the n-th most popular is drawn 1 / n ** exponent as often as the first.
 *
 * @param random from 0 up to 1
 */
export function zipf(count: number, exponent: number, random: () => number): () => number {
  const shares: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= count; rank++) {
    total += 1 / rank ** exponent;
    shares.push(total);
  }
  return () => firstAbove(shares, random() * total);
}

function firstAbove(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
