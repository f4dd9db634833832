import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { printings } from '../../src/catalog/search.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { logLines } from '../support/log-lines.ts';

it('other printings are the other cards of the same name, those that are gone last', () => {
  const folder = mkdtempSync(join(tmpdir(), 'printings-'));
  const { index, ...catalog } = openCatalog(folder);
  const idsOf = (id: string) => printings(index, id).map((card) => card.id);
  expect(idsOf('base1-4')).toEqual(['base4-4', 'gym-1', 'base2-4']);
  expect(idsOf('BASE1 4')).toEqual(['base4-4', 'gym-1', 'base2-4']);
  expect(idsOf('xy2-11')).toEqual([]);
  expect(idsOf('nameless-1')).toEqual([]);
  expect(idsOf('unknown')).toEqual([]);
  expect(idsOf('many-1')).toHaveLength(25);
  catalog.close();
});

function openCatalog(folder: string) {
  const catalog = CatalogDatabase.open(folder, logLines().log);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const many = Array.from({ length: 40 }, (_, at) => ({ id: `many-${at}`, name: 'Copper Gull' }));
  const drakes = ['base1-4', 'base2-4', 'base4-4'].map((id) => ({ id, name: 'Ember Drake' }));
  const others = [
    { id: 'gym-1', name: 'EMBER-DRAKE' },
    { id: 'xy2-11', name: 'Ember Drake EX' },
    { id: 'nameless-1', name: '!' },
    { id: 'nameless-2', name: '!' },
  ];
  catalog.upsert([...drakes, ...others, ...many], undefined);
  catalog.deny('base2-4', true);
  return { index: catalog.index, close: () => catalog.close() };
}
