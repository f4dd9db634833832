import { expect, it } from 'vitest';
import { CatalogExchange, joinedChange, type SharedChange } from '../../src/catalog/shared-catalog.ts';

const cards = (count: number, source?: string): SharedChange => ({
  kind: 'cards',
  cards: Array.from({ length: count }, (_, index) => ({ id: `base1-${index}`, name: 'Emberwing Drake' })),
  source,
});
const DENIED: SharedChange = { kind: 'denied', id: 'base1-4', isKept: false };

it.each<[string, SharedChange, SharedChange, number | undefined]>([
  ['cards that the service answered with are one change', cards(2), cards(1), 3],
  ['a change never has more than a hundred cards', cards(100), cards(1), undefined],
  ['cards of an import stay apart from others', cards(1, 'file'), cards(1), undefined],
  ['a denial stays where it is in the order', cards(1), DENIED, undefined],
  ['what follows a denial begins a new change', DENIED, cards(1), undefined],
])('%s', (_, first, second, joined) => {
  const change = joinedChange(first, second);
  expect(change?.kind === 'cards' ? change.cards.length : undefined).toBe(joined);
});

it('the end of what processes tell each other does not wait for one that does not answer', async () => {
  const told: unknown[] = [];
  const exchange = new CatalogExchange(
    {
      name: 'shared',
      publish: (changes) => {
        told.push(...changes);
        return new Promise(() => {});
      },
      changesAfter: async (cursor) => ({ changes: [], cursor }),
    },
    () => {},
  );
  exchange.learned({ kind: 'denied', id: 'base1-4', isKept: false });
  await exchange.close();
  expect(told).toEqual([{ kind: 'denied', id: 'base1-4', isKept: false }]);
});
