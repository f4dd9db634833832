import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DailyCopies, outdated } from '../../../src/storage/sqlite/daily-copies.ts';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { DAY_MS } from '../../../src/time/utc-day.ts';
import { ERROR, logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
const SCHEMA =
  'CREATE TABLE IF NOT EXISTS notes (note TEXT); CREATE TABLE IF NOT EXISTS deferred_replies (secret TEXT); CREATE TABLE IF NOT EXISTS pasted_lists (list TEXT);';

beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS, toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function running() {
  const dataDir = temporaryFolder();
  const { log, lines } = logLines();
  const options = { log, schema: SCHEMA, lossMeans: '', exclusive: true };
  const database = openDatabase(join(dataDir, 'state.sqlite'), options);
  const copies = new DailyCopies({ database, dataDir, log });
  onTestFinished(async () => {
    await copies.close();
    database.close();
  });
  const folder = join(dataDir, 'backups');
  return {
    database,
    copies,
    dataDir,
    folder,
    lines,
    names: () => readdirSync(folder).sort(),
    /** On that day, counted from the start. */
    async copied(day: number) {
      vi.setSystemTime(NOON_MS + day * DAY_MS);
      const copy = join(folder, `state-${new Date().toISOString().slice(0, 10)}.sqlite`);
      const isMade = () => vi.advanceTimersByTime(MINUTE_MS) && existsSync(copy);
      await vi.waitUntil(isMade, { timeout: 60_000 });
      return copy;
    },
  };
}

function notesIn(file: string): unknown[] {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    return copy
      .prepare('SELECT note FROM notes')
      .all()
      .map(({ note }) => note);
  } finally {
    copy.close();
  }
}

describe('the daily copy of state.sqlite', () => {
  it('is made once a day while the bot has the file, and the newest three are kept', async () => {
    const { database, copied, names } = running();
    for (let day = 0; day < 5; day++) {
      database.prepare('INSERT INTO notes VALUES (?)').run(`day ${day}`);
      const copy = await copied(day);
      database.prepare('INSERT INTO notes VALUES (?)').run('after the copy');
      await copied(day);
      expect(notesIn(copy).at(-1)).toBe(`day ${day}`);
    }
    await vi.waitUntil(() => names().length === 3, { timeout: 60_000 });
    expect(names()).toEqual(['state-2026-11-22.sqlite', 'state-2026-11-23.sqlite', 'state-2026-11-24.sqlite']);
  });

  it('is one file that only its owner can read, without what is worthless in a copy', async () => {
    const { database, copied, folder, names } = running();
    database.exec("INSERT INTO deferred_replies VALUES ('interaction-token')");
    const copy = await copied(0);
    expect(names()).toHaveLength(1);
    expect([statSync(folder).mode & 0o777, statSync(copy).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(copy).includes('interaction-token')).toBe(false);
  });

  it('that fails is one error in the log, and made as soon as it can be', async () => {
    const { database, lines, copied } = running();
    database.exec('INSERT INTO notes VALUES (1); ALTER TABLE deferred_replies RENAME TO moved');
    for (let minutes = 0; minutes < 3; minutes++) {
      vi.advanceTimersByTime(MINUTE_MS);
      await vi.waitUntil(() => lines.length > 0, { timeout: 60_000 });
    }
    database.exec('ALTER TABLE moved RENAME TO deferred_replies');
    const copy = await copied(0);
    expect(notesIn(copy)).toHaveLength(1);
    expect(lines.filter(({ level }) => level === ERROR)).toMatchObject([
      { msg: 'the daily copy of state.sqlite failed: it is tried again every minute' },
    ]);
  });
});

describe('a stop during the copy', () => {
  it('gives it up, and neither counts it nor leaves anything of it', async () => {
    const { database, copies, folder, lines } = running();
    database.exec(`
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
      INSERT INTO notes SELECT hex(randomblob(1000)) FROM numbers
    `);
    vi.advanceTimersByTime(MINUTE_MS); // 6 MB, and the first step of the copy has not ended
    await copies.close();
    await vi.waitUntil(() => readdirSync(folder).length === 0, { timeout: 60_000 });
    expect(lines).toEqual([]);
  });

  it('that was a kill leaves nothing after the next start', async () => {
    const { folder, dataDir, database, lines } = running();
    mkdirSync(folder);
    const left = ['state.unfinished', 'state.unfinished-journal', 'state-schema-1.sqlite.unfinished'];
    for (const name of [...left, 'state-2026-11-19.sqlite']) writeFileSync(join(folder, name), 'half');
    const { log } = logLines();
    await new DailyCopies({ database, dataDir, log }).close();
    expect(readdirSync(folder)).toEqual(['state-2026-11-19.sqlite']);
    expect(lines).toEqual([]);
  });
});

describe('what is no longer kept', () => {
  const file = (name: string, agoDays = 0) => ({ name, writtenAtMs: NOON_MS - agoDays * DAY_MS });
  const days = [17, 18, 19, 20].map((day) => file(`state-2026-11-${day}.sqlite`));

  it.each([
    ['nothing of three days', days.slice(1), []],
    ['the oldest of four days, however they are listed', days.toReversed(), ['state-2026-11-17.sqlite']],
    [
      'a daily copy of 36 days ago, as of a bot that rarely runs',
      [file('state-2026-10-15.sqlite', 36)],
      ['state-2026-10-15.sqlite'],
    ],
    ['no file of somebody else', [...days.slice(1), file('notes.txt', 99), file('state-old.sqlite', 99)], []],
  ])('%s', (_, files, expected) => {
    expect(outdated(files, NOON_MS)).toEqual(expected);
  });
});
