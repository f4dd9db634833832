import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkDataDirectory } from '../../src/doctor/data-directory.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { STATE_VERSION } from '../../src/storage/sqlite/sqlite-state.ts';
import { logLines } from '../support/log-lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  chmodSync(folder, 0o700);
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function faults(dataDir = folder): string[] {
  return checkDataDirectory(dataDir).flatMap(({ check, ok, cure }) => (ok ? [] : `${check}: ${cure}`));
}

/** A file of the bot, opened as it does. */
function stateFile(version: number) {
  const options = {
    ...logLines(),
    schema: 'CREATE TABLE IF NOT EXISTS notes (note TEXT)',
    exclusive: true,
    lossMeans: '',
  };
  return openDatabase(join(folder, 'state.sqlite'), { ...options, version });
}

describe('the data directory', () => {
  it('is right when it is empty, or does not exist yet', () => {
    expect(faults()).toEqual([]);
    expect(faults(join(folder, 'new', 'deep'))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a file', () => writeFileSync(join(folder, 'at'), ''), 'is a file. Set DATA_DIR to a folder.'],
    ['a folder that others may change', () => chmodSync(folder, 0o777), 'Run: chmod 700', '.'],
    ['below a file', () => writeFileSync(join(folder, 'at'), ''), 'cannot be created', 'at/deep'],
  ])('%s is named with what to do', (_, make, expected, dataDir = 'at') => {
    make();
    expect(faults(join(folder, dataDir))).toEqual([expect.stringContaining(expected)]);
  });

  it('with a file that others may read is named with what to do', () => {
    stateFile(STATE_VERSION).close();
    chmodSync(join(folder, 'state.sqlite'), 0o640);
    expect(faults()).toEqual([`state.sqlite: Other users may read it. Run: chmod 600 ${join(folder, 'state.sqlite')}`]);
  });
});

describe('state.sqlite', () => {
  it('is right while a bot runs on it, and after', () => {
    const running = stateFile(STATE_VERSION);
    expect(faults()).toEqual([]);
    running.close();
    expect(checkDataDirectory(folder).at(-1)).toMatchObject({ ok: true, found: `schema ${STATE_VERSION}` });
  });

  it('of a newer version is named', () => {
    stateFile(STATE_VERSION + 1).close();
    expect(faults()).toEqual([expect.stringContaining(`(schema ${STATE_VERSION + 1}, this version knows up to`)]);
  });

  it('that is no database is named', () => {
    writeFileSync(join(folder, 'state.sqlite'), 'nonsense'.repeat(100), { mode: 0o600 });
    expect(faults()).toEqual([expect.stringContaining('It is no database.')]);
  });
});
