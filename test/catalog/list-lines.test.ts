import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogCard } from '../../src/catalog/catalog-card.ts';
import { linesUnsearched, meantBy, resolveLines } from '../../src/catalog/list-lines.ts';
import { readPastedList } from '../../src/catalog/pasted-list.ts';
import type { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { openCatalog } from '../support/open-catalog.ts';

const FIRST = { set: 'First Light', also: ['FLT', 'Rare'], released: '2020-01-01' };
const SECOND = { set: 'Second Dusk', also: ['SDK', 'Rare'], released: '2023-01-01' };
const CARDS: readonly CatalogCard[] = [
  { id: 'flt-1', name: 'Wick, Who Waits', number: '1/102', ...FIRST },
  { id: 'flt-2', name: 'Moth Cartographer', number: '2/102', ...FIRST },
  { id: 'sdk-2', name: 'Moth Cartographer', number: '12/90', ...SECOND },
  { id: 'flt-3', name: 'Candle Hare', number: '3/102', ...FIRST, also: ['FLT', 'Kerzenhase'] },
  { id: 'flt-4', name: 'Ash & Ember', number: '4/102', ...FIRST },
  { id: 'flt-5', name: 'Ash, the First', number: '5/102', ...FIRST },
  { id: 'drake-a', name: 'Ember Drake', number: 'H6', ...FIRST },
  { id: 'drake-b', name: 'Ember Drake', number: '6', ...FIRST },
  { id: 'marsh-a', name: 'Marsh', ...SECOND },
  { id: 'marsh-b', name: 'Marsh', ...SECOND },
  { id: 'flt-9', name: '7 Lanterns', number: '9/102', ...FIRST },
  { id: 'flt-10', name: 'Hare (Not the Candle One)', number: '10/102', ...FIRST },
  { id: 'flt-11', name: 'Tide', number: '11/102', ...FIRST },
  { id: 'flt-51a', name: 'Tide Keeper', number: '51a', ...FIRST },
  { id: 'flt-60a', name: 'Twin Moth', number: '60a', ...FIRST },
  { id: 'flt-60b', name: 'Twin Moth', number: '60b', ...FIRST },
  { id: 'sw-226', name: 'Rusk VX', number: 'SW226/307', set: 'Rarities' },
  { id: 'flt-12', name: 'Old Friend (Alder)', number: '12/102', ...FIRST },
  { id: 'sdk-12', name: 'Old Friend (Birch)', number: '13/90', ...SECOND },
  { id: 'OP01-025', name: 'Rusk', number: 'OP01-025', set: 'Salt [OP01]' },
  { id: 'OP01-025_p1', name: 'Rusk', number: 'OP01-025_p1', set: 'Salt [OP01]' },
  { id: '5a3f', name: 'Salt Witch', number: 'OP01-077', set: 'Salt [OP01]' },
  { id: '6b2e', name: 'Salt Witch', number: 'OP01-077', set: 'Salt [OP01]', released: '2024-01-01' },
  { id: '7c1d', name: 'Salt Witch', number: 'OP02-077', set: 'More Salt' },
  { id: 'flt-13', name: 'Dawn // Evening', number: '13/102', ...FIRST },
  { id: 'flt-14', name: 'Reed: The Tall', number: '14/102', ...FIRST },
  { id: 'flt-15', name: 'Elm, the Old', number: '15/102', ...FIRST },
  { id: 'fen', name: 'Fen', number: 'X77', ...SECOND },
  { id: 'bog', name: 'Bog', number: 'X77', ...SECOND },
  { id: 'flt-61†', name: 'Lone Moth', number: '61†', ...FIRST },
  { id: '12345', name: 'Copper Jackal', number: '3/99', set: 'Faint Dusk' },
  { id: '12346', name: 'Tin Jackal', number: '3/99', set: 'Faint Dusk' },
  { id: '12347', name: 'Tin Jackal', number: '3/80', set: 'Late Dawn' },
  { id: 'xy-8', name: 'Lead Jackal', number: '8/80', set: 'Late Dawn' },
  { id: 'sve-003', name: 'Water Energy', number: '003/24', set: 'Energies' },
  { id: 'glyph', name: 'Glyph [?]' },
  { id: 'sign-a', name: 'Sign', number: '!' },
  { id: 'sign-b', name: 'Sign', number: '?' },
  { id: '7:69', name: 'Rhino - Speaker', number: '69', set: 'Archipelago' },
  { id: 'sve-2', name: 'Basic Fire Energy', number: '2', set: 'Energies', also: ['SVE'] },
];

let catalog: CatalogDatabase;
beforeAll(() => {
  catalog = openCatalog(CARDS, 'cards.csv');
});

/** Each line as `count ids`, with `heading` and `unclear` where it has none. */
function meant(text: string, { index } = catalog): string[] {
  const list = readPastedList(text);
  if ('refusal' in list) return [list.refusal];
  return resolveLines(index, list.lines).map(({ cards, isHeading, count }, at) => {
    const ids = cards.map(({ id }) => id).join(' ') || (isHeading ? 'heading' : 'unclear');
    return `${count ?? list.lines[at]?.count} ${ids}`;
  });
}

/** What a list comes to: each line as `count ids`, or as `unclear`, and what was passed over. */
function counted(...typed: readonly string[]) {
  const list = readPastedList(typed.join('\n'));
  if ('refusal' in list) return { lines: [], passedOver: [], times: 0 };
  const { lines, passedOver } = meantBy(list, resolveLines(catalog.index, list.lines));
  const shown = lines.map(({ count, cards }) =>
    cards.length > 0 ? `${count} ${cards.map(({ id }) => id).join(' ')}` : 'unclear',
  );
  return { lines: shown, passedOver, times: lines.reduce((sum, { times }) => sum + times, 0) };
}

describe('a line of a pasted list', () => {
  it.each([
    ['4 Moth Cartographer', '4 sdk-2 flt-2'],
    ['4 Moth Cartographer (FLT) 2', '4 flt-2'],
    ['4 Moth Cartographer (FLT)', '4 flt-2'],
    ['4 Moth Cartographer SDK 12', '4 sdk-2'],
    ['4 Moth Cartographer (Second Dusk) 12/90', '4 sdk-2'],
    ['4 Moth Cartographer 2/102', '4 flt-2'],
    ['2 Ember Drake (FLT) 6', '2 drake-b'],
    ['2 Ember Drake (FLT) H6', '2 drake-a'],
    ['1x OP01-025', '1 OP01-025'],
    ['1xop1-25', '1 OP01-025'],
    ['1 Rusk (OP01-025)', '1 OP01-025'],
    ['1 Rusk (OP01-025_p1)', '1 OP01-025_p1'],
    ['1 OP01-025 Rusk', '1 OP01-025'],
    ['1 Rusk [OP01] OP01-025', '1 OP01-025'],
    ['4xOP01-077', '4 6b2e 5a3f'],
    ['4 Salt Witch (OP02-077)', '4 7c1d'],
    ['4 Salt Witch [OP01-077]', '4 6b2e 5a3f'],
    ['1 Marsh (SDK)', '1 marsh-a marsh-b'],
    ['8 Basic {R} Energy SVE 2', '8 sve-2'],
    ['4 Fire Energy SVE 2', '4 sve-2'],
    ['4 Basic Water Energy SVE 3', '4 sve-003'],
    ['8 Basic {W} Energy SVE 3 PH', '8 sve-003'],
    ['8 Basic Water Energy', '8 sve-003'],
    ['4 Copper Jackal (FD) 3', '4 12345'],
    ['4 Copper Jackal [XQ] 3', '4 12345'],
    ['4 Tin Jackal (LD) 3', '4 12347'],
    ['4 Lead Jackal (LD) 8', '4 xy-8'],
    ['1 Ash &amp; Ember', '1 flt-4'],
    ['4 Moth Cartographer (FLT 2)', '4 flt-2'],
    ['2x moth cartographer SDK', '2 sdk-2'],
    ['2x Moth Cartographer 002/102 First Light', '2 flt-2'],
    ['2x Moth Cartographer - 2/102 - First Light', '2 flt-2'],
    ['2x Moth Cartographer - First Light - 2/102', '2 flt-2'],
    ['2x Moth Cartographer #2 First Light', '2 flt-2'],
    ['1 Moth Cartographer (First Light Set)', '1 flt-2'],
    ['1 Rusk VX SW226', '1 sw-226'],
    ['1 Tide Keeper (FLT) 51', '1 flt-51a'],
    ['1 Tide Keeper // Ebb Keeper (FLT) 51', '1 flt-51a'],
    ['1 Tide Keeper/Ebb Keeper', '1 flt-51a'],
    ['1 Tide Keeper / Ebb Keeper (First Light)', '1 flt-51a'],
    ['2x Candle Hare (red)', '2 flt-3'],
    ['1 Hare (Not the Candle One)', '1 flt-10'],
    ['1 Hare (Not the Candle One) (FLT) 10', '1 flt-10'],
  ])('means the printing that it says, or all of its name: %j', (line, expected) =>
    expect(meant(line)).toEqual([expected]),
  );

  it.each([
    ['4 Moth Cartographer (FLT) 12', 'not in that set'],
    ['4 Moth Cartographer (XYZ) 2', 'a set that is not known'],
    ['4 Moth Cartographer (XYZ)', 'a set that is not known'],
    ['4 Moth Cartographer 7/102', 'a number that is not known'],
    ['4 Moth Cartographer XYZ', 'a set that is not known'],
    ['4 Moth Cartographer 2/102 Second Dusk', 'a number of another set'],
    ['4 Moth Cartographer 2/102 unlimited', 'a printing that is not known'],
    ['1 Twin Moth (FLT) 60', 'one of two with this number'],
    ['4 Copper Jackal (FD) 4', 'a number that is not known'],
    ['4 Copper Jackal (Second Dusk) 3', 'the name of a set that is not known'],
    ['4 Copper Jackal XQ 3', 'two letters that may be of a name'],
    ['4 Tin Jackal (XQ) 3', 'one of two with this number'],
    ['4 Lead Jackal (XQ) 8', 'a set that is not known, where a code is'],
    ['4 Moth Cartographer (purple)', 'no colour of a card'],
    ['1 Rusk (OP02-025)', 'an id that is not known'],
    ['1 Marsh (SDK) 7', 'one of two whose numbers are not known'],
    ['1 X77', 'a number of cards with two names'],
    ['1 8d9e (FLT) 2', 'an id, where a printing is named'],
    ['1 Old Friend (SDK)', 'one of two names, without a number'],
  ])('is not taken for another printing than it says: %j', (line) => expect(meant(line)[0]).toMatch(/unclear$/));

  it.each([
    ...[
      '1* Tide',
      '1 Tide *',
      '1 Tide ***',
      '1 Tide?',
      '1 Tide+',
      '1 Tide *P*',
      '1 Tide (FLT) *JP*',
      '1 Tide {noPrice}',
    ],
    ...['1 Tide (FLT) 11*', '1 Tide (FLT*) 11', '1 Tide (FLT) 11 [Out{noDeck}]', '1 Tide (FLT) [Out{noDeck}{noPrice}]'],
    ...['7 Lanterns *', '2-3 Fen', '4? Tide', '1 Fen 8'],
  ])('is not clear where a mark or a number is not understood: %j', (line) =>
    expect(meant(line)[0]).toMatch(/unclear$/),
  );

  it.each([
    ['1 Glyph [?]', '1 glyph'],
    ['1 Lone Moth (FLT) 61†', '1 flt-61†'],
    ['1 Fen', '1 fen'],
    ['2 Fen (SDK) 77', '2 fen'],
    ['1 Tide (FLT) 11 [Top{top},Water]', '1 flt-11'],
    ['1 Tide (FLT) *F* *CMDR*', '1 flt-11'],
  ])('may have marks that are understood, or of its name: %j', (line, expected) =>
    expect(meant(line)).toEqual([expected]),
  );

  it.each([
    ['2 Ash', '2 unclear'],
    ['2 Wick', '2 flt-1'],
    ['2 Dawn', '2 flt-13'],
    ['2 Reed', '2 flt-14'],
    ['2 Elm', '2 flt-15'],
    ['2 Wick (FLT) 1', '2 flt-1'],
    ['1 Kerzenhase', '1 flt-3'],
    ['1 Kerzenhase (FLT) 3', '1 flt-3'],
    ['1 Tide // Ebb (FLT) 11', '1 flt-11'],
    ['1 Old Friend', '1 unclear'],
    ['1 Old Friend SDK 13', '1 sdk-12'],
    ['1 Moth Cartografer', '1 unclear'],
    ['1 Moth', '1 unclear'],
    ['1 Rare', '1 unclear'],
    ['7 Lanterns', '1 flt-9'],
    ['2 7 Lanterns', '2 flt-9'],
    ['1 sdk-99', '1 sdk-99'],
    ['1 Nobody 99', '1 unclear'],
  ])(
    'without a title, in another language, or with a number in its name, but not with a typing error: %j',
    (line, expected) => expect(meant(line)).toEqual([expected]),
  );

  it('is a heading where it has no count and no card is called so', () => {
    expect(meant('Moths (3)\n2 Moth Cartographer (FLT) 2\nTide\n1 Tides\nWick\nLight things\n3 Candle Hare')).toEqual([
      ...['3 heading', '2 flt-2', '1 flt-11', '1 unclear', '1 heading', '1 heading', '3 flt-3'],
    ]);
  });

  it('counts a number that is of its name as often as it is written, and no other line with it', () => {
    expect(counted('7 Lanterns', '7 Lanterns', '4 Lanterns')).toMatchObject({ lines: ['2 flt-9', 'unclear'] });
    expect(counted('5x 7 Lanterns *', '7 Lanterns')).toMatchObject({ lines: ['unclear', '1 flt-9'] });
  });

  it('is one with another only where both mean the same cards', () => {
    expect(counted('1 Tide Keeper', '2 Tide-Keeper').lines).toEqual(['3 flt-51a']);
    expect(counted('1 sw1-12', '2 sw11-2', '1 Sign !', '2 Sign ?').lines).toEqual([
      ...['1 sw1-12', '2 sw11-2', '1 sign-a', '2 sign-b'],
    ]);
  });

  it('is what its id says, whatever looks like a heading in it', () => {
    expect(counted('2 7:69', '1 Tide', '7:69')).toMatchObject({ lines: ['3 7:69', '1 flt-11'], passedOver: [] });
  });

  const PARTS = [
    ['', '4 ', '2x ', 'x3 ', '(5) ', '1* ', '4) ', '~3 ', '7 ', '- ', '# ', 'SB: '],
    [
      ...['Moth Cartographer', 'Candle Hare', 'Lanterns', '7 Lanterns', '7:69', 'OP01-025', 'Nobody', 'Wings', 'Wick'],
      ...['Deck', '[Main]', '[Hare]', '// Lands', 'Moths (3)', 'Tide: 3', 'Things:', '60 cards', 'Name=Burn', '<b>'],
    ],
    ['', ' (FLT) 2', ' x4', ' *F*', ' *P*', ' {noPrice}', ' 1*', ' [Ramp{noDeck}]', '; 3', ' ★', ':', ' ***'],
  ].map((each) => fc.constantFrom(...each));

  it('counts in a list what it counts alone, or is named as unclear or as passed over', () => {
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

  it('is at most an id while nothing can be searched', () => {
    const list = readPastedList('1 OP01-025\n1 Moth Cartographer\n1 Moth Cartographer (FLT) 2\n2 Drake 2000\nThings');
    expect('lines' in list && linesUnsearched(list.lines)).toEqual([
      ...[{ cards: [{ id: 'OP01-025', name: 'OP01-025' }] }, { cards: [] }, { cards: [] }, { cards: [] }],
      { cards: [], isHeading: true },
    ]);
  });

  it('has as many cards as a menu holds', () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ id: `s-${at}`, name: 'Sprite', set: `Set ${at}` }));
    expect(meant('1 Sprite', openCatalog(many, 'cards.csv'))[0]?.split(' ')).toHaveLength(26);
  });
});

/** As these tools write them. */
describe('a list as it was exported', () => {
  const EXPECTED = ['4 flt-1', '1 sdk-2', '2 flt-3', '3 flt-4'];

  it.each<[string, string[]]>([
    [
      'Arena',
      [
        ...['About', 'Name Moths, 2.0', '', 'Deck', '4 Wick, Who Waits (FLT) 1', '1 Moth Cartographer (SDK) 12'],
        ...['2 Candle Hare (FLT) 3', '', 'Sideboard', '3 Ash & Ember (FLT) 4'],
      ],
    ],
    [
      'Moxfield',
      [
        ...[
          '4 Wick, Who Waits (FLT) 1 *F*',
          '1 Moth Cartographer (SDK) 12 #Moths #!Card Draw',
          '2 Candle Hare (FLT) 3',
        ],
        ...['', 'SIDEBOARD:', '3 Ash & Ember (FLT) 4 *E*'],
      ],
    ],
    [
      'Archidekt',
      [
        '4x Wick, Who Waits (flt) 1 [Commander{top}] ^Have,#37d67a^',
        '1x Moth Cartographer (sdk) 12 *F* [Moths,Card Draw]',
        "2x Candle Hare (flt) 3 [Hares/Rabbits] ^Don't Have,#f47373^",
        '3x Ash & Ember (flt) 4',
      ],
    ],
    [
      'MTGGoldfish',
      [
        '4 Wick, Who Waits <1> [FLT]',
        '1 Moth Cartographer [SDK] (F)',
        '',
        '2 Candle Hare [FLT]',
        '3 Ash & Ember <4> [FLT] (F)',
      ],
    ],
    [
      'Deckstats',
      [
        ...['//Main', '4 [FLT#1] Wick, Who Waits # !Commander', '1 [SDK#12] Moth Cartographer', '', '//Sideboard'],
        ...['SB: 2 [FLT#3] Candle Hare', 'SB: 3 [FLT] Ash & Ember'],
      ],
    ],
    [
      'Forge',
      [
        ...['[metadata]', 'Name=Moths', '[Main]', '4 Wick, Who Waits|FLT|[1]', '1 Moth Cartographer+|SDK|1'],
        ...['2 Candle Hare|FLT', '[Sideboard]', '3 Ash & Ember|FLT|[4]'],
      ],
    ],
    [
      'a game with headings that are counted',
      [
        ...['****** Card Game Deck List ******', '', '##Creatures - 5', '', '* 4 Wick, Who Waits FLT 1'],
        ...['* 1 Moth Cartographer SDK 12', '', '##Others - 5', '* 2 Candle Hare FLT 3 PH', '* 3 Ash & Ember FLT 4'],
        ...['', 'Total Cards - 10', '', '****** Deck List Generated by the Game ******'],
      ],
    ],
    [
      'a database with packs and influence',
      [
        ...[
          'The Big Deck',
          '',
          'Moths (5)',
          '4x Wick, Who Waits (First Light)',
          '1x Moth Cartographer (Second Dusk) •••',
        ],
        ...['', 'Hares (5)', '2x Candle Hare (First Light) ●●●●● ●', '3x Ash & Ember (First Light)', ''],
        ...['15 influence spent (max 15, available 0)', '10 cards (min 10)', 'Cards up to Second Dusk'],
      ],
    ],
    [
      'members who write by hand',
      [
        '**Moths**',
        '- 4x Wick',
        '• Moth Cartographer (Second Dusk) x1',
        'Candle Hare (2)',
        '__Rest__',
        'Ash & Ember x3',
      ],
    ],
  ])('is clear in every line: %s', (_, lines) => {
    const clear = meant(lines.join('\r\n')).filter((line) => !line.endsWith('heading'));
    expect(clear).toEqual(EXPECTED);
  });
});
