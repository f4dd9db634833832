import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import { KEPT_DAYS } from '../../quota/kept-days.ts';
import { withTimeout } from '../../time/timers.ts';
import { DAY_MS, utcDay } from '../../time/utc-day.ts';
import { createOwnFile, makeFolder } from './own-files.ts';

const CHECK_EVERY_MS = 60_000;
const KEPT = 3;
/** A part of a stop's 8 s: a slow disk takes this long for a few pages. */
const CLOSE_MS = 300;
/** What was left of a copy. */
const UNFINISHED = /^state.*\.unfinished/;
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
  readonly #options: DailyCopiesOptions;
  readonly #folder: string;
  readonly #outage: Incident;
  readonly #timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  #underWay: Promise<void> | undefined;
  #copiedDay = '';
  #isClosed = false;

  constructor(options: DailyCopiesOptions) {
    this.#options = options;
    this.#folder = join(options.dataDir, 'backups');
    this.#outage = new Incident(options.log, {
      level: 'error',
      begins: 'the daily copy of state.sqlite failed: it is tried again every minute',
      ends: 'the daily copy of state.sqlite is made again',
    });
    this.#removeUnfinished();
  }

  /** Gives up a copy that is under way: the next start makes it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await withTimeout(CLOSE_MS, this.#underWay ?? Promise.resolve());
  }

  #check(): void {
    this.#underWay ??= this.#copyOnce(utcDay(Date.now())).finally(() => {
      this.#underWay = undefined;
    });
  }

  async #copyOnce(day: string): Promise<void> {
    if (this.#copiedDay === day) return;
    const copy = join(this.#folder, `state-${day}.sqlite`);
    try {
      if (!existsSync(copy)) await this.#copy(copy);
      const writtenAtMs = (name: string) => statSync(join(this.#folder, name)).mtimeMs;
      const files = readdirSync(this.#folder).map((name) => ({ name, writtenAtMs: writtenAtMs(name) }));
      for (const name of outdated(files, Date.now())) rmSync(join(this.#folder, name), { force: true });
      this.#copiedDay = day;
      this.#outage.succeeded();
    } catch (err) {
      this.#removeUnfinished();
      if (!this.#isClosed) this.#outage.failed({ err });
    }
  }

  /** Removes what a killed process or a full disk left of a copy. */
  #removeUnfinished(): void {
    try {
      const left = readdirSync(this.#folder).filter((name) => UNFINISHED.test(name));
      for (const name of left) rmSync(join(this.#folder, name), { force: true });
    } catch {
      // There is no folder yet, or nothing can be removed from it: a copy will say so.
    }
  }

  /** Called after each hundred pages: copying a large file takes seconds on a small machine. */
  #continue(): void {
    if (this.#isClosed) throw new Error('given up');
  }

  /** Under its name only when it is complete. */
  async #copy(to: string): Promise<void> {
    const { database, log } = this.#options;
    const unfinished = join(this.#folder, 'state.unfinished');
    makeFolder(this.#folder);
    this.#removeUnfinished();
    createOwnFile(unfinished);
    await backup(database, unfinished, { progress: () => this.#continue() });
    this.#continue();
    {
      using copy = new DatabaseSync(unfinished);
      // Without WAL it stays one file. Interaction tokens and lists are worthless long before a copy is needed.
      copy.exec(
        'PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; DELETE FROM deferred_replies; DELETE FROM pasted_lists',
      );
    }
    renameSync(unfinished, to);
    log.debug({ file: to }, 'state.sqlite copied');
  }
}

/** The files that are no longer kept: all daily copies but three, and whatever is older than anything the ledger keeps. */
export function outdated(files: readonly { name: string; writtenAtMs: number }[], nowMs: number): string[] {
  const daily = files.map(({ name }) => name).filter((name) => DAILY_COPY.test(name));
  const old = files.filter(({ writtenAtMs }) => nowMs - writtenAtMs > KEPT_DAYS * DAY_MS).map(({ name }) => name);
  const oldCopies = old.filter((name) => DAILY_COPY.test(name));
  return [...new Set([...daily.sort().slice(0, -KEPT), ...oldCopies])];
}
