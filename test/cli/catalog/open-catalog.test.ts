import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CatalogUnusable, FileCatalog } from '../../../src/cli/catalog/open-catalog.ts';
import { logLines } from '../../support/log-lines.ts';

it('cards are not written into a file that the bot has found corrupt and moved aside', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-catalog-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const catalog = new FileCatalog(folder, logLines().log);
  await catalog.take([{ id: 'a', name: 'Drake' }], 'cards.csv');
  const file = join(folder, 'catalog.sqlite');
  renameSync(file, `${file}.corrupt`);
  await expect(catalog.take([{ id: 'b', name: 'Drake' }], 'cards.csv')).rejects.toThrow(CatalogUnusable);
  await catalog.close();
});
