import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Bookings, guildKey } from '../../model/quota.ts';
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
import { DAY_MS, utcDay, utcHour } from '../../time/utc-day.ts';

/**
 * Rows without a member are the sums of a server, and without a server those of the day: no read adds up what grows with a
 * day. A member's rows are beside each other; the index has what is listed of a server, and of a day that is kept no longer.
 */
export const LEDGER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS counts (
    member TEXT NOT NULL, day TEXT NOT NULL, guild TEXT NOT NULL,
    requests INTEGER NOT NULL, refused INTEGER NOT NULL, saved INTEGER NOT NULL,
    PRIMARY KEY (member, day, guild)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS counts_by_requests ON counts (day, guild, requests DESC);
  CREATE TABLE IF NOT EXISTS hour_starts (
    day TEXT NOT NULL, hour INTEGER NOT NULL,
    requests INTEGER NOT NULL, saved INTEGER NOT NULL,
    PRIMARY KEY (day, hour)
  ) WITHOUT ROWID;
`;

/** Deleted at once: the database is synchronous, and a whole day would delay answers. */
const SWEEP_ROWS = 500;

/** Of one row, too: without one, or where something else than a number stands, it is 0. */
const SUMS = 'coalesce(sum(requests), 0) AS requests, coalesce(sum(saved), 0) AS saved';

/** The counts of a single process. Failures are not logged here: `StateWrites` does for the same file. */
export class SqliteCounters implements CounterStore {
  readonly #database: DatabaseSync;
  readonly #add: StatementSync;
  readonly #service: string | undefined;
  readonly #unwritten: { booking: Booking; counts: Partial<Bookings> }[] = [];
  #sweptDay = '';
  /** The last hour whose beginning is noted. */
  #noted = '';

  /** @param service absent: the default interface */
  constructor(database: DatabaseSync, service?: string) {
    this.#database = database;
    this.#service = service;
    // Never below zero: the file may not have taken the request that is taken back.
    this.#add = database.prepare(
      `INSERT INTO counts VALUES (?1, ?2, ?3, max(0, ?4), ?5, ?6) ON CONFLICT DO UPDATE SET
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
    const isOfMember = of !== undefined && 'member' in of;
    const [where, value] = isOfMember ? ['member = ?', of.member] : ["member = '' AND guild = ?", of?.guild ?? ''];
    const sum = `SELECT ${SUMS}, coalesce(sum(refused), 0) AS refused FROM counts WHERE day = ? AND ${where}`;
    const [row] = this.#read<Bookings>(sum, dayOfService(day, this.#service), value) ?? [];
    return row ?? { requests: 0, refused: 0, saved: 0 };
  }

  async hourStarts(day: string): Promise<ReadonlyMap<number, HourCounts> | undefined> {
    const starts = 'SELECT hour, requests, saved FROM hour_starts WHERE day = ?';
    const rows = this.#read<HourCounts & { hour: number }>(starts, dayOfService(day, this.#service));
    const isValid = (row: object) => Object.values(row).every(Number.isSafeInteger);
    return rows && new Map(rows.filter(isValid).map(({ hour, ...counts }) => [hour, counts]));
  }

  async topMembers(day: string, guild: string, count: number): Promise<MemberRequests[]> {
    const most = `SELECT member AS memberId, requests FROM counts WHERE day = ? AND guild = ? AND requests BETWEEN 1 AND ?
                  AND member <> '' ORDER BY requests DESC, member LIMIT ?`;
    return (
      this.#read<MemberRequests>(most, dayOfService(day, this.#service), guild, Number.MAX_SAFE_INTEGER, count) ?? []
    );
  }

  async keptOf(memberId: string): Promise<KeptCounts | undefined> {
    const kept = `SELECT count(DISTINCT substr(day, 1, 10)) AS days, ${SUMS} FROM counts WHERE member = ?`;
    return this.#read<KeptCounts>(kept, memberId)?.[0];
  }

  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    this.#flush();
    const through = `${throughDay}~`; // of all services
    const deleted = this.#try(() => {
      // Their direct messages are a server of their own, whose sums are theirs.
      const ofServer = `DELETE FROM counts WHERE member = '' AND guild = ?1
                        AND day IN (SELECT day FROM counts WHERE member = ?2 AND day <= ?3)`;
      this.#database.prepare(ofServer).run(guildKey({ memberId, guildId: undefined }), memberId, through);
      this.#database.prepare('DELETE FROM counts WHERE member = ? AND day <= ?').run(memberId, through);
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
    if (added.length > 0) this.#try(() => this.#database.exec('BEGIN')); // one write for all of them
    for (const { booking, counts } of added) {
      const { requests = 0, refused = 0, saved = 0 } = counts;
      const { requester } = booking;
      const day = dayOfService(booking.day, this.#service);
      const guild = guildKey(requester);
      for (const [member, server] of [
        [requester.memberId, guild],
        ['', guild],
        ['', ''],
      ] as const)
        this.#try(() => this.#add.run(member, day, server, requests, refused, saved));
    }
    this.#try(() => this.#database.isTransaction && this.#database.exec('COMMIT'));
    this.#try(() => this.#sweep());
  }

  /** Before the first booking of an hour: the day's sums so far. */
  #noteHour(): void {
    const nowMs = Date.now();
    const [day, hour] = [dayOfService(utcDay(nowMs), this.#service), utcHour(nowMs)];
    if (this.#noted === `${day} ${hour}`) return;
    this.#noted = `${day} ${hour}`;
    const note = `INSERT OR IGNORE INTO hour_starts SELECT ?1, ?2, coalesce(sum(requests), 0), coalesce(sum(saved), 0)
                  FROM counts WHERE member = '' AND day = ?1 AND guild = ''`;
    this.#database.prepare(note).run(day, hour);
  }

  #sweep(): void {
    const today = utcDay(Date.now());
    if (this.#sweptDay === today) return;
    const firstKept = utcDay(Date.now() - KEPT_DAYS * DAY_MS);
    this.#database.prepare('DELETE FROM hour_starts WHERE day < ?').run(firstKept);
    const some = `DELETE FROM counts WHERE (member, day, guild) IN
                  (SELECT member, day, guild FROM counts WHERE day < ? LIMIT ${SWEEP_ROWS})`;
    if (this.#database.prepare(some).run(firstKept).changes < SWEEP_ROWS) this.#sweptDay = today;
  }

  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      return undefined;
    }
  }
}
