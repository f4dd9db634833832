import { describe, expect, it } from 'vitest';
import type { CardRecord } from '../../../src/model/card.ts';
import { sqliteCards } from '../../cache/card-stores.ts';
import { WARN } from '../../support/log-lines.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };

describe('a disk that fails', () => {
  it('makes a read a miss, with a warning', async () => {
    const { store, database, lines } = sqliteCards().openFile();
    database.close();
    expect(await store.get('a')).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });

  it('makes a write a warning, and memory keeps the card', async () => {
    const answer: CardRecord = { card: CARD, fetchedAtMs: Date.now() };
    const { store, database, lines } = sqliteCards().openFile();
    database.close();
    await store.set('a', answer);
    expect(await store.get('a')).toEqual(answer);
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });

  it('makes closing a warning', async () => {
    const { store, database, lines } = sqliteCards().openFile();
    database.close();
    await store.close();
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });
});
