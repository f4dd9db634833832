import type { Bookings } from '../../model/quota.ts';
import { KEPT_DAYS } from '../../quota/ledger.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../time/utc-day.ts';

/** `<day> <scope><ending>` in the hash of a day, or `<day>:<guild> <member>` in the ranking of a server. */
export type Counter = readonly [id: string, by: number];

export const KINDS = ['requests', 'refused', 'saved'] as const;
/** They follow a scope. The most frequent is the shortest, since there is one for each member and day. */
export const ENDINGS = { requests: '', refused: ':refused', saved: ':saved' };

/** The counters that a booking changes. A member's first request in a server on a day takes 200 bytes of Redis. */
export function countersOf(day: string, guild: string, memberId: string, counts: Partial<Bookings>): Counter[] {
  const scopes = ['all', `guild:${guild}`, `member:${memberId}`];
  const sums = KINDS.flatMap((kind) =>
    scopes.map((scope) => [`${day} ${scope}${ENDINGS[kind]}`, counts[kind] ?? 0] as const),
  );
  return [...sums, [`${day}:${guild} ${memberId}`, counts.requests ?? 0] as const].filter(([, by]) => by !== 0);
}

/** The commands that add to counters below a prefix, and let them expire. Scores are negative: Redis sorts these and members upwards. */
export function additions(prefix: string, counters: Iterable<Counter>): string[][] {
  const expiries = new Map<string, string[]>();
  const add = [...counters].map(([id, by]) => {
    const [name = '', field = ''] = id.split(' ', 2);
    const key = `${prefix}:${name}`;
    const lastMs = Date.parse(name.slice(0, 10)) + KEPT_DAYS * DAY_MS;
    expiries.set(key, ['EXPIREAT', key, String(nextUtcMidnightMs(lastMs) / 1000)]);
    return name.includes(':') ? ['ZINCRBY', key, String(-by), field] : ['HINCRBY', key, field, String(by)];
  });
  return [...add, ...expiries.values()];
}

/** A member's fields in the hash of a day and in a ranking. Their direct messages are counted as a server of their own. */
export function fieldsOf(memberId: string): string[] {
  const scopes = [`member:${memberId}`, `guild:dm:${memberId}`];
  return [memberId, ...scopes.flatMap((scope) => [scope, `${scope}:refused`, `${scope}:saved`])];
}

/** The hashes of all days that may be kept, also by a clock that is ahead. */
export function dayKeys(prefix: string): string[] {
  const tomorrowMs = Date.now() + DAY_MS;
  return Array.from({ length: KEPT_DAYS + 2 }, (_, ago) => `${prefix}:${utcDay(tomorrowMs - ago * DAY_MS)}`);
}
