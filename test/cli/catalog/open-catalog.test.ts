import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OpenCatalog } from '../../../src/cli/catalog/open-catalog.ts';
import { CliFailure } from '../../../src/cli/context.ts';
import { logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('cards are not written into a file that the bot has found corrupt and moved aside', () => {
  const folder = temporaryFolder();
  const catalog = new OpenCatalog(folder, logLines().log);
  catalog.take([{ id: 'a', name: 'Drake' }], 'cards.csv');
  const file = join(folder, 'catalog.sqlite');
  renameSync(file, `${file}.corrupt`);
  expect(() => catalog.take([{ id: 'b', name: 'Drake' }], 'cards.csv')).toThrow(CliFailure);
  catalog.close();
});
