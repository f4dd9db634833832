import { expect, it } from 'vitest';
import { CatalogExchange } from '../../src/catalog/shared-catalog.ts';

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
