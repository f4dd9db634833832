/** The day of quota and budgets is UTC's. */
export const DAY_MS = 24 * 3600 * 1000;

/** The first midnight after `atMs`; at midnight, the next one. */
export function nextUtcMidnightMs(atMs: number): number {
  return (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;
}
