import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogCard } from '../../src/catalog/catalog-card.ts';
import { inOneMenu, meaningOfList, resolveList, searchInList } from '../../src/catalog/list.ts';
import { unsearched } from '../../src/catalog/resolution.ts';
import type { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { openCatalog } from '../support/open-catalog.ts';

const WHO = { memberId: 'alice', guildId: 'guild' };
const CARDS: readonly CatalogCard[] = [
  { id: 'lea-161', name: 'Lightning Bolt', set: 'Limited Edition Alpha', number: '161' },
  { id: 'm10-146', name: 'Lightning Bolt', set: 'Magic 2010', number: '146' },
  { id: 'wwk-31', name: 'Jace, the Mind Sculptor', set: 'Worldwake', number: '31' },
  { id: 'khm-97', name: 'Tergrid, God of Fright', set: 'Kaldheim', number: '97' },
  { id: 'neo-97', name: 'Tergrid, God of Fright', set: 'Neon, Dynasty', number: '97' },
  { id: 'base1-1', name: 'Mew', set: 'Base' },
  { id: 'base1-10', name: 'Mewtwo', set: 'Base', also: ['Mewtu', 'ミュウツー'] },
  { id: 'a,b-1', name: 'Split; Id' },
  { id: ',c-1', name: 'Comma First' },
  { id: 'ex10-!', name: 'Unown', set: 'Unseen Forces', number: '!/28' },
  { id: 'ex10-?', name: 'Unown', set: 'Unseen Forces', number: '?/28' },
  { id: 'hop-1', name: 'Hop, Skip, Jump' },
  { id: 'tap-1', name: 'Tap, Slide, Spin, Bow' },
  { id: 'tap-2', name: 'Bow, Spin, Slide, Tap' },
  { id: 'gull-1', name: 'Gull', set: 'Shore' },
  { id: 'gull-2', name: 'Gull', set: 'Shore' },
  { id: 'gull-3', name: 'Gull' },
  { id: 'gs-1', name: 'Gulls Hore', set: 'Moor' },
  { id: 'g-1', name: 'Gulls', set: 'Hore' },
  { id: 'wide 1', name: 'Wide' },
  { id: 'wide', name: 'Wider' },
  { id: '_-1', name: '_____', set: '!' },
  { id: 'dot-1', name: 'Point · Dot', set: 'Shore' },
];

let catalog: CatalogDatabase;
beforeAll(() => {
  catalog = openCatalog(CARDS);
});

describe('a list of cards, while fewer than 100 ids are confirmed', () => {
  it.each<[string, string[], string[]]>([
    [' lea-161 , LEA_161;base1-1\n\r\nmewtwo', ['lea-161', 'base1-1', 'base1-10'], []],
    ['x1,x1, y2 x1', ['x1', 'y2'], []],
    [' ,;\n', [], []],
    ['Lightning Bolt · Limited Edition Alpha · 161, mew', ['lea-161', 'base1-1'], []],
    ['Lightning Bolt · 161 · Limited Edition Alpha, mew', ['lea-161', 'base1-1'], []],
    ['Mewtwo (Mewtu) · Base', ['base1-10'], []],
    ['Jace the Mind Sculptor · Worldwake · 31', ['wwk-31'], []],
    ['Jace, the Mind Sculptor · Worldwake · 31; mew', ['wwk-31', 'base1-1'], []],
    ['mew, Jace, the Mind Sculptor, mewtwo', ['base1-1', 'wwk-31', 'base1-10'], []],
    ['mew, Hop, Skip, Jump, mewtwo', ['base1-1', 'hop-1', 'base1-10'], []],
    ['Tap, Slide, Spin, Bow', ['Tap', 'Slide', 'Spin', 'Bow'], []],
    ['Tergrid, God of Fright, mew', ['base1-1'], ['Tergrid, God of Fright']],
    ['Tergrid God of Fright · Neon Dynasty · 97', ['neo-97'], []],
    ['Mew, Two', ['base1-1', 'Two'], []],
    ['mew, a,b-1, wide 1', ['base1-1', 'a,b-1', 'wide 1'], []],
    ['Unown · Unseen Forces · ?/28', ['ex10-?'], []],
    ['Gull · Shore · gull-2', ['gull-2'], []],
    ['Gull · gull-3', ['gull-3'], []],
    ['Gull · Shore', [], ['Gull · Shore']],
    ['Gulls · Hore', ['g-1'], []],
    ['_____ · !', ['_-1'], []],
    ['Point · Dot · Shore', ['dot-1'], []],
    ['Lightning Bolt · Limited Edition · 9', [], ['Lightning Bolt · Limited Edition · 9']],
    ['Nobody · Nowhere · 9, mew', ['base1-1'], ['Nobody · Nowhere · 9']],
    ['..', [], ['..']],
  ])('%j means %j', (list, ids, unclear) => {
    const meaning = resolveList(catalog.index, list, WHO);
    expect({ ...meaning, unclear: meaning.unclear.map(({ text }) => text) }).toEqual({ ids, unclear, unsearched: [] });
  });

  it.each([
    ['each an id where one more than may be listed is named, so that it is said', 11, 11],
    ['one text where more are', 12, 1],
  ])('pieces between blanks are %s', (_, pieces, expected) => {
    const text = Array.from({ length: pieces }, (_, index) => `x-${index + 1}`).join(' ');
    expect(resolveList(catalog.index, text, WHO).ids).toHaveLength(expected);
  });

  it('has one card more than may be listed, so that it is refused', () => {
    const list = Array.from({ length: 11 }, (_, at) => `x-${at}`).join();
    expect(resolveList(catalog.index, list, WHO).ids).toHaveLength(11);
  });

  it('that is a deck as games export it has the cards that its lines name, in the printings that they say', () => {
    const deck = [
      ...[
        'About',
        'Name Gull & Co, Tempo',
        '',
        'Deck',
        '4x Mewtwo',
        '1 Lightning Bolt (M10) 146',
        '2 Jace, the Mind Sculptor (WWK) 31',
      ],
      ...['// Lands', '3 lea-161', '', 'Sideboard', '4 Mew', 'SB: 1 Tergrid, God of Fright [NEO] 97 *F*', 'Mewtwo x2'],
    ].join('\n');
    expect(resolveList(catalog.index, deck, WHO)).toEqual({
      ids: ['base1-10', 'm10-146', 'wwk-31', 'lea-161', 'base1-1', 'neo-97'],
      unclear: [],
      unsearched: [],
    });
  });

  it.each<[string, string[], string[]]>([
    ['Lightning Bolt (Magic 2010)', ['m10-146'], []],
    ['4 Lightning Bolt LEA 161', ['lea-161'], []],
    ['4 Lightning Bolt (M11) 149, 2 mew', ['base1-1'], ['Lightning Bolt (M11) 149']],
    ['1 Jace, the Mind Sculptor (M19) 4', [], ['Jace, the Mind Sculptor (M19) 4']],
    ['1 Jace, the Nobody (M19) 4, 2 mew', ['base1-1'], ['Jace, the Nobody (M19) 4']],
    ['1 Mew (Base), 1 Lightning Bolt (M10) 146', ['base1-1', 'm10-146'], []],
    ['4x lightnig bolt', [], ['lightnig bolt']],
    ['2 Unown (ex10) ?', [], ['Unown (ex10) ?']],
    ['4x Nobody (XYZ) 12', [], ['Nobody (XYZ) 12']],
    ['7 Deck, 2 Gulls, Sideboard', ['deck-7', 'g-1'], []],
    ['Deck, Sideboard, Pokémon: 12', [], []],
    ['2 7:69, 7:70, Things: 12, [Gulls]', ['7:69', '7:70', 'g-1'], ['Things: 12']],
    ['Commander', ['cmd-1'], []],
  ])('%j means %j', (list, ids, unclear) => {
    const own = openCatalog(
      [...CARDS, { id: 'deck-7', name: '7 Deck' }, { id: '7:69', name: 'Rhino' }, { id: 'cmd-1', name: 'Commander' }],
      'cards.csv',
    );
    const meaning = resolveList(own.index, list, WHO);
    expect({ ...meaning, unclear: meaning.unclear.map(({ text }) => text) }).toEqual({ ids, unclear, unsearched: [] });
  });

  it('names other printings of a card where the one that it says is not known', () => {
    const { unclear } = resolveList(catalog.index, '4 Lightning Bolt (M11) 149', WHO);
    expect(unclear.map(({ total, cards }) => [total, ...cards.map(({ id }) => id)])).toEqual([
      [2, 'lea-161', 'm10-146'],
    ]);
  });

  it('has what its unclear parts may mean, as many cards as one menu holds', () => {
    const list = ['Lightning Bolt', 'Gull · Shore', 'tergrid god of frigt', 'Nobody · Nowhere', 'gulls hores'].join(
      '\n',
    );
    const { unclear } = resolveList(catalog.index, list, WHO);
    expect(unclear.map(({ text, cards, total }) => [text, total, ...cards.map(({ id }) => id)])).toEqual([
      ['Lightning Bolt', 2, 'lea-161', 'm10-146'],
      ['Gull · Shore', 2, 'gull-1', 'gull-2'],
      ['tergrid god of frigt', 0, 'khm-97', 'neo-97'],
      ['Nobody · Nowhere', 0],
      ['gulls hores', 0, 'gs-1'],
    ]);
    const cards = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: `Sprite ${at}` }));
    const some = inOneMenu(['a', 'b', 'c'].map((text) => ({ text, cards, total: 30 })));
    expect(some.map((each) => [each.total, each.cards.length])).toEqual(Array(3).fill([30, 8]));
  });

  it('has its last part also when others are the same card in other spellings', () => {
    const others = Array.from({ length: 9 }, (_, at) => `a${at + 1}`);
    const list = ['lea-161', 'LEA-161', 'lea 161', ...others].join();
    expect(resolveList(catalog.index, list, WHO)).toEqual({ ids: ['lea-161', ...others], unclear: [], unsearched: [] });
  });

  it('of which nothing is known has ids, also between blanks if each has a digit', () => {
    const meaning = meaningOfList('base1-4 base1-5, base 1, Emberwing Drake', () => ({ kind: 'id' }));
    expect(meaning).toEqual({ ids: ['base1-4', 'base1-5', 'base 1', 'Emberwing Drake'], unclear: [], unsearched: [] });
  });

  it('has no card for a heading or a count where names are not known or not searched', () => {
    const list = 'Deck\n4 Emberwing Drake OBF 125\n3x base1-4\nTrainer: 20';
    expect(meaningOfList(list, unsearched)).toMatchObject({
      ids: ['base1-4'],
      unsearched: ['Emberwing Drake OBF 125'],
    });
    expect(meaningOfList('Deck\n3x base1-4', () => ({ kind: 'id' })).ids).toEqual(['base1-4']);
  });

  it('that cannot be searched has ids only where there is a digit, and no labels', () => {
    const list = 'base1-4 base1-5, Emberwing Drake, ..\nEmberwing Drake; Drake 2, Drake · Base · 2, a b-1';
    expect(meaningOfList(list, unsearched)).toEqual({
      ids: ['base1-4', 'base1-5', 'Drake 2', 'a b-1'],
      unclear: [{ text: '..', cards: [], total: 0 }],
      unsearched: ['Emberwing Drake', 'Drake · Base · 2'],
    });
  });
});

describe('the last part of a list', () => {
  const rows = (typed: string) =>
    searchInList(catalog.index, typed, WHO).map(({ before, card }) => `${before}| ${card.id}`);

  it.each<[string, string[]]>([
    ['jace', ['| wwk-31']],
    ['Jace, the M', ['| wwk-31']],
    ['mew, Tergrid, God', ['base1-1, | khm-97', 'base1-1, | neo-97']],
    ['Tergrid, God of, Fri', ['Tergrid, God of, | khm-97', 'Tergrid, God of, | neo-97']], // in other pieces than the name
    ['Lightning Bolt · Limited Edition Alpha · 161; jace', ['lea-161, | wwk-31']],
    ['Jace, the Mind Sculptor, lightning', ['wwk-31, | lea-161', 'wwk-31, | m10-146']],
    ['nobody, gull, jace', ['nobody, gull, | wwk-31']],
    ['a,b-1;jace', ['a,b-1, | wwk-31']],
    ['Deck\n4x mew, 2x jac', ['base1-1, | wwk-31']],
    ['10 lightning', ['| lea-161', '| m10-146']], // although a set has that number
    ['comma first', []],
    ['jace,', []],
  ])('%j is completed with %j', (typed, expected) => expect(rows(typed)).toEqual(expected));

  it('says which cards look like others of their name, also when the others are not found', () => {
    const found = (typed: string) =>
      searchInList(catalog.index, typed, WHO).filter(({ looksLikeOthers }) => looksLikeOthers);
    expect(found('gull').map(({ card }) => card.id)).toEqual(['gull-1', 'gull-2', 'gull-3']);
    expect(found('Gull · Shore · gull-2').map(({ card }) => card.id)).toEqual(['gull-2']);
    expect(found('wide 1').map(({ card }) => card.id)).toEqual(['wide 1']);
    expect([...found('unown'), ...found('bolt'), ...found('jace')]).toEqual([]);
  });

  it('is completed with as many cards as Discord shows', () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: `Hop, Skip ${'abc'.repeat(at)}` }));
    const own = openCatalog(many, 'cards.csv');
    expect(searchInList(own.index, 'Hop, Skip', WHO)).toHaveLength(25);
  });

  it('is completed as long as there are fewer than ten before it', () => {
    const listOf = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}, `).join('');
    expect(rows(`${listOf(9)}jace`)).toEqual([`${listOf(9)}| wwk-31`]);
    expect(rows(`${listOf(10)}jace`)).toEqual([]);
  });
});
