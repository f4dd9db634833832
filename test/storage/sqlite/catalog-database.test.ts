import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog-database.ts';
import { logLines } from '../../support/log-lines.ts';

const CHARIZARD = { id: 'base1-4', name: 'Charizard', set: 'Base', number: '4/102', game: 'Pokémon' };
const HO_OH = { id: 'neo3-7', name: 'Ho-Oh' };

let folder: string;
let catalog: CatalogDatabase;
const { log, lines } = logLines();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  catalog = CatalogDatabase.open(folder, log);
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true });
});

describe('the catalog', () => {
  it('keeps what it was given, and can be read by its owner only', () => {
    expect(catalog.upsert([CHARIZARD, HO_OH], 'cards.csv')).toBe(2);
    catalog.close();
    catalog = CatalogDatabase.open(folder, log);
    expect([...catalog.rows()]).toEqual([
      { ...CHARIZARD, isConfirmed: false, isDenied: false, source: 'cards.csv' },
      { ...HO_OH, isConfirmed: false, isDenied: false, source: 'cards.csv' },
    ]);
    expect(statSync(catalog.file).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([]);
  });

  it('is not changed by the same rows', () => {
    catalog.upsert([CHARIZARD], 'cards.csv');
    expect(catalog.upsert([CHARIZARD], 'cards.csv')).toBe(0);
    expect(catalog.upsert([CHARIZARD], undefined)).toBe(1);
    expect(catalog.upsert([CHARIZARD], undefined)).toBe(0);
  });

  it('believes the service rather than a file', () => {
    catalog.upsert([{ ...CHARIZARD, name: 'Glurak' }], 'cards.csv');
    catalog.upsert([CHARIZARD], undefined);
    expect(catalog.upsert([{ ...CHARIZARD, name: 'Dracaufeu' }], 'other.csv')).toBe(0);
    expect([...catalog.rows()]).toMatchObject([{ name: 'Charizard', isConfirmed: true, source: 'cards.csv' }]);
  });

  it('finds a mistyped name whose first transaction was rolled back', () => {
    const broken = () =>
      catalog.inTransaction(() => {
        catalog.upsert([CHARIZARD], undefined);
        throw new Error('disk full');
      });
    expect(broken).toThrow('disk full');
    catalog.upsert([CHARIZARD], undefined);
    expect(catalog.index.vocabulary().meantBy('charizrad')).toEqual(['charizard']);
  });

  it('counts what it has', () => {
    catalog.upsert([CHARIZARD, { ...CHARIZARD, id: 'base4-4' }, HO_OH], 'cards.csv');
    catalog.upsert([CHARIZARD], undefined);
    const { bytes, ...counts } = catalog.stats();
    expect(counts).toEqual({
      ...{ cards: 3, confirmed: 1, denied: 0, names: 2 },
      imports: [{ source: 'cards.csv', unconfirmed: 2, isWithdrawn: false }],
    });
    expect(bytes).toBeGreaterThan(1_000);
  });
});
