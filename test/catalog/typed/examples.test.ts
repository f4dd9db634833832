import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogDatabase } from '../../../src/catalog/database.ts';
import { search } from '../../../src/catalog/search.ts';
import { openCatalog, WHO } from '../../support/open-catalog.ts';
import { isMeant, LISTS, rows, typedTexts } from './texts.ts';

/** Texts of `examples.tsv` over `cards.tsv`: the cards that are meant, and others that are near to what is typed. */
describe.each(LISTS)('%s: what members type', (list) => {
  let catalog: CatalogDatabase;
  beforeAll(() => {
    const cards = rows('cards.tsv').filter(([of]) => of === list);
    catalog = openCatalog(
      cards.map(([game = '', id = '', name = '', set = '', number = '', released = '']) => ({
        ...{ id, name, set, number, game },
        ...(released && { released }),
      })),
      'cards.csv',
    );
  });

  const meantBy = new Map(typedTexts(list).map(({ typed, meant }) => [typed, meant]));
  for (const [of, typed = '', found] of rows('examples.tsv')) {
    if (of !== list) continue;
    const meant = meantBy.get(typed);
    const test = found === 'not yet' ? it.fails : it;
    test(`${typed} finds ${meant} first`, () => {
      const [first] = search(catalog.index, typed, WHO);
      expect(first && isMeant(String(meant))(first) ? meant : first).toBe(meant);
    });
  }
});

const CARD = { id: 'smp-SM210', name: 'Sink Below (Red)', set: 'Welcome to Rathe', number: 'WTR215' };

it.each(['Sink', 'Below', 'Sink Below @ Welcome', 'Snatch @ Welcome to Rathe', 'Sink Below # WTR21', '# SM210'])(
  'a text that means %s means none with another',
  (meant) => expect(isMeant(meant)(CARD)).toBe(false),
);
