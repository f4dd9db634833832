import { expect, it, onTestFinished, vi } from 'vitest';
import { CatalogExchange, changesOf, type SharedChange } from '../../src/catalog/shared-catalog.ts';

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

it('the shared catalog is read once in 1.5 s, written to every 1.5 s while much is learned, and left alone after the end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const publish = vi.fn(async () => {});
  const changesAfter = vi.fn(async (cursor: string) => ({ changes: [], cursor }));
  const exchange = new CatalogExchange({ name: 'shared', publish, changesAfter }, () => {});
  for (const cursor of ['1', '2', '3']) exchange.reached(cursor);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(changesAfter).toHaveBeenCalledTimes(10);
  for (let seconds = 0; seconds < 15; seconds++) {
    exchange.learned({ kind: 'denied', id: 'a', isKept: false });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(publish).toHaveBeenCalledTimes(10);
  await exchange.close();
  changesAfter.mockClear();
  await vi.advanceTimersByTimeAsync(5_000);
  exchange.reached('4');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(changesAfter).not.toHaveBeenCalled();
});

it('an import is told a hundred cards at a time, which is applied in milliseconds', () => {
  const cards = Array.from({ length: 250 }, (_, at) => ({ id: `x-${at}`, name: 'X' }));
  const changes = [...changesOf(cards, 'cards.csv')];
  expect(changes.map((change) => 'cards' in change && change.cards.length)).toEqual([100, 100, 50]);
  expect(changes.flatMap((change) => ('cards' in change ? change.cards : []))).toEqual(cards);
  expect(changes[0]).toMatchObject({ kind: 'cards', source: 'cards.csv' });
});
