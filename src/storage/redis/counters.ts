import { LRUCache } from 'lru-cache';
import { type Bookings, guildKey } from '../../model/quota.ts';
import type { Booking, Counted, CounterStore, HourCounts, KeptCounts, MemberRequests } from '../../quota/ledger.ts';
import { utcDay, utcHour } from '../../time/utc-day.ts';
import { additions, type Counter, countersOf, dayKeys, ENDINGS, fieldsOf, KINDS } from './counter-keys.ts';
import type { RedisLink } from './link.ts';

/**
 * KEYS: the hash of a day. ARGV: an hour. Notes the day's sums so far, before the first booking of that hour; a key of its
 * own would need an expiry of its own.
 */
const NOTE_HOUR = `
  local sums = redis.call('HMGET', KEYS[1], 'all', 'all:saved')
  redis.call('HSETNX', KEYS[1], 'at:' .. ARGV[1], (sums[1] or 0) .. ' ' .. (sums[2] or 0))
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
  readonly #unsent = new Map<string, number>();
  readonly #maxUnsent: number;
  readonly #known = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  #sending: Promise<void> | undefined;
  /** The last hour whose beginning is noted. */
  #noted = '';

  /** @param maxUnsent counters that are kept during an outage, besides the totals */
  constructor(link: RedisLink, maxUnsent = MAX_UNSENT) {
    this.#link = link;
    this.#prefix = `${link.prefix}:ledger`;
    this.#maxUnsent = maxUnsent;
    link.onHealth(() => void this.write());
  }

  add({ requester, day }: Booking, counts: Partial<Bookings>): void {
    for (const [id, by] of countersOf(day, guildKey(requester), requester.memberId, counts)) {
      const isKept = this.#unsent.has(id) || this.#unsent.size < this.#maxUnsent || id.includes(' all');
      if (isKept) this.#unsent.set(id, (this.#unsent.get(id) ?? 0) + by);
    }
  }

  async write(): Promise<void> {
    if (this.#unsent.size > 0 && this.#link.health === 'usable') this.#sending ??= this.#sendAll();
    await this.#sending;
  }

  async sums(day: string, of?: Counted): Promise<Bookings> {
    const [scope = 'all'] = Object.entries(of ?? {}).map((part) => part.join(':'));
    const fields = KINDS.map((kind) => scope + ENDINGS[kind]);
    // What has been sent is read, too: on one connection Redis keeps the order.
    const unsent = fields.map((field) => this.#unsent.get(`${day} ${field}`) ?? 0);
    const read = await this.#link.read((client) => client.hmGet(`${this.#prefix}:${day}`, fields)).catch(() => {}); // the link logs why
    const [requests = 0, refused = 0, saved = 0] = fields.map((field, index) => {
      if (read) this.#known.set(`${day} ${field}`, Number(read[index] ?? 0));
      return (this.#known.get(`${day} ${field}`) ?? 0) + (unsent[index] ?? 0);
    });
    return { requests: Math.max(0, requests), refused, saved };
  }

  async hourStarts(day: string): Promise<ReadonlyMap<number, HourCounts> | undefined> {
    const names = Array.from({ length: 24 }, (_, hour) => `at:${hour}`);
    const read = await this.#link.read((client) => client.hmGet(`${this.#prefix}:${day}`, names)).catch(() => {});
    if (!read) return undefined;
    const starts = new Map<number, HourCounts>();
    for (const [hour, note] of read.entries()) {
      const [requests = 0, saved = 0] = note?.split(' ').map(Number) ?? [];
      if (note != null) starts.set(hour, { requests, saved });
    }
    return starts;
  }

  /** Nobody while Redis is unavailable. */
  async topMembers(day: string, guild: string, count: number): Promise<MemberRequests[]> {
    await this.write();
    const range = { BY: 'SCORE', LIMIT: { offset: 0, count } } as const;
    const read = await this.#link
      .read((client) => client.zRangeWithScores(`${this.#prefix}:${day}:${guild}`, '-inf', '(0', range))
      .catch(() => []);
    return read.map(({ value, score }) => ({ memberId: value, requests: -score }));
  }

  async keptOf(memberId: string): Promise<KeptCounts> {
    const fields = [`member:${memberId}`, `member:${memberId}:saved`];
    const days = await this.#link
      .read((client) => Promise.all(dayKeys(this.#prefix).map((key) => client.hmGet(key, fields))))
      .catch(() => []);
    const sum = (at: number) => days.reduce((total, counts) => total + Number(counts[at] ?? 0), 0);
    return {
      days: days.filter((counts) => counts.some((count) => count !== null)).length,
      requests: sum(0),
      saved: sum(1),
    };
  }

  /** Reads the names of all members and servers of those days. */
  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    const fields = fieldsOf(memberId);
    const isOf = (id: string) => id.slice(0, 10) <= throughDay && fields.includes(id.split(' ')[1] ?? '');
    for (const counts of [this.#unsent, this.#known]) for (const id of counts.keys()) if (isOf(id)) counts.delete(id);
    try {
      for (const key of dayKeys(this.#prefix).filter((key) => key.slice(-throughDay.length) <= throughDay)) {
        const names = await this.#link.read((client) => client.hKeys(key));
        const rankings = names.flatMap((name) =>
          name.startsWith('guild:') ? `${key}:${name.slice('guild:'.length)}` : [],
        );
        await this.#link.run((client) =>
          Promise.all([...rankings.map((ranking) => client.zRem(ranking, memberId)), client.hDel(key, fields)]),
        );
      }
      return true;
    } catch {
      return false; // the link logs why
    }
  }

  /** Before the first counter of today that is sent in an hour. */
  #hourNote(batch: readonly Counter[]): string[][] {
    const nowMs = Date.now();
    const day = utcDay(nowMs);
    const hour = String(utcHour(nowMs));
    if (this.#noted === `${day} ${hour}` || !batch.some(([id]) => id.startsWith(`${day} `))) return [];
    this.#noted = `${day} ${hour}`;
    return [['EVAL', NOTE_HOUR, '1', `${this.#prefix}:${day}`, hour]];
  }

  async #sendAll(): Promise<void> {
    while (this.#unsent.size > 0 && this.#link.health === 'usable') {
      const batch = this.#unsent.entries().take(COUNTERS_IN_BATCH).toArray();
      for (const [id, by] of batch) {
        this.#unsent.delete(id);
        this.#known.set(id, (this.#known.get(id) ?? 0) + by);
      }
      const commands = [...this.#hourNote(batch), ...additions(this.#prefix, batch)];
      const send = this.#link.run((client) =>
        commands.reduce((multi, command) => multi.addCommand(command), client.multi()).exec(),
      );
      await send.catch(() => {}); // lost, when Redis does not have it
    }
    this.#sending = undefined;
  }
}
