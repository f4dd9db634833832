import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownFolder, removeLeftFolders } from '../../sandbox/own-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a killed sandbox leaves no folder once another starts, which keeps those of running ones', async () => {
  const { TMPDIR } = process.env;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = temporaryFolder();
  const { pid: ended } = spawnSync('true');
  const left = mkdtempSync(join(tmpdir(), `cardbot-sandbox-${ended}-bots-`));
  const foreign = mkdtempSync(join(tmpdir(), 'cardbot-sandbox-of-somebody-'));
  const own = await ownFolder('bots');

  await removeLeftFolders();

  expect([left, foreign, own].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
