import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { CatalogDatabase } from '../../src/catalog/database.ts';
import { readPastedList } from '../../src/catalog/lines.ts';
import { atOnce, meantBy, meantLine, resolveList, searchInList } from '../../src/catalog/list.ts';
import { inOneMenu } from '../../src/catalog/meaning.ts';
import { cardsOf, openCatalog, WHO } from '../support/open-catalog.ts';
import { table } from '../table.ts';

const CARDS = cardsOf(table`
  lea-161 | Lightning Bolt | Limited Edition Alpha | 161
  m10-146 | Lightning Bolt | Magic 2010 | 146
  wwk-31 | Jace, the Mind Sculptor | Worldwake | 31
  khm-97 | Tergrid, God of Fright | Kaldheim | 97
  neo-97 | Tergrid, God of Fright | Neon, Dynasty | 97
  base1-1 | Mew | Base
  base1-10 | Mewtwo | Base | | | Mewtu, ミュウツー
  a,b-1 | Split; Id
  ,c-1 | Comma First
  ex10-! | Unown | Unseen Forces | !/28
  ex10-? | Unown | Unseen Forces | ?/28
  hop-1 | Hop, Skip, Jump
  tap-1 | Tap, Slide, Spin, Bow
  tap-2 | Bow, Spin, Slide, Tap
  gull-1 | Gull | Shore
  gull-2 | Gull | Shore
  gull-3 | Gull
  gs-1 | Gulls Hore | Moor
  g-1 | Gulls | Hore
  wide 1 | Wide
  wide | Wider
  _-1 | _____ | !
  dot-1 | Point · Dot | Shore
`);
const MORE = cardsOf(table`
  deck-7 | 7 Deck
  7:69 | Rhino
  cmd-1 | Commander
`);

let ofTen: CatalogDatabase;
let withMore: CatalogDatabase;
let catalog: CatalogDatabase;
beforeAll(() => {
  ofTen = openCatalog(CARDS);
  withMore = openCatalog([...CARDS, ...MORE], 'cards.csv');
  catalog = openCatalog(PASTED, 'cards.csv');
});

const resolved = (list: string) => atOnce(resolveList(ofTen.index, list, WHO));
/** The ids, and the texts that are unclear. */
const saidBy = (catalog: CatalogDatabase, list = '') => {
  const { ids, unclear, unsearched } = atOnce(resolveList(catalog.index, list.replaceAll('\\n', '\n'), WHO));
  expect(unsearched).toEqual([]);
  return [ids.join(' '), unclear.map(({ text }) => text).join(' & ')];
};

it.each([
  ...table`
    x1,x1, y2 x1 | x1 y2
    ,;\n |
    Lightning Bolt · Limited Edition Alpha · 161, mew | lea-161 base1-1
    Lightning Bolt · 161 · Limited Edition Alpha, mew | lea-161 base1-1
    Mewtwo (Mewtu) · Base | base1-10
    Jace the Mind Sculptor · Worldwake · 31 | wwk-31
    Jace, the Mind Sculptor · Worldwake · 31; mew | wwk-31 base1-1
    mew, Jace, the Mind Sculptor, mewtwo | base1-1 wwk-31 base1-10
    mew, Hop, Skip, Jump, mewtwo | base1-1 hop-1 base1-10
    Tap, Slide, Spin, Bow | Tap Slide Spin Bow
    Tergrid, God of Fright, mew | base1-1 | Tergrid, God of Fright
    Tergrid God of Fright · Neon Dynasty · 97 | neo-97
    Mew, Two | base1-1 Two
    Unown · Unseen Forces · ?/28 | ex10-?
    Gull · Shore · gull-2 | gull-2
    Gull · gull-3 | gull-3
    Gull · Shore | | Gull · Shore
    Gull · constructor, mew | base1-1 | Gull · constructor
    Gulls · Hore | g-1
    _____ · ! | _-1
    Point · Dot · Shore | dot-1
    Lightning Bolt · Limited Edition · 9 | | Lightning Bolt · Limited Edition · 9
    Nobody · Nowhere · 9, mew | base1-1 | Nobody · Nowhere · 9
  `,
  [' lea-161 , LEA_161;base1-1\n\r\nmewtwo', 'lea-161 base1-1 base1-10'],
  ['mew, a,b-1, wide 1', 'base1-1 a,b-1 wide 1'],
])('of fewer than 100 confirmed ids %j means %j, and %j is unclear', (list, ids = '', unclear = '') =>
  expect(saidBy(ofTen, list)).toEqual([ids, unclear]),
);

it.each(table`
  Lightning Bolt (Magic 2010) | m10-146
  4 Lightning Bolt LEA 161 | lea-161
  4 Lightning Bolt (M11) 149, 2 mew | base1-1 | Lightning Bolt (M11) 149
  1 Jace, the Mind Sculptor (M19) 4 | | Jace, the Mind Sculptor (M19) 4
  1 Jace, the Nobody (M19) 4, 2 mew | base1-1 | Jace, the Nobody (M19) 4
  1 Mew (Base), 1 Lightning Bolt (M10) 146 | base1-1 m10-146
  4x lightnig bolt | | lightnig bolt
  2 Unown (ex10) ? | | Unown (ex10) ?
  4x Nobody (XYZ) 12 | | Nobody (XYZ) 12
  7 Deck, 2 Gulls, Sideboard | deck-7 g-1
  Deck, Sideboard, Pokémon: 12 |
  2 7:69, 7:70, Things: 12, [Gulls] | 7:69 7:70 g-1 | Things: 12
  Commander | cmd-1
  About\nName Gull & Co, Tempo\n\nDeck\n4x Mewtwo\n1 Lightning Bolt (M10) 146\n2 Jace, the Mind Sculptor (WWK) 31\n// Lands\n3 lea-161\n\nSideboard\n4 Mew\nSB: 1 Tergrid, God of Fright [NEO] 97 *F*\nMewtwo x2 | base1-10 m10-146 wwk-31 lea-161 base1-1 neo-97
`)('a list of cards as games export it: %j means %j, and %j is unclear', (list, ids, unclear = '') =>
  expect(saidBy(withMore, list)).toEqual([ids, unclear]),
);

it.each([
  ['ids between blanks, one more than may be listed, so that it is refused', 11, ' ', 11],
  ['one text between blanks where more are', 12, ' ', 1],
  ['ids between commas, one more than may be listed', 11, ',', 11],
])('a list of cards has %s', (_, pieces, separator, expected) => {
  const text = Array.from({ length: pieces }, (_, index) => `x-${index + 1}`).join(separator);
  expect(resolved(text).ids).toHaveLength(expected);
});

it('a list of cards has ids without a digit between blanks if all are known', () => {
  const { index } = openCatalog(['alpha', 'beta'].map((id) => ({ id, name: `Gull ${id}` })));
  const idsOf = (list: string) => atOnce(resolveList(index, list, WHO)).ids;
  expect(idsOf('alpha beta')).toEqual(['alpha', 'beta']);
  expect(idsOf('alpha gamma')).not.toContain('alpha');
});

it.each(table`
  Lightning Bolt | 2 | lea-161 m10-146
  Gull · Shore | 2 | gull-1 gull-2
  tergrid god of frigt | 0 | khm-97 neo-97
  Nobody · Nowhere | 0 |
  gulls hores | 0 | gs-1
  Lightning Bolt (M11) 149 | 2 | lea-161 m10-146
`)(
  'a list of cards has what an unclear part may mean, other printings where the one that it says is not known: %s',
  (...expected) => {
    const { unclear } = resolved(`4 ${expected[0]}, mew`);
    const menus = unclear.map(({ text, total, cards }) => [text, String(total), cards.map(({ id }) => id).join(' ')]);
    expect(menus).toEqual([expected]);
  },
);

it('a list of cards has as many cards as one menu holds', () => {
  const cards = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: `Sprite ${at}` }));
  const some = inOneMenu(['a', 'b', 'c'].map((text) => ({ text, cards, total: 30 })));
  expect(some.map((each) => [each.total, each.cards.length])).toEqual(Array(3).fill([30, 8]));
});

it('a list of cards has its last part also when others are the same card in other spellings', () => {
  const others = Array.from({ length: 9 }, (_, at) => `a${at + 1}`);
  const list = ['lea-161', 'LEA-161', 'lea 161', ...others].join();
  expect(resolved(list)).toEqual({ ids: ['lea-161', ...others], unclear: [], unsearched: [] });
});

it.each(table`
  base1-4 base1-5, base 1, Emberwing Drake | base1-4, base1-5, base 1 | Emberwing Drake
  Deck\n4 Emberwing Drake OBF 125\n3x base1-4\nTrainer: 20 | base1-4 | Emberwing Drake OBF 125
  Emberwing Drake; Drake 2, Drake · Base · 2, a b-1 | Drake 2, a b-1 | Emberwing Drake, Drake · Base · 2
`)(
  'a list of cards: %s has ids %s while names cannot be searched; what has no digit, and labels, are names',
  (list = '', ...expected) => {
    const { ids, unsearched } = atOnce(resolveList(undefined, list.replaceAll('\\n', '\n'), WHO));
    expect([ids.join(', '), unsearched.join(', ')]).toEqual(expected);
  },
);

const rows = (typed: string) =>
  searchInList(ofTen.index, typed, WHO).map(({ before, card }) => `${before}/ ${card.id}`);

it.each(table`
  jace | / wwk-31
  Jace, the M | / wwk-31
  mew, Tergrid, God | base1-1, / khm-97 & base1-1, / neo-97
  Tergrid, God of, Fri | Tergrid, God of, / khm-97 & Tergrid, God of, / neo-97
  Lightning Bolt · Limited Edition Alpha · 161; jace | lea-161, / wwk-31
  Jace, the Mind Sculptor, lightning | wwk-31, / lea-161 & wwk-31, / m10-146
  nobody, gull, jace | nobody, gull, / wwk-31
  a,b-1;jace | a,b-1, / wwk-31
  Deck\n4x mew, 2x jac | base1-1, / wwk-31
  10 lightning | / lea-161 & / m10-146
  comma first |
  jace, |
`)('the last part of a list: %j is completed with %j', (typed = '', expected) =>
  expect(rows(typed.replaceAll('\\n', '\n')).join(' & ')).toBe(expected),
);

it.each(table`
  gull | gull-1 gull-2 gull-3
  Gull · Shore · gull-2 | gull-2
  wide 1 | wide 1
  unown |
  bolt |
  jace |
`)(
  'the last part of a list: %j says which cards look like others of their name, also when the others are not found: %s',
  (typed = '', expected) => {
    const found = searchInList(ofTen.index, typed, WHO).filter(({ looksLikeOthers }) => looksLikeOthers);
    expect(found.map(({ card }) => card.id).join(' ')).toBe(expected);
  },
);

it('a list is completed with as many cards as Discord shows, as long as there are fewer than ten before its last part', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: `Hop, Skip ${'abc'.repeat(at)}` }));
  expect(searchInList(openCatalog(many, 'cards.csv').index, 'Hop, Skip', WHO)).toHaveLength(25);
  const listOf = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}, `).join('');
  expect(rows(`${listOf(9)}jace`)).toEqual([`${listOf(9)}/ wwk-31`]);
  expect(rows(`${listOf(10)}jace`)).toEqual([]);
});

const PASTED = cardsOf(table`
  flt-1 | Wick, Who Waits | First Light | 1/102 | 2020-01-01 | FLT, Rare
  flt-2 | Moth Cartographer | First Light | 2/102 | 2020-01-01 | FLT, Rare
  sdk-2 | Moth Cartographer | Second Dusk | 12/90 | 2023-01-01 | SDK, Rare
  flt-3 | Candle Hare | First Light | 3/102 | 2020-01-01 | FLT, Kerzenhase
  flt-4 | Ash & Ember | First Light | 4/102 | 2020-01-01 | FLT, Rare
  flt-5 | Ash, the First | First Light | 5/102 | 2020-01-01 | FLT, Rare
  drake-a | Ember Drake | First Light | H6 | 2020-01-01 | FLT, Rare
  drake-b | Ember Drake | First Light | 6 | 2020-01-01 | FLT, Rare
  marsh-a | Marsh | Second Dusk |  | 2023-01-01 | SDK, Rare
  marsh-b | Marsh | Second Dusk |  | 2023-01-01 | SDK, Rare
  flt-9 | 7 Lanterns | First Light | 9/102 | 2020-01-01 | FLT, Rare
  flt-10 | Hare (Not the Candle One) | First Light | 10/102 | 2020-01-01 | FLT, Rare
  flt-11 | Tide | First Light | 11/102 | 2020-01-01 | FLT, Rare
  flt-51a | Tide Keeper | First Light | 51a | 2020-01-01 | FLT, Rare
  flt-60a | Twin Moth | First Light | 60a | 2020-01-01 | FLT, Rare
  flt-60b | Twin Moth | First Light | 60b | 2020-01-01 | FLT, Rare
  sw-226 | Rusk VX | Rarities | SW226/307
  flt-12 | Old Friend (Alder) | First Light | 12/102 | 2020-01-01 | FLT, Rare
  sdk-12 | Old Friend (Birch) | Second Dusk | 13/90 | 2023-01-01 | SDK, Rare
  OP01-025 | Rusk | Salt [OP01] | OP01-025
  OP01-025_p1 | Rusk | Salt [OP01] | OP01-025_p1
  5a3f | Salt Witch | Salt [OP01] | OP01-077
  6b2e | Salt Witch | Salt [OP01] | OP01-077 | 2024-01-01
  7c1d | Salt Witch | More Salt | OP02-077
  flt-13 | Dawn // Evening | First Light | 13/102 | 2020-01-01 | FLT, Rare
  flt-14 | Reed: The Tall | First Light | 14/102 | 2020-01-01 | FLT, Rare
  flt-15 | Elm, the Old | First Light | 15/102 | 2020-01-01 | FLT, Rare
  fen | Fen | Second Dusk | X77 | 2023-01-01 | SDK, Rare
  bog | Bog | Second Dusk | X77 | 2023-01-01 | SDK, Rare
  flt-61† | Lone Moth | First Light | 61† | 2020-01-01 | FLT, Rare
  12345 | Copper Jackal | Faint Dusk | 3/99
  12346 | Tin Jackal | Faint Dusk | 3/99
  12347 | Tin Jackal | Late Dawn | 3/80
  xy-8 | Lead Jackal | Late Dawn | 8/80
  sve-003 | Water Energy | Energies | 003/24
  glyph | Glyph [?]
  sign-a | Sign |  | !
  sign-b | Sign |  | ?
  7:69 | Rhino - Speaker | Archipelago | 69
  sve-2 | Basic Fire Energy | Energies | 2 |  | SVE
`);

/** Each line as `count ids`, with `heading` and `unclear` where it has none. */
function meant(text: string, { index } = catalog): string[] {
  const list = readPastedList(text);
  if ('refusal' in list) return [list.refusal];
  return list.lines.map((line) => {
    const { cards, isHeading, count = line.count ?? 1 } = meantLine(index, line);
    return `${count} ${cards.map(({ id }) => id).join(' ') || (isHeading ? 'heading' : 'unclear')}`;
  });
}

/** What a list comes to: each line as `count ids`, or as `unclear`, and what was passed over. */
function counted(...typed: readonly string[]) {
  const list = readPastedList(typed.join('\n'));
  if ('refusal' in list) return { lines: [], passedOver: [], times: 0 };
  const { lines, passedOver } = meantBy(
    list,
    list.lines.map((line) => meantLine(catalog.index, line)),
  );
  const shown = lines.map(({ count, cards }) =>
    cards.length > 0 ? `${count} ${cards.map(({ id }) => id).join(' ')}` : 'unclear',
  );
  return { lines: shown, passedOver, times: lines.reduce((sum, { times }) => sum + times, 0) };
}

it.each(table`
  4 Moth Cartographer | 4 sdk-2 flt-2
  4 Moth Cartographer (FLT) 2 | 4 flt-2
  4 Moth Cartographer (FLT) | 4 flt-2
  4 Moth Cartographer SDK 12 | 4 sdk-2
  4 Moth Cartographer (Second Dusk) 12/90 | 4 sdk-2
  4 Moth Cartographer 2/102 | 4 flt-2
  2 Ember Drake (FLT) 6 | 2 drake-b
  2 Ember Drake (FLT) H6 | 2 drake-a
  1x OP01-025 | 1 OP01-025
  1xop1-25 | 1 OP01-025
  1 Rusk (OP01-025) | 1 OP01-025
  1 Rusk (OP01-025_p1) | 1 OP01-025_p1
  1 OP01-025 Rusk | 1 OP01-025
  1 Rusk [OP01] OP01-025 | 1 OP01-025
  4xOP01-077 | 4 6b2e 5a3f
  4 Salt Witch (OP02-077) | 4 7c1d
  4 Salt Witch [OP01-077] | 4 6b2e 5a3f
  1 Marsh (SDK) | 1 marsh-a marsh-b
  8 Basic {R} Energy SVE 2 | 8 sve-2
  4 Fire Energy SVE 2 | 4 sve-2
  4 Basic Water Energy SVE 3 | 4 sve-003
  8 Basic {W} Energy SVE 3 PH | 8 sve-003
  8 Basic Water Energy | 8 sve-003
  4 Copper Jackal (FD) 3 | 4 12345
  4 Copper Jackal [XQ] 3 | 4 12345
  4 Tin Jackal (LD) 3 | 4 12347
  4 Lead Jackal (LD) 8 | 4 xy-8
  1 Ash &amp; Ember | 1 flt-4
  4 Moth Cartographer (FLT 2) | 4 flt-2
  2x moth cartographer SDK | 2 sdk-2
  2x Moth Cartographer 002/102 First Light | 2 flt-2
  2x Moth Cartographer - 2/102 - First Light | 2 flt-2
  2x Moth Cartographer - First Light - 2/102 | 2 flt-2
  2x Moth Cartographer #2 First Light | 2 flt-2
  1 Moth Cartographer (First Light Set) | 1 flt-2
  1 Rusk VX SW226 | 1 sw-226
  1 Tide Keeper (FLT) 51 | 1 flt-51a
  1 Tide Keeper // Ebb Keeper (FLT) 51 | 1 flt-51a
  1 Tide Keeper/Ebb Keeper | 1 flt-51a
  1 Tide Keeper / Ebb Keeper (First Light) | 1 flt-51a
  2x Candle Hare (red) | 2 flt-3
  1 Hare (Not the Candle One) | 1 flt-10
  1 Hare (Not the Candle One) (FLT) 10 | 1 flt-10
  1 Glyph [?] | 1 glyph
  1 Lone Moth (FLT) 61† | 1 flt-61†
  1 Fen | 1 fen
  2 Fen (SDK) 77 | 2 fen
  1 Tide (FLT) 11 [Top{top},Water] | 1 flt-11
  1 Tide (FLT) *F* *CMDR* | 1 flt-11
  2 Ash | 2 unclear
  2 Wick | 2 flt-1
  2 Dawn | 2 flt-13
  2 Reed | 2 flt-14
  2 Elm | 2 flt-15
  2 Wick (FLT) 1 | 2 flt-1
  1 Kerzenhase | 1 flt-3
  1 Kerzenhase (FLT) 3 | 1 flt-3
  1 Tide // Ebb (FLT) 11 | 1 flt-11
  1 Old Friend | 1 unclear
  1 Old Friend SDK 13 | 1 sdk-12
  1 Moth Cartografer | 1 unclear
  1 Moth | 1 unclear
  1 Rare | 1 unclear
  7 Lanterns | 1 flt-9
  2 7 Lanterns | 2 flt-9
  1 sdk-99 | 1 sdk-99
  1 Nobody 99 | 1 unclear
`)(
  'a line of a pasted list means the printing that it says, or all of its name, also without a title or in another language: %j',
  (line = '', expected) => expect(meant(line)).toEqual([expected]),
);

it.each(table`
  4 Moth Cartographer (FLT) 12
  4 Moth Cartographer (XYZ) 2
  4 Moth Cartographer (XYZ)
  4 Moth Cartographer 7/102
  4 Moth Cartographer XYZ
  4 Moth Cartographer 2/102 Second Dusk
  4 Moth Cartographer 2/102 unlimited
  1 Twin Moth (FLT) 60
  4 Copper Jackal (FD) 4
  4 Copper Jackal (Second Dusk) 3
  4 Copper Jackal XQ 3
  4 Tin Jackal (XQ) 3
  4 Lead Jackal (XQ) 8
  4 Moth Cartographer (purple)
  1 Rusk (OP02-025)
  1 Marsh (SDK) 7
  1 X77
  1 8d9e (FLT) 2
  1 Old Friend (SDK)
  1* Tide
  1 Tide *
  1 Tide ***
  1 Tide?
  1 Tide+
  1 Tide *P*
  1 Tide (FLT) *JP*
  1 Tide {noPrice}
  1 Tide (FLT) 11*
  1 Tide (FLT*) 11
  1 Tide (FLT) 11 [Out{noDeck}]
  1 Tide (FLT) [Out{noDeck}{noPrice}]
  7 Lanterns *
  2-3 Fen
  4? Tide
  1 Fen 8
`)(
  'a line is not taken for another printing than it says, and not clear where a mark is not understood: %j',
  (line = '') => expect(meant(line)[0]).toMatch(/unclear$/),
);

it('a line of a pasted list is a heading where it has no count and no card is called so', () => {
  expect(meant('Moths (3)\n2 Moth Cartographer (FLT) 2\nTide\n1 Tides\nWick\nLight things\n3 Candle Hare')).toEqual([
    ...['3 heading', '2 flt-2', '1 flt-11', '1 unclear', '1 heading', '1 heading', '3 flt-3'],
  ]);
});

it.each(table`
  7 Lanterns & 7 Lanterns & 4 Lanterns | 2 flt-9 & unclear
  5x 7 Lanterns * & 7 Lanterns | unclear & 1 flt-9
  1 Tide Keeper & 2 Tide-Keeper | 3 flt-51a
  1 sw1-12 & 2 sw11-2 & 1 Sign ! & 2 Sign ? | 1 sw1-12 & 2 sw11-2 & 1 sign-a & 2 sign-b
  2 7:69 & 1 Tide & 7:69 | 3 7:69 & 1 flt-11
`)(
  'a line of a pasted list counts a number of its name as often as it is written, and is one with another that means the same: %j is %j',
  (typed = '', lines) => {
    expect(counted(...typed.split(' & '))).toMatchObject({ lines: lines?.split(' & '), passedOver: [] });
  },
);

const PARTS = [
  ['', '4 ', '2x ', 'x3 ', '(5) ', '1* ', '4) ', '~3 ', '7 ', '- ', '# ', 'SB: '],
  [
    ...['Moth Cartographer', 'Candle Hare', 'Lanterns', '7 Lanterns', '7:69', 'OP01-025', 'Nobody', 'Wings', 'Wick'],
    ...['Deck', '[Main]', '[Hare]', '// Lands', 'Moths (3)', 'Tide: 3', 'Things:', '60 cards', 'Name=Burn', '<b>'],
  ],
  ['', ' (FLT) 2', ' x4', ' *F*', ' *P*', ' {noPrice}', ' 1*', ' [Ramp{noDeck}]', '; 3', ' ★', ':', ' ***'],
].map((each) => fc.constantFrom(...each));

it('a line of a pasted list counts in a list what it counts alone, or is named as unclear or as passed over', () => {
  const line = fc.tuple(...PARTS).map((parts) => parts.join('').trim());
  const amounts = (all: readonly string[]) => {
    const amounts = new Map<string, number>();
    for (const [count = '', ...ids] of all.map((each) => each.split(' ')))
      if (count !== 'unclear') amounts.set(ids.join(' '), (amounts.get(ids.join(' ')) ?? 0) + Number(count));
    return amounts;
  };
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 9 }), (typed) => {
      const { lines, passedOver, times } = counted(...typed);
      const said = typed.filter((each) => !passedOver.includes(each));
      fc.pre(times > 0 || passedOver.length > 0); // a table, or more than one text can be
      expect(times).toBe(said.length);
      expect(amounts(lines)).toEqual(amounts(said.flatMap((each) => counted(each).lines)));
    }),
  );
});

it('a line of a pasted list is at most an id while nothing can be searched', () => {
  const list = readPastedList('1 OP01-025\n1 Moth Cartographer\n1 Moth Cartographer (FLT) 2\n2 Drake 2000\nThings');
  expect('lines' in list && list.lines.map((line) => meantLine(undefined, line))).toEqual([
    ...[{ cards: [{ id: 'OP01-025', name: 'OP01-025' }] }, { cards: [] }, { cards: [] }, { cards: [] }],
    { cards: [], isHeading: true },
  ]);
});

it('a line of a pasted list has as many cards as a menu holds', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: 'Sprite', set: `Set ${at}` }));
  expect(meant('1 Sprite', openCatalog(many, 'cards.csv'))[0]?.split(' ')).toHaveLength(26);
});

/** As these tools write them. */
it.each([
  [
    'Arena',
    `About
Name Moths, 2.0

Deck
4 Wick, Who Waits (FLT) 1
1 Moth Cartographer (SDK) 12
2 Candle Hare (FLT) 3

Sideboard
3 Ash & Ember (FLT) 4`,
  ],
  [
    'Moxfield',
    `4 Wick, Who Waits (FLT) 1 *F*
1 Moth Cartographer (SDK) 12 #Moths #!Card Draw
2 Candle Hare (FLT) 3

SIDEBOARD:
3 Ash & Ember (FLT) 4 *E*`,
  ],
  [
    'Archidekt',
    `4x Wick, Who Waits (flt) 1 [Commander{top}] ^Have,#37d67a^
1x Moth Cartographer (sdk) 12 *F* [Moths,Card Draw]
2x Candle Hare (flt) 3 [Hares/Rabbits] ^Don't Have,#f47373^
3x Ash & Ember (flt) 4`,
  ],
  [
    'MTGGoldfish',
    `4 Wick, Who Waits <1> [FLT]
1 Moth Cartographer [SDK] (F)
2 Candle Hare [FLT]
3 Ash & Ember <4> [FLT] (F)`,
  ],
  [
    'Deckstats',
    `//Main
4 [FLT#1] Wick, Who Waits # !Commander
1 [SDK#12] Moth Cartographer
SB: 2 [FLT#3] Candle Hare
SB: 3 [FLT] Ash & Ember`,
  ],
  [
    'Forge',
    `[metadata]
Name=Moths
[Main]
4 Wick, Who Waits|FLT|[1]
1 Moth Cartographer+|SDK|1
2 Candle Hare|FLT
[Sideboard]
3 Ash & Ember|FLT|[4]`,
  ],
  [
    'a game with headings that are counted',
    `****** Card Game Deck List ******
##Creatures - 5
* 4 Wick, Who Waits FLT 1
* 1 Moth Cartographer SDK 12
##Others - 5
* 2 Candle Hare FLT 3 PH
* 3 Ash & Ember FLT 4
Total Cards - 10
****** Deck List Generated by the Game ******`,
  ],
  [
    'a database with packs and influence',
    `The Big Deck
Moths (5)
4x Wick, Who Waits (First Light)
1x Moth Cartographer (Second Dusk) •••
Hares (5)
2x Candle Hare (First Light) ●●●●● ●
3x Ash & Ember (First Light)
15 influence spent (max 15, available 0)
10 cards (min 10)
Cards up to Second Dusk`,
  ],
  [
    'members who write by hand',
    `**Moths**
- 4x Wick
• Moth Cartographer (Second Dusk) x1
Candle Hare (2)
__Rest__
Ash & Ember x3`,
  ],
])('a list as it was exported is clear in every line: %s', (_, text) => {
  const clear = meant(text.replaceAll('\n', '\r\n')).filter((line) => !line.endsWith('heading'));
  expect(clear).toEqual(['4 flt-1', '1 sdk-2', '2 flt-3', '3 flt-4']);
});
