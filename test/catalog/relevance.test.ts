import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogCard } from '../../src/catalog/catalog-card.ts';
import { find, search } from '../../src/catalog/search.ts';
import { queryOf } from '../../src/catalog/words.ts';
import type { Requester } from '../../src/model/quota.ts';
import type { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { printings } from '../bench/search/printings.ts';
import { openCatalog } from '../support/open-catalog.ts';
import { isMeant, rows } from './typed/texts.ts';

const WHO = { memberId: 'alice', guildId: 'guild' };
const NOISE = 1_200;

let catalog: CatalogDatabase;
beforeAll(() => {
  const cards = rows('many-games-cards.tsv').map(([game = '', id = '', name = '', set = '', number = '']) => ({
    ...{ id, name, set, number, game },
  }));
  catalog = openCatalog(printings(NOISE).toSpliced(NOISE / 2, 0, ...cards), 'cards.csv');
});

function found(typed: string, count: number): CatalogCard[] {
  return search(catalog.index, typed, WHO).slice(0, count);
}

describe('what members type', () => {
  it.each(rows('many-games.tsv'))('found %s by %j: %s', (among, typed = '', meant = '') => {
    const cards = found(typed, 5);
    expect(cards.slice(0, among === 'first' ? 1 : 5).some(isMeant(meant)) ? [] : cards, meant).toEqual([]);
  });

  it.each([
    [4, 5],
    [5, 5],
  ])('is offered with what fits less well only while fewer than five cards fit: %i do', (fitting, offered) => {
    const fit = Array.from({ length: fitting }, (_, at) => ({ id: `eel-${at}`, name: `Murkling Eel ${at}` }));
    const own = openCatalog([...fit, { id: 'newt-1', name: 'Murklimg Newt' }], 'cards.csv');
    expect(search(own.index, 'murkling', WHO)).toHaveLength(offered);
  });

  it.each([
    ['sword', { id: 'sword', name: 'Gull' }],
    ['SWORD', { id: 'sword', name: 'Gull' }],
    ['sword', { id: 'gull-1', name: 'Gull', number: 'Sword' }],
    ['sword', { id: 'gull-1', name: 'Sword' }],
  ])('is offered alone where it is a whole id, number or name: %j of %j', (typed, card) => {
    const own = openCatalog([card, { id: 'newt-1', name: 'Swurd Newt' }], 'cards.csv');
    expect(search(own.index, typed, WHO).map(({ id }) => id)).toEqual([card.id]);
  });

  it('is two words that are one before it is only one of them', () => {
    const begun = Array.from({ length: 30 }, (_, at) => ({ id: `kar-${at}`, name: 'Kar' }));
    const own = openCatalog([...begun, { id: 'moth-1', name: 'Moth Karate' }], 'cards.csv');
    expect(search(own.index, 'kar ate', WHO)[0]?.name).toBe('Moth Karate');
  });

  it.each(['thunder heavy arms', 'heavy arms thunder'])('is two words that are one with all others: %j', (typed) => {
    const own = openCatalog(
      ['Moth Heavyarms', 'Old Heavyarms Thunder', 'Heavyarmsman Thunder', 'Thunder'].map((name) => ({
        ...{ id: name, name, set: 'Heavyarms' },
      })),
      'cards.csv',
    );
    expect(find(own.index, queryOf(typed), WHO)).toMatchObject({
      has: 'mistyped',
      cards: [{ name: 'Old Heavyarms Thunder' }],
    });
  });

  it('is what has fewest errors, however many more words a name has', () => {
    const own = openCatalog(
      ['Lantorn', 'Lantern Moth Of Old'].map((name) => ({ id: name, name })),
      'cards.csv',
    );
    expect(search(own.index, 'lanterm', WHO).map(({ name }) => name)).toEqual(['Lantern Moth Of Old', 'Lantorn']);
  });

  it.each([
    ['the longest of its words where no card has two of them', 'old fern lantern', ['Old Hare', 'Gull Fern']],
    ['the most of its words that one card has', 'murkling gullet lanternfish moth', ['Lanternfish Murkling']],
  ])('is %s: %j', (_, typed, others) => {
    const meant = ['Moth Lantern', 'Lanternfish Gullet Moth'];
    const own = openCatalog(
      [...others, ...meant].map((name) => ({ id: name, name })),
      'cards.csv',
    );
    expect(meant).toContain(search(own.index, typed, WHO)[0]?.name);
  });

  it.each([
    ['that which most words fit', 'gull moth zest', 'Moth'],
    ['the longer one', 'old gull moth', 'Old Gull'],
    ['the longer one, at the end, too', 'moth old gull', 'Old Gull'],
    ['the longer one where as many words fit both', 'blue moth gull', 'Blue Moth'],
    ['one of three letters', 'cod cheap', 'Cod'],
    ['a whole one', 'uprising cheap wxyzq', 'Uprising'],
  ])('is of two names %s: %j is %j', (_, typed, name) => {
    const own = openCatalog(
      [
        ['Gull', 'Blue'],
        ['Moth', 'Zest'],
        ['Old Gull'],
        ['Blue Moth'],
        ['Cod'],
        ['Polar Cap', 'Cod'],
        ['Uprising'],
        ['Uprisinger Cheap'],
      ].map(([name = '', set = '']) => ({ id: `${set} ${name}`, name, set })),
      'cards.csv',
    );
    expect(search(own.index, typed, WHO)[0]?.name).toBe(name);
  });

  it('has one word with an error where cards have each word, and none has both', () => {
    const own = openCatalog(
      ['Lantern Moth', 'Lanterm Eel'].map((name) => ({ id: name, name })),
      'cards.csv',
    );
    expect(find(own.index, queryOf('lanterm moth'), WHO)).toMatchObject({
      has: 'mistyped',
      cards: [{ name: 'Lantern Moth' }],
    });
  });

  it('is found in a name, and by what is asked for most, however many cards have it elsewhere', () => {
    const others = Array.from({ length: 400 }, (_, at) => ({ id: `z-${at}`, name: `Gull ${at}`, set: 'Zest' }));
    const inside = { id: 'inside', name: 'Very Zest Eel Of Many Words', set: 'Set Of Many Other Words' };
    const own = openCatalog([...others, inside], 'cards.csv');
    expect(search(own.index, 'zest', WHO)[0]?.id).toBe('inside');
    own.asked.add('z-333', { memberId: 'bob', guildId: 'guild' }, Date.now(), false);
    expect(search(own.index, 'gull', WHO)[0]?.id).toBe('z-333');
  });

  it('is found as the beginning of a name, too, however many names have the word inside', () => {
    const inside = Array.from({ length: 60 }, (_, at) => ({ id: `deep-${at}`, name: `Very Murk ${at} Eel` }));
    const own = openCatalog([...inside, { id: 'murkling-1', name: 'Murkling' }], 'cards.csv');
    expect(search(own.index, 'murk', WHO)[0]?.name).toBe('Murkling');
  });

  it('is the beginning of names: first where a word ends, then words by their cards, then other names of these', () => {
    const names = { Quibbard: 3, 'Quibbard Rex': 2, Quibmander: 4, Quibzap: 1, 'Quib Rex': 1 };
    const cards = Object.entries(names).flatMap(([name, count]) =>
      Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, name })),
    );
    const own = openCatalog(cards, 'cards.csv');
    const offered = search(own.index, 'quib', WHO).map(({ name }) => name);
    expect([...new Set(offered)]).toEqual(['Quib Rex', 'Quibbard', 'Quibmander', 'Quibzap', 'Quibbard Rex']);
  });

  it('is words begun: of many names that with most cards comes first, and of its cards the newest', () => {
    const released = ['2001-05-01', '2020-01-01', '1999-01-09'];
    const cards = released.map((date, at) => ({ id: `kram-${at}`, name: 'Kram Dudling', released: date }));
    const others = [...'abcdefghijklmnopqrstuvwxyz'].map((end) => ({ id: `kra-${end}`, name: `Kra Du${end}` }));
    const own = openCatalog([...cards, ...others], 'cards.csv');
    const [first, second] = search(own.index, 'kr du', WHO).map(({ id }) => id);
    expect([first, second]).toEqual(['kram-1', 'kram-0']);
  });

  it('may be a word that objects of JavaScript have', () => {
    for (const typed of ['constructor', 'charizard constructor', '__proto__'])
      expect(() => found(typed, 1)).not.toThrow();
  });

  it('is shown as the other name of a card that was typed', () => {
    catalog.upsert(
      [{ id: 'x-1', name: 'Zappelphilipp', also: ['Struwwelpeter', '雷鳥神', 'Zappelfritz'] }],
      'cards.csv',
    );
    const knownAs = (typed: string) => search(catalog.index, typed, WHO).map((card) => [card.name, card.knownAs]);
    expect(knownAs('struwwelpeter')).toEqual([['Zappelphilipp', 'Struwwelpeter']]);
    expect(knownAs('struww')).toEqual([['Zappelphilipp', 'Struwwelpeter']]);
    expect(knownAs('雷鳥')).toEqual([['Zappelphilipp', '雷鳥神']]);
    expect(knownAs('zappel')).toEqual([['Zappelphilipp', undefined]]);
  });

  it.each([
    ['where doom awaits deck list', 'Where Doom Awaits', 'Lost Memories', 'Where Doom Awaits'],
    ['blood on the altar rulings', 'Blood on the Altar', 'Burned Ruins', 'Blood on the Altar'],
    ['overdrive cheap', 'Overdrive', 'Clear World', 'Stardust Overdrive'],
    ['uprising cheap', 'Uprising', 'Polar Cap', 'Uprising'],
  ])('%j is the whole name %j and other words, and not %j of the set %j', (typed, name, other, set) => {
    catalog.upsert(
      [name, other].map((each) => ({ id: `${set} ${each}`, name: each, set })),
      'cards.csv',
    );
    expect(search(catalog.index, typed, WHO)[0]?.name).toBe(name);
  });

  it('has the newest card of a name first, where it is known when they came out', () => {
    const printed = ['2001-05-01', undefined, '2020', '1999-01-09'].map((released, at) => ({
      id: `nu-${at}`,
      name: 'Nuu',
      released,
    }));
    catalog.upsert(printed, 'cards.csv');
    expect(search(catalog.index, 'nuu', WHO).map(({ id }) => id)).toEqual(['nu-2', 'nu-0', 'nu-3', 'nu-1']);
  });

  it('is ranked among the cards that it tells most of, not among the first', () => {
    const names = [...Array.from({ length: 300 }, (_, at) => `Quorl Of Many Other Words ${at}`), 'Quorl'];
    const cards = names.map((name) => ({ id: name, name, set: 'Zest' }));
    catalog.upsert(cards, 'cards.csv');
    expect(found('zest quorl', 1)[0]?.name).toBe('Quorl');
  });

  it('is shown with what is asked for most first, among cards that fit equally well', () => {
    const asked = (id: string, guildId: string) =>
      catalog.asked.add(id, { memberId: 'bob', guildId }, Date.now(), false);
    for (let times = 0; times < 3; times++) asked('sv3pt5-25', 'elsewhere');
    expect(found('pikachu', 1)[0]?.id).toBe('sv3pt5-25');
    asked('base2-60', 'guild');
    expect(found('pikachu', 1)[0]?.id).toBe('base2-60');
    expect(found('pikachu 58', 1)[0]?.id).toBe('base1-58');
  });

  it('is, while nothing is typed, what the member asked for within 30 days, then what their server asks for most', () => {
    const own = openCatalog(
      [...'abcde'].map((id) => ({ id, name: `Gull ${id}` })),
      'cards.csv',
    );
    const asked = (id: string, who: Requester, daysAgo = 0, isPrivate = false) =>
      own.asked.add(id, who, Date.now() - daysAgo * 86_400_000, true, isPrivate);
    const [bob, carol] = [
      { memberId: 'bob', guildId: 'guild' },
      { memberId: 'carol', guildId: 'elsewhere' },
    ];
    asked('e', WHO, 31, true);
    asked('c', WHO, 29);
    for (const id of ['a', 'a', 'a', 'b', 'b']) asked(id, bob);
    for (const id of ['b', 'b', 'd']) asked(id, carol);
    expect(search(own.index, '', WHO).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('keeps its order among cards that are asked for equally often', () => {
    const names = ['Quibbard', 'Quibbard', 'Quibbard', 'Quibbard Rex', 'Quibbard Rex', ...Array(4).fill('Quibmander')];
    const own = openCatalog(
      names.map((name, at) => ({ id: `q-${at}`, name })),
      'cards.csv',
    );
    const order = () => [...new Set(search(own.index, 'quib', WHO).map(({ name }) => name))];
    const unasked = order();
    for (const at of names.keys()) own.asked.add(`q-${at}`, { memberId: 'bob', guildId: 'guild' }, Date.now(), false);
    expect(order()).toEqual(unasked);
  });
});
