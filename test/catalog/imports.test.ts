import { expect, it } from 'vitest';
import { search } from '../../src/catalog/search.ts';
import { openCatalog, WHO } from '../support/open-catalog.ts';
import { table } from '../table.ts';

const CARDS = Array.from({ length: 8 }, (_, at) => ({ id: `neo3-${at}`, name: 'Ho-Oh' }));

/** Of the cards by number: `june 0-7` imports them from a file, `ok 5` confirms, `no 0-4` denies them. */
function played(steps: string) {
  const catalog = openCatalog();
  for (const [, what = '', from, to] of steps.matchAll(/(\w+) (\d)(?:-(\d))?/g)) {
    const cards = CARDS.slice(Number(from), Number(to ?? from) + 1);
    if (what === 'no') for (const { id } of cards) catalog.deny(id, false);
    else if (what === 'ok') catalog.upsert(cards, undefined);
    else {
      catalog.beginImport(what);
      catalog.upsert(cards, what);
    }
  }
  const found = (typed: string) => search(catalog.index, typed, WHO).map(({ id }) => id);
  return { catalog, index: catalog.index, found };
}

it.each(table`
  nothing of it without a confirmation | june 0-7, no 0-4 |
  it once one of its cards is confirmed | june 0-7, no 0-4, ok 5 | 5 6 7
  it where one was confirmed before it | ok 5, june 0-7, no 0-4 | 5 6 7
  it where one was confirmed under the name of another file | may 0-7, ok 5, june 0-7, no 0-4 | 5 6 7
  it where one was confirmed of the import before the last, too | june 0-7, may 5, ok 5, no 0-4 | 5 6 7
  of it what another import names | may 6-7, june 0-6, no 0-4 | 6 7
  nothing of it where the service took the confirmation back | ok 5, no 5, june 0-7, no 0-4 |
  of it, when it is imported again, what its file has now | june 0-7, no 0-4, june 0-6 | 5 6
  of it, when it is imported again, no more once one is confirmed | june 0-7, no 0-4, june 0-6, ok 5 | 5 6
`)('after five denials of an import the catalog offers %s: %s', (_, steps, numbers) => {
  const ids = numbers.split(' ').flatMap((number) => (number ? [`neo3-${number}`] : []));
  expect(played(steps).found('ho-oh').sort()).toEqual(ids);
});

it('an import that is withdrawn is neither found by an id nor exported, and counted as withdrawn', () => {
  const { index, found } = played('june 0-7, no 0-4');
  expect([found('neo3-7'), [...index.rows()]]).toEqual([[], []]);
  const imports = [{ source: 'june', unconfirmed: 3, withdrawn: 1 }];
  expect(index.stats()).toMatchObject({ cards: 0, names: 0, imports });
});

it('of a withdrawn import that is imported again, a card whose id has another spelling now is found once', () => {
  const { catalog, found } = played('june 0-7, no 0-4, june 5');
  catalog.upsert([{ id: 'neo3/7', name: 'Ho-Oh' }], 'june');
  catalog.upsert(CARDS.slice(5, 6), undefined);
  expect(found('ho-oh').sort()).toEqual(['neo3-5', 'neo3/7']);
});

it('words that only withdrawn cards have together do not steer a search', () => {
  const { catalog, found } = played('');
  for (const name of ['Wax Amber Golem', 'Ember Fox', 'Thorn Fox']) catalog.upsert([{ id: name, name }], undefined);
  catalog.upsert(
    CARDS.map(({ id }) => ({ id, name: 'Amber Ember Thorn' })),
    'june',
  );
  for (const { id } of CARDS.slice(0, 5)) catalog.deny(id, false);
  expect(found('wax amber ember thorn')).toEqual(['Wax Amber Golem']);
});

it('the service is believed rather than a file, of which the catalog keeps what only files say', () => {
  const charizard = { id: 'base1-4', name: 'Charizard', set: 'Base' };
  const hoOh = { id: 'neo3-7', name: 'Ho-Oh' };
  const said = { also: ['Glurak', 'ドラゴン'], released: '1999-01-09' };
  const catalog = openCatalog([{ ...charizard, ...said, name: 'Dracaufeu' }], 'cards.csv');
  catalog.upsert([charizard, hoOh], undefined);
  catalog.upsert(
    [
      { ...charizard, set: 'Base Set' },
      { ...hoOh, ...said },
    ],
    'other.csv',
  );
  const rows = [charizard, hoOh].map((card) => ({ ...card, ...said }));
  expect([...catalog.index.rows()]).toEqual(rows);
  expect(search(catalog.index, 'glurak', WHO)).toHaveLength(2);
  expect(catalog.index.stats()).toMatchObject({ cards: 2, confirmed: 2 });
});
