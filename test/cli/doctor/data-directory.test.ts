import fs, { chmodSync, chownSync, readdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkDataDirectory } from '../../../src/cli/doctor/data-directory.ts';
import { openDatabase } from '../../../src/storage/sqlite/database.ts';
import { logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder, 0o700);
});

function faults(dataDir = folder): string[] {
  return checkDataDirectory(dataDir).flatMap(({ check, ok, cure }) => (ok ? [] : `${check}: ${cure}`));
}

/** A file of the bot, opened as it does. */
function stateFile() {
  const options = {
    ...logLines(),
    schema: 'CREATE TABLE IF NOT EXISTS notes (note TEXT)',
    exclusive: true,
    lossMeans: '',
  };
  return openDatabase(join(folder, 'state.sqlite'), options);
}

/** As if another user owned it: the user of the tests may be root, who may do everything. */
function forbid(path: string): void {
  for (const call of ['accessSync', 'readdirSync', 'openSync'] as const) {
    const allowed = fs[call] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, call as 'accessSync').mockImplementation((...args: unknown[]) => {
      if (args[0] === path) throw Object.assign(new Error(`EACCES: ${call}`), { code: 'EACCES' });
      return allowed(...args) as undefined;
    });
  }
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
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
    stateFile().close();
    chmodSync(join(folder, 'state.sqlite'), 0o640);
    expect(faults()).toEqual([`state.sqlite: Other users can read it. Run: chmod 600 ${join(folder, 'state.sqlite')}`]);
  });
});

describe('what another user owns', () => {
  it('is named with what to do when the bot may not use it', () => {
    forbid(folder);
    expect(faults()).toEqual([expect.stringMatching(/cannot write to it\. Run as root: chown -R \d+ /)]);
  });

  it('is named when it is a single file', () => {
    stateFile().close();
    const file = join(folder, 'state.sqlite');
    forbid(file);
    expect(faults()).toEqual([
      expect.stringMatching(/^state\.sqlite: User \d+ cannot read .* chown -h \d+ \S+sqlite$/),
    ]);
  });

  it('is no fault to root, who may run the doctor for a bot of somebody else', () => {
    if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534);
    const user = vi.spyOn(process, 'getuid' as never) as unknown as { mockReturnValue(id: number): void };
    onTestFinished(() => void vi.restoreAllMocks());
    user.mockReturnValue(0);
    expect(faults()).toEqual([]);
    user.mockReturnValue(12_345);
    expect(faults()).toEqual([expect.stringContaining('and the bot runs as user 12345')]);
  });
});
