import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Bookings, guildKey, WATCHES } from '../../model/quota.ts';
import type { HourCounts } from '../../quota/hours.ts';
import { KEPT_DAYS } from '../../quota/kept-days.ts';
import type { Booking, Counted, CounterStore, KeptCounts, MemberRequests } from '../../quota/ledger.ts';
import { DAY_MS, utcDay, utcHour } from '../../time/utc-day.ts';

export const LEDGER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS bookings (
    day TEXT NOT NULL, guild TEXT NOT NULL, member TEXT NOT NULL,
    requests INTEGER NOT NULL, refused INTEGER NOT NULL, saved INTEGER NOT NULL,
    PRIMARY KEY (day, guild, member)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS bookings_by_member ON bookings (day, member);
  DROP TABLE IF EXISTS hours; -- of versions without watches
  CREATE TABLE IF NOT EXISTS hour_starts (
    day TEXT NOT NULL, hour INTEGER NOT NULL,
    requests INTEGER NOT NULL, saved INTEGER NOT NULL, watches INTEGER NOT NULL,
    PRIMARY KEY (day, hour)
  ) WITHOUT ROWID;
`;

const SUMS = 'coalesce(sum(requests), 0) AS requests, coalesce(sum(saved), 0) AS saved';

/** The counts of a single process. Failures are not logged here: `StateWrites` does for the same file. */
export class SqliteCounters implements CounterStore {
  readonly #database: DatabaseSync;
  readonly #add: StatementSync;
  readonly #unwritten: { booking: Booking; counts: Partial<Bookings> }[] = [];
  #sweptDay = '';
  /** The last hour whose beginning is noted. */
  #noted = '';

  constructor(database: DatabaseSync) {
    this.#database = database;
    // Never below zero: the file may not have taken the request that is taken back.
    this.#add = database.prepare(
      `INSERT INTO bookings VALUES (?1, ?2, ?3, max(0, ?4), ?5, ?6) ON CONFLICT (day, guild, member) DO UPDATE SET
       requests = max(0, requests + ?4), refused = refused + ?5, saved = saved + ?6`,
    );
  }

  add(booking: Booking, counts: Partial<Bookings>): void {
    this.#unwritten.push({ booking, counts });
  }

  async write(): Promise<void> {
    this.#flush();
  }

  async sums(day: string, of?: Counted): Promise<Bookings> {
    const [[column, value] = ['day', day]] = Object.entries<string>(of ?? {});
    const sum = `SELECT ${SUMS}, coalesce(sum(refused), 0) AS refused FROM bookings WHERE day = ? AND ${column} = ?`;
    const [row] = this.#read<Bookings>(sum, day, value) ?? [];
    return row ?? { requests: 0, refused: 0, saved: 0 };
  }

  async hourStarts(day: string): Promise<ReadonlyMap<number, HourCounts> | undefined> {
    const starts = 'SELECT hour, requests, saved, watches FROM hour_starts WHERE day = ?';
    const rows = this.#read<HourCounts & { hour: number }>(starts, day);
    return rows && new Map(rows.map(({ hour, ...counts }) => [hour, counts]));
  }

  async topMembers(day: string, guild: string, count: number): Promise<MemberRequests[]> {
    const most = `SELECT member AS memberId, requests FROM bookings WHERE day = ? AND guild = ? AND requests > 0
                  ORDER BY requests DESC, member LIMIT ?`;
    return this.#read<MemberRequests>(most, day, guild, count) ?? [];
  }

  async keptOf(memberId: string): Promise<KeptCounts | undefined> {
    const kept = `SELECT count(DISTINCT day) AS days, ${SUMS} FROM bookings WHERE member = ?`;
    return this.#read<KeptCounts>(kept, memberId)?.[0];
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

  /** @returns `undefined` when it cannot be read */
  #read<T>(sql: string, ...values: (string | number)[]): T[] | undefined {
    this.#flush();
    return this.#try(() => this.#database.prepare(sql).all(...values) as T[]);
  }

  #flush(): void {
    const added = this.#unwritten.splice(0);
    if (added.length > 0) this.#try(() => this.#noteHour());
    if (added.length > 1) this.#try(() => this.#database.exec('BEGIN')); // one write for all of them
    for (const { booking, counts } of added) {
      const { requests = 0, refused = 0, saved = 0 } = counts;
      const { memberId } = booking.requester;
      this.#try(() => this.#add.run(booking.day, guildKey(booking.requester), memberId, requests, refused, saved));
    }
    this.#try(() => this.#database.isTransaction && this.#database.exec('COMMIT'));
    this.#try(() => this.#sweep());
  }

  /** Before the first booking of an hour: the day's sums so far. */
  #noteHour(): void {
    const nowMs = Date.now();
    const [day, hour] = [utcDay(nowMs), utcHour(nowMs)];
    if (this.#noted === `${day} ${hour}`) return;
    this.#noted = `${day} ${hour}`;
    const note = `INSERT OR IGNORE INTO hour_starts
                  SELECT ?, ?, ${SUMS}, coalesce(sum(requests) FILTER (WHERE guild = ?), 0) FROM bookings WHERE day = ?`;
    this.#database.prepare(note).run(day, hour, WATCHES, day);
  }

  #sweep(): void {
    const today = utcDay(Date.now());
    if (this.#sweptDay === today) return;
    this.#sweptDay = today;
    const firstKept = utcDay(Date.now() - KEPT_DAYS * DAY_MS);
    for (const table of ['bookings', 'hour_starts'])
      this.#database.prepare(`DELETE FROM ${table} WHERE day < ?`).run(firstKept);
  }

  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      return undefined;
    }
  }
}
