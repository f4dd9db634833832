import { describe, expect, it } from 'vitest';
import type { CardStore } from '../../../src/cache/card-store.ts';
import type { CardRecord } from '../../../src/model/card.ts';
import { sqliteCards } from '../../cache/card-stores.ts';
import { WARN } from '../../support/log-lines.ts';

const CARD = { id: 'base1-4', name: 'Ember Drake', game: 'Wyrmfall', set: { id: 'base1', name: 'First Fires' } };

describe('a disk that fails', () => {
  const ANSWER: CardRecord = { card: CARD, fetchedAtMs: Date.now() };

  it.each<[string, (store: CardStore) => unknown, unknown?]>([
    ['a read a miss, with a warning', (store) => store.get('a'), undefined],
    [
      'a write a warning, and memory keeps the card',
      (store) => store.set('a', ANSWER).then(() => store.get('a')),
      ANSWER,
    ],
    ['closing a warning', (store) => store.close(), undefined],
  ])('makes %s', async (_, use, result) => {
    const { store, database, lines } = sqliteCards().openFile();
    database.close();
    expect(await use(store)).toEqual(result);
    expect(lines.map(({ level }) => level)).toEqual([WARN]);
  });
});
