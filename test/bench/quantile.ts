/** Of unsorted values; `share` 0.5 is the median. @throws RangeError when there are none */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (found === undefined) throw new RangeError('no values for a quantile');
  return found;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
