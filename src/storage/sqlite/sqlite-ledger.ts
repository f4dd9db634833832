import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Events } from '../../model/events.ts';
import { type Bookings, guildKey, type Requester, requesterOf } from '../../model/quota.ts';
import { type HourCounts, hourCounts, utcHour } from '../../quota/hours.ts';
import {
  type Booking,
  bookingOf,
  KEPT_DAYS,
  type KeptCounts,
  type Ledger,
  type MemberRequests,
  WRITE_SAVED_EVERY_MS,
} from '../../quota/ledger.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';

export const LEDGER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS bookings (
    day TEXT NOT NULL, guild TEXT NOT NULL, member TEXT NOT NULL,
    requests INTEGER NOT NULL, refused INTEGER NOT NULL, saved INTEGER NOT NULL,
    PRIMARY KEY (day, guild, member)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS bookings_by_member ON bookings (day, member);
  CREATE TABLE IF NOT EXISTS hours (
    day TEXT NOT NULL, hour INTEGER NOT NULL, requests INTEGER NOT NULL, saved INTEGER NOT NULL,
    PRIMARY KEY (day, hour)
  ) WITHOUT ROWID;
`;

type RowKey = [day: string, guild: string, member: string];

/** The ledger of a single process. */
export class SqliteLedger implements Ledger {
  readonly #database: DatabaseSync;
  readonly #events: Events | undefined;
  readonly #add: StatementSync;
  readonly #takeBack: StatementSync;
  /** Whose answers were saved since the last write, and when: they are counted after the answer. */
  readonly #unwritten: { requester: Requester; atMs: number }[] = [];
  #flushing: NodeJS.Timeout | undefined;
  #sweptDay = '';
  /** The last hour whose beginning is noted. */
  #noted = '';

  constructor(database: DatabaseSync, events?: Events) {
    this.#database = database;
    this.#events = events;
    this.#takeBack = database.prepare(
      'UPDATE bookings SET requests = max(0, requests - 1) WHERE day = ? AND guild = ? AND member = ?',
    );
    this.#add = database.prepare(
      `INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (day, guild, member) DO UPDATE SET
       requests = requests + excluded.requests, refused = refused + excluded.refused, saved = saved + excluded.saved`,
    );
  }

  spent(requester: Requester): Booking {
    const booking = bookingOf(requester);
    this.#book(rowKey(booking), 1, 0, 0);
    return booking;
  }

  refused(booking: Booking): void {
    this.#book(rowKey(booking), 0, 1, 0);
    // The statement stops at zero: the file may not have taken the request.
    this.#try(() => this.#takeBack.run(...rowKey(booking)));
  }

  saved(requester: Requester): void {
    this.#unwritten.push({ requester: requesterOf(requester), atMs: Date.now() });
    this.#events?.publish('saved', {});
    this.#flushing ??= setTimeout(() => this.#flush(), WRITE_SAVED_EVERY_MS).unref();
  }

  async today(): Promise<Bookings> {
    return this.#sum('day = ?', utcDay(Date.now()));
  }

  async hours(): Promise<HourCounts[]> {
    const nowMs = Date.now();
    const now = this.#sum('day = ?', utcDay(nowMs));
    const rows = this.#try(() => this.#database.prepare('SELECT * FROM hours WHERE day = ?').all(utcDay(nowMs)));
    if (!rows) return [];
    const starts = rows.map(({ hour, requests, saved }): [number, HourCounts] => [
      Number(hour),
      { requests: Number(requests), saved: Number(saved) },
    ]);
    return hourCounts(new Map(starts), now, nowMs);
  }

  async guildToday(requester: Requester): Promise<Bookings> {
    const [day, guild] = rowKey(bookingOf(requester));
    return this.#sum('day = ? AND guild = ?', day, guild);
  }

  async memberToday(memberId: string): Promise<Bookings> {
    return this.#sum('day = ? AND member = ?', utcDay(Date.now()), memberId);
  }

  async topMembers(requester: Requester, count: number): Promise<MemberRequests[]> {
    const [day, guild] = rowKey(bookingOf(requester));
    const most = `SELECT member, requests FROM bookings WHERE day = ? AND guild = ? AND requests > 0
                  ORDER BY requests DESC, member LIMIT ?`;
    const rows = this.#try(() => this.#database.prepare(most).all(day, guild, count)) ?? [];
    return rows.map(({ member, requests }) => ({ memberId: String(member), requests: Number(requests) }));
  }

  async keptOf(memberId: string): Promise<KeptCounts> {
    this.#flush();
    const sums = 'count(DISTINCT day) AS days, sum(requests) AS requests, sum(saved) AS saved';
    const row = this.#try(() => this.#database.prepare(`SELECT ${sums} FROM bookings WHERE member = ?`).get(memberId));
    return { days: Number(row?.days ?? 0), requests: Number(row?.requests ?? 0), saved: Number(row?.saved ?? 0) };
  }

  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    this.#flush();
    const deleted = this.#try(() => {
      this.#database.prepare('DELETE FROM bookings WHERE member = ? AND day <= ?').run(memberId, throughDay);
      // Otherwise the write-ahead log holds the rows until it is written over.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return true;
    });
    return deleted ?? false;
  }

  async close(): Promise<void> {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    const keys = this.#unwritten.splice(0).map(({ requester, atMs }) => rowKey({ requester, day: utcDay(atMs) }));
    if (keys.length > 0) this.#try(() => this.#database.exec('BEGIN')); // one write for all of them
    for (const [key, ...again] of Map.groupBy(keys, (key) => key.join(' ')).values())
      if (key) this.#book(key, 0, 0, 1 + again.length);
    this.#try(() => this.#database.isTransaction && this.#database.exec('COMMIT'));
    this.#try(() => this.#sweep());
  }

  #book(key: RowKey, requests: number, refused: number, saved: number): void {
    this.#try(() => this.#noteHour());
    this.#try(() => this.#add.run(...key, requests, refused, saved));
  }

  /** Before the first booking of an hour: the day's sums so far. */
  #noteHour(): void {
    const nowMs = Date.now();
    const [day, hour] = [utcDay(nowMs), utcHour(nowMs)];
    if (this.#noted === `${day} ${hour}`) return;
    this.#noted = `${day} ${hour}`;
    const note = `INSERT OR IGNORE INTO hours
                  SELECT ?, ?, coalesce(sum(requests), 0), coalesce(sum(saved), 0) FROM bookings WHERE day = ?`;
    this.#database.prepare(note).run(day, hour, day);
  }

  #sum(where: string, ...values: SQLInputValue[]): Bookings {
    this.#flush();
    const columns = 'sum(requests) AS requests, sum(refused) AS refused, sum(saved) AS saved';
    const row = this.#try(() =>
      this.#database.prepare(`SELECT ${columns} FROM bookings WHERE ${where}`).get(...values),
    );
    return { requests: Number(row?.requests ?? 0), refused: Number(row?.refused ?? 0), saved: Number(row?.saved ?? 0) };
  }

  /** What cannot be read counts as zero. Failures are not logged here: `StateWrites` does for the same file. */
  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      return undefined;
    }
  }

  #sweep(): void {
    const today = utcDay(Date.now());
    if (this.#sweptDay === today) return;
    this.#sweptDay = today;
    this.#database.prepare('DELETE FROM bookings WHERE day < ?').run(utcDay(Date.now() - KEPT_DAYS * DAY_MS));
    this.#database.prepare('DELETE FROM hours WHERE day < ?').run(today);
  }
}

function rowKey({ requester, day }: Booking): RowKey {
  return [day, guildKey(requester), requester.memberId];
}
