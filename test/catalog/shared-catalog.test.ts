import { expect, it, onTestFinished, vi } from 'vitest';
import { CatalogExchange, type SharedChange } from '../../src/catalog/shared-catalog.ts';

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

it('what one process has learned is applied by another within three seconds, and more only after that', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const published: SharedChange[] = [];
  const shared = {
    name: 'shared',
    publish: async (changes: readonly SharedChange[]) => void published.push(...changes),
    changesAfter: async (cursor: string, limit: number) => {
      const changes = published.slice(Number(cursor), Number(cursor) + limit);
      return { changes, cursor: String(Number(cursor) + changes.length) };
    },
  };
  const applied: { ids: string[]; cursor: string }[] = [];
  const other = new CatalogExchange(shared, ({ changes, cursor }) => {
    applied.push({ ids: changes.map((change) => ('id' in change ? change.id : '')), cursor });
  });
  const one = new CatalogExchange(shared, () => {});
  other.reached('0');
  await vi.advanceTimersByTimeAsync(1_000);
  for (const id of ['a', 'b', 'c']) one.learned({ kind: 'denied', id, isKept: false });
  await vi.advanceTimersByTimeAsync(6_000);
  expect(applied).toEqual([{ ids: ['a', 'b'], cursor: '2' }]);
  other.reached('2');
  await vi.advanceTimersByTimeAsync(100);
  expect(applied.slice(1)).toEqual([{ ids: ['c'], cursor: '3' }]);
  await Promise.all([one.close(), other.close()]);
});
