import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import { utcDay } from '../../time/utc-day.ts';
import { createOwnFile, makeFolder } from './own-files.ts';

const CHECK_EVERY_MS = 60_000;
const KEPT = 3;
const DAILY_COPY = /^state-\d{4}-\d{2}-\d{2}\.sqlite$/;

export interface DailyCopiesOptions {
  database: DatabaseSync;
  dataDir: string;
  log: Logger;
}

/**
 * One copy of `state.sqlite` for each UTC day on which the bot runs, a minute after its start or after midnight; the
 * newest three are kept in `backups/`. A copy is one file that only its owner can read.
 */
export class DailyCopies {
  readonly #database: DatabaseSync;
  readonly #folder: string;
  /** What a killed process may have left is removed at the next start. */
  readonly #unfinished: string;
  readonly #outage: Incident;
  readonly #timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  #copiedDay = '';

  constructor({ database, dataDir, log }: DailyCopiesOptions) {
    this.#database = database;
    this.#folder = join(dataDir, 'backups');
    this.#unfinished = join(this.#folder, 'state.unfinished');
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'the daily copy of state.sqlite failed: it is tried again every minute',
      ends: 'the daily copy of state.sqlite is made again',
    });
    rmSync(this.#unfinished, { force: true });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const day = utcDay(Date.now());
    if (this.#copiedDay === day) return;
    try {
      const copy = join(this.#folder, `state-${day}.sqlite`);
      if (!existsSync(copy)) this.#copy(copy);
      const copies = readdirSync(this.#folder).filter((name) => DAILY_COPY.test(name));
      for (const name of copies.sort().slice(0, -KEPT)) rmSync(join(this.#folder, name), { force: true });
      this.#copiedDay = day;
      this.#outage.succeeded();
    } catch (err) {
      this.#outage.failed({ err });
    }
  }

  /** Under its name only when it is complete. Takes some milliseconds for each megabyte, in which nothing else runs. */
  #copy(to: string): void {
    makeFolder(this.#folder);
    createOwnFile(this.#unfinished);
    try {
      this.#database.prepare('VACUUM INTO ?').run(this.#unfinished);
      {
        using copy = new DatabaseSync(this.#unfinished);
        // Interaction tokens and lists are worthless long before a copy is needed.
        copy.exec('PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON');
        copy.exec('DELETE FROM deferred_replies; DELETE FROM pasted_lists');
      }
      renameSync(this.#unfinished, to);
    } finally {
      rmSync(this.#unfinished, { force: true });
    }
  }
}
