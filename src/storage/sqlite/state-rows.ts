import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import type { Events } from '../../model/events.ts';
import type { DeletionRequest, DeletionRequests } from '../../privacy/member-data.ts';
import type { LimiterStore } from '../../quota/limiter-cell.ts';
import { LimiterState } from '../../quota/limiter-state.ts';
import { type CardsReply, parseJournaledReply, type ReplyJournal } from '../../replies/reply-ports.ts';

/** Writes to `state.sqlite`. No lookup fails because of one, and a full disk is logged once instead of by each. */
export class StateWrites {
  readonly #outage: Incident;
  #lost: Error | undefined;

  constructor(log: Logger, events?: Events) {
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'state cannot be written: deferred replies and counts are kept in memory, and lost at a restart',
      ends: 'state is written again',
      report: (works) => events?.publish('store', { store: 'state', works, reason: this.#lost?.message }),
    });
  }

  /** From now on nothing counts as written: the file is no longer in its place. */
  lost(reason: string): void {
    this.#lost = new Error(`${reason}: restart it, with a copy of its backups/ in that place`);
    this.#outage.failed({ err: this.#lost });
  }

  /** @param run a statement. One that changes nothing does not show that the disk has room: a full one takes it, too @returns whether it was written */
  try(run: () => { changes: number | bigint }): boolean {
    try {
      if (this.#lost) throw this.#lost;
      if (run().changes > 0) this.#outage.succeeded();
      return true;
    } catch (err) {
      this.#outage.failed({ err });
      return false;
    }
  }
}

export const JOURNAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deferred_replies (interaction_id TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
`;

/** The deferred replies of one process, for its next run. Failures are logged; a row that cannot be read is dropped. */
export class SqliteJournal implements ReplyJournal {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteUnmarked: StatementSync;
  readonly #log: Logger;
  readonly #writes: StateWrites;

  constructor(database: DatabaseSync, log: Logger, writes: StateWrites) {
    this.#database = database;
    this.#insert = database.prepare('INSERT OR REPLACE INTO deferred_replies VALUES (?, ?)');
    const deletes = 'DELETE FROM deferred_replies WHERE interaction_id = ?';
    this.#delete = database.prepare(deletes);
    this.#deleteUnmarked = database.prepare(`${deletes} AND reply ->> '$.isDeleted' IS NULL`);
    this.#log = log;
    this.#writes = writes;
  }

  async add(deferred: CardsReply): Promise<boolean> {
    this.#writes.try(() => this.#insert.run(deferred.interactionId, JSON.stringify(deferred)));
    return true;
  }

  async keeps({ interactionId }: CardsReply): Promise<boolean> {
    const find = () => this.#database.prepare('SELECT 1 FROM deferred_replies WHERE interaction_id = ?');
    return this.#try('deferred replies cannot be read', () => find().get(interactionId)) !== undefined;
  }

  owns(): boolean {
    return true;
  }

  holds(): boolean {
    return true;
  }

  async ended(interactionId: string): Promise<void> {
    this.#writes.try(() => this.#deleteUnmarked.run(interactionId));
  }

  async remove(interactionId: string): Promise<void> {
    this.#writes.try(() => this.#delete.run(interactionId));
  }

  async markDeleted(interactionId: string): Promise<boolean> {
    const mark =
      "UPDATE deferred_replies SET reply = json_set(reply, '$.isDeleted', json('true')) WHERE interaction_id = ?";
    this.#writes.try(() => this.#database.prepare(mark).run(interactionId));
    return true;
  }

  /** At once, oldest first. */
  takeOver(complete: (deferred: CardsReply) => void): void {
    const deferredReplies = this.#read();
    if (deferredReplies.length > 0) this.#log.info({ count: deferredReplies.length }, 'deferred replies taken over');
    for (const deferred of deferredReplies) complete(deferred);
  }

  #read(): CardsReply[] {
    const all = () => this.#database.prepare('SELECT * FROM deferred_replies').all();
    const deferredReplies = (this.#try('deferred replies cannot be read', all) ?? []).flatMap((row) => {
      const parse = () => parseJournaledReply(JSON.parse(String(row.reply)));
      const read = this.#try('invalid deferred reply: it is dropped', parse);
      if (read === undefined) void this.remove(String(row.interaction_id));
      return read ?? [];
    });
    return deferredReplies.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  }

  #try<T>(failure: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (err) {
      this.#log.error({ err }, failure);
      return undefined;
    }
  }
}

export const LIMITER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS limiter (account TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;

/** The limiter's state of one account (see `accountOf`), over restarts. */
export function sqliteLimiterStore(
  database: DatabaseSync,
  account: string,
  log: Logger,
  writes: StateWrites,
): LimiterStore {
  const read = database.prepare('SELECT state FROM limiter WHERE account = ?');
  const write = database.prepare('INSERT OR REPLACE INTO limiter VALUES (?, ?)');
  return {
    load() {
      try {
        const row = read.get(account);
        return row && LimiterState.parse(JSON.parse(String(row.state)));
      } catch (err) {
        log.warn({ err }, 'invalid limiter state: starting without it');
        return undefined;
      }
    },
    save: (state) => void writes.try(() => write.run(account, JSON.stringify(state))),
  };
}

export const DELETION_REQUESTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deletions (
    member TEXT PRIMARY KEY, at TEXT NOT NULL, last_change INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** Members' wishes to be forgotten, as told to a single process. */
export function sqliteDeletionRequests(database: DatabaseSync, writes: StateWrites): DeletionRequests {
  const run = (sql: string, ...values: (string | number)[]) => writes.try(() => database.prepare(sql).run(...values));
  return {
    add: async ({ memberId, at, lastChange }) =>
      run('INSERT OR REPLACE INTO deletions VALUES (?, ?, ?)', memberId, at, lastChange),
    async all() {
      try {
        const all = database.prepare('SELECT member AS memberId, at, last_change AS lastChange FROM deletions').all();
        return all as unknown as DeletionRequest[];
      } catch {
        return [];
      }
    },
    drop: async (beforeDay) => void run("DELETE FROM deletions WHERE at < ? OR at NOT GLOB '[0-9]*'", beforeDay),
  };
}
