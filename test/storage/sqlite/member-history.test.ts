import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { sqliteMemberHistory } from '../../../src/storage/sqlite/member-history.ts';
import { logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('what a member looked up last is shown and deleted in the catalogs of all card services', async () => {
  const folder = temporaryFolder();
  const { log } = logLines();
  const history = sqliteMemberHistory(folder, log);
  expect(await history.lastCards('alice')).toEqual([]);
  for (const name of ['', 'names-0a1b2c3d']) {
    const catalog = CatalogDatabase.open(join(folder, name), log);
    catalog.asked.add(`card ${name}`, { memberId: 'alice', guildId: undefined }, 1, true);
    catalog.close();
  }
  expect(await history.lastCards('alice')).toHaveLength(2);
  expect(await history.forget('alice')).toBe(true);
  expect(await history.lastCards('alice')).toEqual([]);
  const files = ['', 'names-0a1b2c3d'].map((name) => readFileSync(join(folder, name, 'catalog.sqlite'), 'latin1'));
  expect(files.filter((file) => file.includes('alice'))).toEqual([]);
});
