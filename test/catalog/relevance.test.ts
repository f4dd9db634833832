import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { search } from '../../src/catalog/search.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { logLines } from '../support/log-lines.ts';
import { CARDS, noise } from './fixture-cards.ts';
import { AMONG_FIVE, FIRST } from './typed-queries.ts';

const WHO = { memberId: 'alice', guildId: 'guild' };
const NOISE = 1_200;

let folder: string;
let catalog: CatalogDatabase;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relevance-'));
  catalog = CatalogDatabase.open(folder, logLines().log);
  catalog.upsert(noise(NOISE).toSpliced(NOISE / 2, 0, ...CARDS), 'cards.csv');
});
afterAll(() => {
  catalog.close();
  rmSync(folder, { recursive: true });
});

function found(typed: string, count: number): string[] {
  return search(catalog.index, typed, WHO)
    .slice(0, count)
    .map(({ id, name, set, number }) => `${id} · ${name} · ${set} · ${number}`);
}

/** Whether what is meant, an id or a name, is among these. */
function isAmong(meant: string, cards: readonly string[]): boolean {
  return cards.some((card) => card.startsWith(`${meant} · `) || card.includes(` · ${meant} · `));
}

describe('what members type', () => {
  it.each(FIRST)('%j finds %s first', (typed, meant) => {
    const cards = found(typed, 5);
    expect(isAmong(meant, cards.slice(0, 1)) ? [] : cards, meant).toEqual([]);
  });

  it.each(AMONG_FIVE)('%j finds %s among the first five', (typed, meant) => {
    const cards = found(typed, 5);
    expect(isAmong(meant, cards) ? [] : cards, meant).toEqual([]);
  });

  it('is looked for with typing errors only when no card has all words as they were typed', () => {
    const vocabulary = vi.spyOn(catalog.index, 'vocabulary');
    found('charizard 4/102', 1);
    expect(vocabulary).not.toHaveBeenCalled();
    found('charizrad 4/102', 1);
    expect(vocabulary).toHaveBeenCalled();
    vocabulary.mockRestore();
  });

  it('is shown with what is asked for most first, among cards that fit equally well', () => {
    const asked = (id: string, guildId: string) =>
      catalog.asked.add(id, { memberId: 'bob', guildId }, Date.now(), false);
    for (let times = 0; times < 3; times++) asked('sv3pt5-25', 'elsewhere');
    expect(isAmong('sv3pt5-25', found('pikachu', 1))).toBe(true);
    asked('base2-60', 'guild');
    expect(isAmong('base2-60', found('pikachu', 1))).toBe(true);
    expect(isAmong('base1-58', found('pikachu 58', 1))).toBe(true);
  });
});
