import { LRUCache } from 'lru-cache';
import type { Events } from '../../model/events.ts';
import { type Bookings, guildKey, type Requester } from '../../model/quota.ts';
import { type HourCounts, hourCounts, utcHour } from '../../quota/hours.ts';
import * as ledger from '../../quota/ledger.ts';
import { utcDay } from '../../time/utc-day.ts';
import { additions, type Counter, countersOf, ENDINGS, KINDS } from './redis-counters.ts';
import type { RedisLink } from './redis-link.ts';
import { deleteMember, fieldsOf, keptCounts } from './redis-member-counts.ts';

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
 * The ledger of processes that share a quota. While Redis is unavailable, a read is what was last read plus what this
 * process has booked since. A batch that was sent and not answered is not sent again: nothing is counted twice.
 */
export class RedisLedger implements ledger.Ledger {
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #events: Events | undefined;
  readonly #unsent = new Map<string, number>();
  readonly #maxUnsent: number;
  readonly #known = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  readonly #timer = setInterval(() => this.#send(), ledger.WRITE_SAVED_EVERY_MS).unref();
  #sending: Promise<void> | undefined;
  /** The last hour whose beginning is noted. */
  #noted = '';

  /** @param maxUnsent counters that are kept during an outage, besides the totals */
  constructor(link: RedisLink, prefix: string, events?: Events, maxUnsent = MAX_UNSENT) {
    this.#link = link;
    this.#maxUnsent = maxUnsent;
    this.#events = events;
    this.#prefix = prefix;
    link.onHealth(() => this.#send());
  }

  spent(requester: Requester): ledger.Booking {
    const booking = ledger.bookingOf(requester);
    this.#book(booking, { requests: 1 });
    this.#send();
    return booking;
  }

  refused(booking: ledger.Booking): void {
    this.#book(booking, { requests: -1, refused: 1 });
    this.#send();
  }

  /** Sent by the timer. */
  saved(requester: Requester): void {
    this.#book(ledger.bookingOf(requester), { saved: 1 });
    this.#events?.publish('saved', {});
  }

  today(): Promise<Bookings> {
    return this.#sum('all');
  }

  async hours(): Promise<HourCounts[]> {
    const nowMs = Date.now();
    const names = Array.from({ length: utcHour(nowMs) + 1 }, (_, hour) => `at:${hour}`);
    const key = `${this.#prefix}:ledger:${utcDay(nowMs)}`;
    const [now, read] = await Promise.all([
      this.today(),
      this.#link.read((client) => client.hmGet(key, names)).catch(() => {}),
    ]);
    if (!read) return [];
    const starts = new Map<number, HourCounts>();
    for (const [hour, note] of read.entries()) {
      const [requests = 0, saved = 0] = note?.split(' ').map(Number) ?? [];
      if (note != null) starts.set(hour, { requests, saved });
    }
    return hourCounts(starts, now, nowMs);
  }

  guildToday(requester: Requester): Promise<Bookings> {
    return this.#sum(`guild:${guildKey(requester)}`);
  }

  memberToday(memberId: string): Promise<Bookings> {
    return this.#sum(`member:${memberId}`);
  }

  async topMembers(requester: Requester, count: number): Promise<ledger.MemberRequests[]> {
    const name = `${utcDay(Date.now())}:${guildKey(requester)}`;
    const ofServer = (counters: Iterable<Counter>) => [...counters].filter(([id]) => id.startsWith(`${name} `));
    const unsent = ofServer(this.#unsent);
    const key = `${this.#prefix}:ledger:${name}`;
    const LIMIT = { offset: 0, count: count + unsent.length }; // so many may fall behind by what is unsent
    const range = { BY: 'SCORE', LIMIT } as const;
    const read = await this.#link.read((client) => client.zRangeWithScores(key, '-inf', '(0', range)).catch(() => {});
    const sent = read?.map(({ value, score }) => [`${name} ${value}`, -score] as const) ?? ofServer(this.#known);
    if (read) for (const [id] of ofServer(this.#known)) this.#known.delete(id);
    const requestsBy = new Map<string, number>();
    for (const [id, by] of sent) this.#known.set(id, by);
    for (const [id, by] of [...sent, ...unsent]) {
      const memberId = id.slice(name.length + 1);
      requestsBy.set(memberId, (requestsBy.get(memberId) ?? 0) + by);
    }
    return ledger.mostFirst(requestsBy).slice(0, count);
  }

  keptOf(memberId: string): Promise<ledger.KeptCounts> {
    return keptCounts(this.#link, this.#prefix, memberId);
  }

  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    const isOf = (id: string) => id.slice(0, 10) <= throughDay && fieldsOf(memberId).includes(id.split(' ')[1] ?? '');
    for (const id of this.#unsent.keys()) if (isOf(id)) this.#unsent.delete(id);
    for (const id of this.#known.keys()) if (isOf(id)) this.#known.delete(id);
    return deleteMember(this.#link, this.#prefix, memberId, throughDay);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#send();
    await this.#sending;
  }

  async #sum(scope: string): Promise<Bookings> {
    const day = utcDay(Date.now());
    const fields = KINDS.map((kind) => scope + ENDINGS[kind]);
    // What has been sent is read, too: on one connection Redis keeps the order.
    const unsent = fields.map((field) => this.#unsent.get(`${day} ${field}`) ?? 0);
    const key = `${this.#prefix}:ledger:${day}`;
    const read = await this.#link.read((client) => client.hmGet(key, fields)).catch(() => {}); // the link logs why
    const [requests = 0, refused = 0, saved = 0] = fields.map((field, index) => {
      if (read) this.#known.set(`${day} ${field}`, Number(read[index] ?? 0));
      return (this.#known.get(`${day} ${field}`) ?? 0) + (unsent[index] ?? 0);
    });
    return { requests: Math.max(0, requests), refused, saved };
  }

  #book({ requester, day }: ledger.Booking, counts: Partial<Bookings>): void {
    for (const [id, by] of countersOf(day, guildKey(requester), requester.memberId, counts)) {
      const isKept = this.#unsent.has(id) || this.#unsent.size < this.#maxUnsent || id.includes(' all');
      if (isKept) this.#unsent.set(id, (this.#unsent.get(id) ?? 0) + by);
    }
  }

  #send(): void {
    if (this.#unsent.size > 0 && this.#link.health === 'usable') this.#sending ??= this.#sendAll();
  }

  /** Before the first counter of today that is sent in an hour. */
  #hourNote(batch: readonly Counter[]): string[][] {
    const nowMs = Date.now();
    const day = utcDay(nowMs);
    const hour = String(utcHour(nowMs));
    if (this.#noted === `${day} ${hour}` || !batch.some(([id]) => id.startsWith(`${day} `))) return [];
    this.#noted = `${day} ${hour}`;
    return [['EVAL', NOTE_HOUR, '1', `${this.#prefix}:ledger:${day}`, hour]];
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
