import { LRUCache } from 'lru-cache';
import { type Bookings, guildKey, WATCHES } from '../../model/quota.ts';
import type { HourCounts } from '../../quota/hours.ts';
import { KEPT_DAYS } from '../../quota/kept-days.ts';
import {
  type Booking,
  type Counted,
  type CounterStore,
  dayOfService,
  type KeptCounts,
  type MemberRequests,
} from '../../quota/ledger.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay, utcHour } from '../../time/utc-day.ts';
import type { RedisLink } from './link.ts';

/** `<day> <scope><ending>` in the hash of a day, or `<day>:<guild> <member>` in the ranking of a server. */
type Counter = readonly [id: string, by: number];

const KINDS = ['requests', 'refused', 'saved'] as const;
/** They follow a scope. The most frequent is the shortest, since there is one for each member and day. */
const ENDINGS = { requests: '', refused: ':refused', saved: ':saved' };

/**
 * KEYS: the hash of a day. ARGV: an hour. Before the first booking of that hour, notes the day's sums so far; a key of its
 * own would need an expiry of its own.
 */
const NOTE_HOUR = `
  local sums = redis.call('HMGET', KEYS[1], 'all', 'all:saved', 'guild:${WATCHES}')
  redis.call('HSETNX', KEYS[1], 'at:' .. ARGV[1], (sums[1] or 0) .. ' ' .. (sums[2] or 0) .. ' ' .. (sums[3] or 0))
`;
/** Few enough that Redis adds them within some milliseconds. */
const COUNTERS_IN_BATCH = 1_000;
/** 20 MB at most; further members of a long outage count in the day's total only. */
const MAX_UNSENT = 100_000;
/** Counters that are remembered for the time while Redis is unavailable. */
const MAX_REMEMBERED = 10_000;

/**
 * The counts of processes that share a quota. While Redis is unavailable, a read is what was last read plus what this
 * process has added since. A batch that was sent and not answered is not sent again: nothing is counted twice.
 */
export class RedisCounters implements CounterStore {
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #service: string | undefined;
  readonly #unsent = new Map<string, number>();
  readonly #maxUnsent: number;
  readonly #known = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  #sending: Promise<void> | undefined;

  /**
   * @param service absent: the default interface
   * @param maxUnsent counters that are kept during an outage, besides the totals
   */
  constructor(link: RedisLink, service?: string, maxUnsent = MAX_UNSENT) {
    this.#link = link;
    this.#service = service;
    this.#prefix = `${link.prefix}:ledger`;
    this.#maxUnsent = maxUnsent;
    link.onHealth(() => void this.write());
  }

  add({ requester, day }: Booking, counts: Partial<Bookings>): void {
    const name = dayOfService(day, this.#service);
    for (const [id, by] of countersOf(name, guildKey(requester), requester.memberId, counts)) {
      const isKept = this.#unsent.has(id) || this.#unsent.size < this.#maxUnsent || id.includes(' all');
      if (isKept) this.#unsent.set(id, (this.#unsent.get(id) ?? 0) + by);
    }
  }

  async write(): Promise<void> {
    if (this.#unsent.size > 0 && this.#link.health === 'usable') this.#sending ??= this.#sendAll();
    await this.#sending;
  }

  async sums(utcDay: string, of?: Counted): Promise<Bookings> {
    const day = dayOfService(utcDay, this.#service);
    const [scope = 'all'] = Object.entries(of ?? {}).map((part) => part.join(':'));
    const fields = KINDS.map((kind) => scope + ENDINGS[kind]);
    // What has been sent is read, too: on one connection Redis keeps the order.
    const unsent = fields.map((field) => this.#unsent.get(`${day} ${field}`) ?? 0);
    const read = await this.#link.read((client) => client.hmGet(`${this.#prefix}:${day}`, fields)).catch(() => {}); // the link logs why
    if (read?.some((text) => countIn(text) === undefined)) this.#drop(day, fields);
    const [requests = 0, refused = 0, saved = 0] = fields.map((field, index) => {
      if (read) this.#known.set(`${day} ${field}`, countIn(read[index]) ?? 0);
      return (this.#known.get(`${day} ${field}`) ?? 0) + (unsent[index] ?? 0);
    });
    return { requests: Math.max(0, requests), refused, saved };
  }

  async hourStarts(utcDay: string): Promise<ReadonlyMap<number, HourCounts> | undefined> {
    const day = dayOfService(utcDay, this.#service);
    const names = Array.from({ length: 24 }, (_, hour) => `at:${hour}`);
    const read = await this.#link.read((client) => client.hmGet(`${this.#prefix}:${day}`, names)).catch(() => {});
    if (!read) return undefined;
    const starts = new Map<number, HourCounts>();
    for (const [hour, note] of read.entries()) {
      const [requests, saved, watches] = note?.split(' ').map(countIn) ?? [];
      const isRead = requests !== undefined && saved !== undefined && watches !== undefined;
      if (isRead) starts.set(hour, { requests, saved, watches });
      else if (note != null) this.#drop(day, [`at:${hour}`]);
    }
    return starts;
  }

  /** Nobody while Redis is unavailable. */
  async topMembers(utcDay: string, guild: string, count: number): Promise<MemberRequests[]> {
    await this.write();
    const day = dayOfService(utcDay, this.#service);
    const range = { BY: 'SCORE', LIMIT: { offset: 0, count } } as const;
    const read = await this.#link
      .read((client) => client.zRangeWithScores(`${this.#prefix}:${day}:${guild}`, '-inf', '(0', range))
      .catch(() => []);
    return read.map(({ value, score }) => ({ memberId: value, requests: -score }));
  }

  async keptOf(memberId: string): Promise<KeptCounts | undefined> {
    const fields = [`member:${memberId}`, `member:${memberId}:saved`];
    const read = (keys: string[]) =>
      this.#link.read((client) => Promise.all(keys.map((key) => client.hmGet(key, fields))));
    const keys = await this.#daysOfAll().catch(() => []);
    const days = await read(keys).catch(() => []);
    if (days.length === 0) return undefined;
    const sum = (at: number) => days.reduce((total, counts) => total + (countIn(counts[at]) ?? 0), 0);
    const ofMember = keys.filter((_, at) => days[at]?.some((count) => count !== null));
    return {
      days: new Set(ofMember.map((key) => this.#utcDayOf(key))).size,
      requests: sum(0),
      saved: sum(1),
    };
  }

  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    const fields = fieldsOf(memberId);
    const isOf = (id: string) => id.slice(0, 10) <= throughDay && fields.includes(id.split(' ')[1] ?? '');
    for (const counts of [this.#unsent, this.#known]) for (const id of counts.keys()) if (isOf(id)) counts.delete(id);
    const rankedIn = rankingsKey(this.#prefix, memberId);
    try {
      const days = (await this.#daysOfAll()).filter((key) => this.#utcDayOf(key) <= throughDay);
      const rankings = (await this.#link.read((client) => client.sMembers(rankedIn))).filter(
        (name) => name.slice(0, 10) <= throughDay,
      );
      await this.#link.run((client) =>
        Promise.all([
          ...rankings.map((name) => client.zRem(`${this.#prefix}:${name}`, memberId)),
          ...days.map((key) => client.hDel(key, fields)),
        ]),
      );
      if (rankings.length > 0) await this.#link.run((client) => client.sRem(rankedIn, rankings));
      return true;
    } catch {
      return false; // the link logs why
    }
  }

  /** The hashes of all days that may be kept, of every card service. */
  async #daysOfAll(): Promise<string[]> {
    const others = await this.#link.read((client) => client.sMembers(`${this.#prefix}:services`));
    return [undefined, ...others].flatMap((service) => dayKeys(this.#prefix, service));
  }

  #utcDayOf(key: string): string {
    return key.slice(this.#prefix.length + 1).slice(0, 10);
  }

  /** What is no number can neither be read nor added to: it begins anew. */
  #drop(day: string, fields: string[]): void {
    const key = `${this.#prefix}:${day}`;
    this.#link.unreadable(key);
    void this.#link.run((client) => client.hDel(key, fields)).catch(() => {});
  }

  async #sendAll(): Promise<void> {
    while (this.#unsent.size > 0 && this.#link.health === 'usable') {
      const batch = this.#unsent.entries().take(COUNTERS_IN_BATCH).toArray();
      for (const [id, by] of batch) {
        this.#unsent.delete(id);
        this.#known.set(id, (this.#known.get(id) ?? 0) + by);
      }
      const hour = String(utcHour(Date.now()));
      const days = new Set(batch.map(([id]) => dayOfService(id.slice(0, 10), this.#service)));
      const notes = [...days].map((day) => ['EVAL', NOTE_HOUR, '1', `${this.#prefix}:${day}`, hour]);
      const named = this.#service === undefined ? [] : [['SADD', `${this.#prefix}:services`, this.#service]];
      const commands = [...named, ...notes, ...additions(this.#prefix, batch)];
      const send = this.#link.run((client) =>
        commands.reduce((multi, command) => multi.addCommand(command), client.multi()).exec(),
      );
      await send.catch(() => {}); // lost, when Redis does not have it
    }
    this.#sending = undefined;
  }
}

/** @returns `undefined` for what is no count */
function countIn(text: string | null | undefined): number | undefined {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** The counters that a booking changes. A member's first request in a server on a day takes 240 bytes of Redis, and their first at all 320 more. */
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
  const expire = (key: string, lastMs: number) =>
    expiries.set(key, ['EXPIREAT', key, String(nextUtcMidnightMs(lastMs) / 1000)]);
  const add = [...counters].flatMap(([id, by]) => {
    const [name = '', field = ''] = id.split(' ', 2);
    const key = `${prefix}:${name}`;
    const lastMs = Date.parse(name.slice(0, 10)) + KEPT_DAYS * DAY_MS;
    expire(key, lastMs);
    if (!name.includes(':')) return [['HINCRBY', key, field, String(by)]];
    const rankedIn = rankingsKey(prefix, field);
    expire(rankedIn, lastMs + DAY_MS); // what is taken back may be of the day before
    return [
      ['ZINCRBY', key, String(-by), field],
      ['SADD', rankedIn, name],
    ];
  });
  return [...add, ...expiries.values()];
}

/** The names of the rankings that a member is in, so that none has to be searched for them. */
function rankingsKey(prefix: string, memberId: string): string {
  return `${prefix}:of:${memberId}`;
}

/** A member's fields in the hash of a day and in a ranking. Their direct messages are counted as a server of their own. */
function fieldsOf(memberId: string): string[] {
  const scopes = [`member:${memberId}`, `guild:dm:${memberId}`];
  return [memberId, ...scopes.flatMap((scope) => [scope, `${scope}:refused`, `${scope}:saved`])];
}

/** The hashes of all days that may be kept, also by a clock that is ahead. */
export function dayKeys(prefix: string, service?: string): string[] {
  const tomorrowMs = Date.now() + DAY_MS;
  const days = Array.from({ length: KEPT_DAYS + 2 }, (_, ago) => utcDay(tomorrowMs - ago * DAY_MS));
  return days.map((day) => `${prefix}:${dayOfService(day, service)}`);
}
