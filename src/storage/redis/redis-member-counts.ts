import { KEPT_DAYS, type KeptCounts } from '../../quota/ledger.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';
import type { RedisLink } from './redis-link.ts';

// What the ledger in Redis holds about one member: fields in the hash of each day, and a place in the ranking of each server.

/** Rankings that one member is removed from at once. */
const RANKINGS_AT_ONCE = 500;

/** In the hash of a day, and the member in a ranking. Direct messages are counted as a server of the member's own. */
export function fieldsOf(memberId: string): string[] {
  const scopes = [`member:${memberId}`, `guild:dm:${memberId}`];
  return [memberId, ...scopes.flatMap((scope) => [scope, `${scope}:refused`, `${scope}:saved`])];
}

/** Nothing while Redis is unavailable. */
export async function keptCounts(link: RedisLink, prefix: string, memberId: string): Promise<KeptCounts> {
  const fields = [`member:${memberId}`, `member:${memberId}:saved`];
  const days = await link
    .read((client) => Promise.all(dayKeys(prefix).map((key) => client.hmGet(key, fields))))
    .catch(() => []);
  const sum = (at: number) => days.reduce((total, counts) => total + Number(counts[at] ?? 0), 0);
  return {
    days: days.filter((counts) => counts.some((count) => count !== null)).length,
    requests: sum(0),
    saved: sum(1),
  };
}

/** Costs a scan of all keys of that Redis. @returns whether all could be deleted */
export async function deleteMember(
  link: RedisLink,
  prefix: string,
  memberId: string,
  throughDay: string,
): Promise<boolean> {
  const dayOf = (key: string) => key.slice(`${prefix}:ledger:`.length).slice(0, 10);
  try {
    const days = dayKeys(prefix).filter((key) => dayOf(key) <= throughDay);
    await link.run((client) => Promise.all(days.map((key) => client.hDel(key, fieldsOf(memberId)))));
    let cursor = '0';
    do {
      const found = await link.read((client) =>
        client.scan(cursor, { MATCH: `${prefix}:ledger:*:*`, COUNT: RANKINGS_AT_ONCE }),
      );
      const rankings = found.keys.filter((key) => dayOf(key) <= throughDay);
      await link.run((client) => Promise.all(rankings.map((key) => client.zRem(key, memberId))));
      cursor = found.cursor;
    } while (cursor !== '0');
    return true;
  } catch {
    return false; // the link logs why
  }
}

/** The hashes of all days that may be kept, also by a clock that is ahead. */
function dayKeys(prefix: string): string[] {
  const tomorrowMs = Date.now() + DAY_MS;
  return Array.from({ length: KEPT_DAYS + 2 }, (_, ago) => `${prefix}:ledger:${utcDay(tomorrowMs - ago * DAY_MS)}`);
}
