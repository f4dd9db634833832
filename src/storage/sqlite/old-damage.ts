import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { KEPT_DAYS } from '../../quota/ledger.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';

const MOVED_ASIDE = /\.sqlite\.corrupt-(\d{4}-\d{2}-\d{2})T/;

/**
 * Removes damaged files that were moved aside long ago: they hold members' ids, and none is kept for longer than the counts
 * in it would have been. Does not throw.
 */
export function removeOldDamage(folder: string, nowMs: number): void {
  const oldestDay = utcDay(nowMs - KEPT_DAYS * DAY_MS);
  try {
    for (const name of readdirSync(folder)) {
      const [, day] = MOVED_ASIDE.exec(name) ?? [];
      if (day !== undefined && day < oldestDay) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // There is no folder yet, or it cannot be written: tried again the next day or at the next start.
  }
}
