import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Incident, type Logger } from '../../log.ts';
import { every, utcDay } from '../../time.ts';
import { createOwnFile } from './file.ts';

const CHECK_EVERY_MS = 60_000;
const KEPT = 3;
const DAILY_COPY = /^state-\d{4}-\d{2}-\d{2}\.sqlite$/;

/**
 * Makes one copy of `state.sqlite` for each UTC day on which the bot runs, a minute after its start or after midnight;
 * the newest three are kept in `backups/`. A copy is one file that only its owner can read.
 *
 * @returns ends it
 */
export function copyDaily(database: DatabaseSync, dataDir: string, log: Logger): () => void {
  const folder = join(dataDir, 'backups');
  const unfinished = join(folder, 'state.unfinished');
  rmSync(unfinished, { force: true }); // a process that was killed may have left it
  const outage = new Incident(log, {
    level: 'error',
    begins: 'the daily copy of state.sqlite failed: it is tried again every minute',
    ends: 'the daily copy of state.sqlite is made again',
  });
  return every(CHECK_EVERY_MS, () => {
    const copy = join(folder, `state-${utcDay(Date.now())}.sqlite`);
    if (existsSync(copy)) return;
    try {
      copyInto(unfinished, database);
      renameSync(unfinished, copy); // under its name only when it is complete
      const copies = readdirSync(folder).filter((name) => DAILY_COPY.test(name));
      for (const name of copies.sort().slice(0, -KEPT)) rmSync(join(folder, name));
      outage.succeeded();
    } catch (err) {
      rmSync(unfinished, { force: true });
      outage.failed({ err });
    }
  });
}

/** Takes some milliseconds for each megabyte, in which nothing else runs. */
function copyInto(file: string, database: DatabaseSync): void {
  createOwnFile(file);
  database.prepare('VACUUM INTO ?').run(file);
  using copy = new DatabaseSync(file);
  // Interaction tokens and lists are worthless long before a copy is needed.
  copy.exec('PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON');
  copy.exec("DELETE FROM parts WHERE part GLOB 'lists:*' OR part GLOB 'replies*'");
}
