import { expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { withFittingIds } from '../../src/catalog/fitting-ids.ts';
import { cardIdReader } from '../../src/model/card-id.ts';

it('a line of a pasted list means no card whose id the service cannot have, and ids as it writes them', async () => {
  const cards = ['0042', 'OP01-025', '7'].map((id) => ({ id, name: id }));
  const resolveLines = async () => [{ cards }, { cards: [] }];
  const catalog = withFittingIds({ resolveLines } as unknown as Catalog, cardIdReader({ ids: 'digits' }));
  const meant = await catalog.resolveLines([], { memberId: 'a', guildId: undefined });
  expect(meant.map((line) => line.cards.map(({ id }) => id))).toEqual([['42', '7'], []]);
});
