/** The day of quota and budgets is UTC's. */
export const DAY_MS = 24 * 3600 * 1000;
export const HOUR_MS = 3600 * 1000;
/** A month on average. */
export const MONTH_MS = (365.25 / 12) * DAY_MS;

/** Counts are kept so long, and what is put aside of files: a month, and some days in which to look at it. */
export const KEPT_DAYS = 35;

/** The first midnight after `atMs`; at midnight, the next one. */
export function nextUtcMidnightMs(atMs: number): number {
  return (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;
}

/** The first UTC midnight after `atMs` at which a month begins on its day of that number, 1 to 28. */
export function nextMonthMs(atMs: number, day: number): number {
  const at = new Date(atMs);
  const beginsMs = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, day);
  return atMs < beginsMs(0) ? beginsMs(0) : beginsMs(1);
}

/** The day of a time, such as `2026-11-21`: UTC's. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The hour of that day, 0 to 23. */
export function utcHour(atMs: number): number {
  return Math.floor((24 * (atMs % DAY_MS)) / DAY_MS);
}
