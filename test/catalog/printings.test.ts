import { expect, it } from 'vitest';
import { printings } from '../../src/catalog/printings.ts';
import { openCatalog } from '../support/open-catalog.ts';

const WHO = { memberId: 'alice', guildId: undefined };

it('other printings are the other cards of the same name, those that are gone last', () => {
  const { index } = catalogOfNames();
  const part = { page: 0, isOthers: true };
  const idsOf = (id: string) => printings(index, id, WHO, part).cards.map((card) => card.id);
  expect(idsOf('base1-4')).toEqual(['base4-4', 'gym-1', 'base2-4']);
  expect(idsOf('BASE1 4')).toEqual(['base4-4', 'gym-1', 'base2-4']);
  expect(idsOf('xy2-11')).toEqual([]);
  expect(idsOf('nameless-1')).toEqual(['nameless-2']);
  expect(idsOf('unknown')).toEqual([]);
  expect(printings(index, 'unknown', WHO, part).total).toBe(0);
});

it('a page has 25 cards of a name, however many there are, and says how many', () => {
  const { index } = catalogOfNames();
  const page = (page: number, isOthers: boolean) => {
    const { cards, ...found } = printings(index, 'many-1', WHO, { page, isOthers });
    return [cards[0]?.id, cards.length, found.page, found.total, found.name];
  };
  expect(page(0, true)).toEqual(['many-0', 25, 0, 259, 'Copper Gull']);
  expect(page(1, true)).toEqual(['many-26', 25, 1, 259, 'Copper Gull']);
  expect(page(1, false)).toEqual(['many-25', 25, 1, 260, 'Copper Gull']);
  expect(page(10, false)).toEqual(['many-250', 10, 10, 260, 'Copper Gull']);
  expect(page(10, true)).toEqual(['many-251', 9, 10, 259, 'Copper Gull']);
  expect(page(99, true)).toEqual(['many-251', 9, 10, 259, 'Copper Gull']);
});

function catalogOfNames() {
  const many = Array.from({ length: 260 }, (_, at) => ({ id: `many-${at}`, name: 'Copper Gull' }));
  const drakes = ['base1-4', 'base2-4', 'base4-4'].map((id) => ({ id, name: 'Ember Drake' }));
  const others = [
    { id: 'gym-1', name: 'EMBER-DRAKE' },
    { id: 'xy2-11', name: 'Ember Drake EX' },
    { id: 'nameless-1', name: '!' },
    { id: 'nameless-2', name: '!' },
  ];
  const catalog = openCatalog([...drakes, ...others, ...many]);
  catalog.deny('base2-4', true);
  return catalog;
}
