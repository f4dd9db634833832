const COUNTS = new Intl.NumberFormat('en');

export function count(value: number): string {
  return COUNTS.format(value);
}

export function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  if (share === 0 || share === 100) return `${share} %`;
  return `${Math.min(Math.max(share, 0.1), 99.9).toFixed(1)} %`; // 0 % and 100 % mean exactly none and all
}

export function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} min`;
}
