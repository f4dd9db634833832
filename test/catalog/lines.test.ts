import { expect, it } from 'vitest';
import { merged, type PastedList, readLine, readPastedList } from '../../src/catalog/lines.ts';
import { table } from '../table.ts';

/** Count, name, set and number. */
const read = (line: string) => {
  const { count = 1, name, set = '', number = '' } = readLine(line) ?? {};
  return [String(count), name, set, number];
};

it.each(table`
  Sol Ring | 1 | Sol Ring
  4 Sol Ring | 4 | Sol Ring
  4x Sol Ring | 4 | Sol Ring
  4 x Sol Ring | 4 | Sol Ring
  4× Sol Ring | 4 | Sol Ring
  x4 Sol Ring | 4 | Sol Ring
  (3) Pummel | 3 | Pummel
  Sol Ring x4 | 4 | Sol Ring
  Sol Ring (x4) | 4 | Sol Ring
  - 4 Sol Ring | 4 | Sol Ring
  SB: 2 Sol Ring | 2 | Sol Ring
  12 Basic {R} Energy SVE 2 | 12 | Basic Fire Energy | SVE | 2
  4 base1-4 | 4 | base1-4
  4xOP01-025 | 4 | OP01-025
  3 89631139 | 3 | 89631139
  4xP-032 | 4 | P-032
  2 7:69 | 2 | 7:69
  2x 7:69 | 2 | 7:69
  4 _____ | 4 | _____
  4: Sol Ring | 4 | Sol Ring
  4 - Sol Ring | 4 | Sol Ring
  -4 Sol Ring | 4 | Sol Ring
  > 4 Sol Ring | 4 | Sol Ring
  [x] 4 Sol Ring | 4 | Sol Ring
  2. 4 Sol Ring | 4 | Sol Ring
  [4] Sol Ring | 4 | Sol Ring
  1000x Sol Ring | 1000 | Sol Ring
  1000000000 Sol Ring | 1000000000 | Sol Ring
  1 Sol Ring (C21) 263 | 1 | Sol Ring | C21 | 263
  4x Sol Ring [C21] 263 | 4 | Sol Ring | C21 | 263
  4 Sol Ring [C21] | 4 | Sol Ring | C21
  1x Sol Ring (C21:263) | 1 | Sol Ring | C21 | 263
  1x Sol Ring (C21#263) | 1 | Sol Ring | C21 | 263
  1 [C21#263] Sol Ring | 1 | Sol Ring | C21 | 263
  1 [C21:263] Sol Ring | 1 | Sol Ring | C21 | 263
  1 Sol Ring <263> [C21] | 1 | Sol Ring | C21 | 263
  1 Sol Ring (C21) 263 *F* | 1 | Sol Ring | C21 | 263
  1x Sol Ring (c21) 263 *F* [Ramp] ^Have,#37d67a^ | 1 | Sol Ring | c21 | 263
  1 Sol Ring [C21] (F) | 1 | Sol Ring | C21
  1 Fire // Ice (MH2) 290 | 1 | Fire // Ice | MH2 | 290
  4 Charizard ex OBF 125 | 4 | Charizard ex | OBF | 125
  2 Pikachu PR-SW 20 | 2 | Pikachu | PR-SW | 20
  1 Glaceon VSTAR CRZ GG40 | 1 | Glaceon VSTAR | CRZ | GG40
  2 Celebi ex A1a 3 | 2 | Celebi ex | A1a | 3
  1 Professor's Research P-A 7 | 1 | Professor's Research | P-A | 7
  4 Dreepy TWM 128 PH | 4 | Dreepy | TWM | 128
  4 Roronoa Zoro (OP01-025) | 4 | Roronoa Zoro | OP01-025
  4 OP01-025 Roronoa Zoro | 4 | Roronoa Zoro | OP01-025
  4 Agumon BT1-010 | 4 | Agumon | BT1 | 010
  Sol Ring (Commander 2021) #263 | 1 | Sol Ring | Commander 2021 | 263
  1x Sol Ring (C21:263) *F* *CMDR* #ramp | 1 | Sol Ring | C21 | 263
  1 Sol Ring (C21) 263 *E* #Ramp #!Card Draw | 1 | Sol Ring | C21 | 263
  1 [C21#263] Sol Ring # !Commander | 1 | Sol Ring | C21 | 263
  1x Sol Ring (dd3_gvl) 11a [Commander{top}] | 1 | Sol Ring | dd3_gvl | 11a
  1x Sol Ring (c21) [Ramp] | 1 | Sol Ring | c21
  1 Sol Ring (C21) 263 – $1.20 | 1 | Sol Ring | C21 | 263
  4 Drake 10E 7 | 4 | Drake | 10E | 7
  Drake 4/102 | 1 | Drake |  | 4/102
  Drake - 4/102 [First Light] | 1 | Drake | First Light | 4/102
  Drake (First Light) 4/102 | 1 | Drake | First Light | 4/102
  Drake (Core Set (2026)) | 1 | Drake | Core Set (2026)
  Drake (Rising [GD01]) GD01-001 | 1 | Drake | Rising [GD01] | GD01-001
  4 GD04-019 Drake (Storm) | 4 | Drake (Storm) | GD04-019
  2 BD/WE42-E062 Like the Sun, Drake | 2 | Like the Sun, Drake | BD/WE42-E062
  2x Drake (Storm) [GD04-019] | 2 | Drake (Storm) | GD04-019
  2x Drake (Storm) [GDA] | 2 | Drake (Storm) | GDA
  2x Drake T301 [OP30-EN014] | 2 | Drake T301 | OP30-EN014
  3x Drake (Core Set) ●●●●● ● | 3 | Drake | Core Set
  Wick: 3 | 3 | Wick
  Things: | 1 | Things
  1 Sol Ring+\u007cC21\u007c[263] | 1 | Sol Ring | C21 | 263
  4 Drake\u007cpPRE\u007c2 | 4 | Drake | pPRE
`)(
  'a line of a list has a count, a name, and perhaps a set and a number: %j',
  (line = '', count, name, set = '', number = '') =>
    expect(read(line.replaceAll('\\u007c', '|'))).toEqual([count, name, set, number]),
);

it.each(table`
  4/102
  2x2-14
  base1-4
  1 2
  1996 World Champion
  X-Men Mansion
  4-Starred Drake
  10000 Drakes
  Drake 2
  7
  Decking
  Deck Out
  Energy Switch
  Trainer Mail
  Commander Eesha
  Side-Step
  Ace: The Drake
  base1:4
  [OP01-025]
  [Drake]
  #25 Drake
`)(
  'a line of a list is a name alone where that is no usual form of a count, a printing or a heading: %j',
  (line = '') => expect(read(line)).toEqual(['1', line, '', '']),
);

it.each(table`
  Deck
  Sideboard
  Commander
  Companion
  Main Deck
  Maybeboard
  About
  Mainboard
  Pokémon: 12
  Trainer: 20
  Energy: 9
  Total Cards: 60
  Dresseur : 20
  Pokémon (12)
  ##Pokémon - 12
  ****** Deck List ******
  Creatures (25)
  Spells: 4
  // Lands
  #main
  #extra
  !side
  [Main]
  == Sideboard ==
  Extra Deck: 15
  Réserve
  デッキ
`)('a line of a list is a heading: %j', (line = '') => expect(readLine(line)).toBe(undefined));

it.each([
  ...table`
    1 Sol Ring (C21) 263 *F* | foil
    1 Sol Ring *F-pp* | foil
    1 Sol Ring *f-etch* | etched
    1 Sol Ring *E* | etched
    1 Sol Ring [C21] (F) | foil
    1 Sol Ring [C21] (E) | etched
    1 Sol Ring (foil) | foil
    1 Sol Ring (etched) | etched
    1 Sol Ring (C21) 263 Foil | foil
    1 Sol Ring (C21) 263 foil etched | etched
    1 Sol Ring (C21) 263 Etched | etched
    1 Dreepy TWM 128 PH | foil | Dreepy
    1 Dreepy TWM 128 reverse holo | foil | Dreepy
    1 Sol Ring # !foil | foil
    1 Sol Ring #!etched | etched
    1 Sol Ring nonfoil |
    1 Sol Ring (nonfoil) |
    1 Sol Ring (C21) 263 |
    4 Foil | | Foil
    4 Cryptic Drake (e) | | Cryptic Drake
    1 Unown [F] | | Unown
  `,
  ['1 Sol Ring+|C21', 'foil'],
])(
  'a line of a list is of a finish, in the words of the label of a price: %j is %s',
  (line = '', finish, name = 'Sol Ring') => expect(readLine(line)).toMatchObject({ name, finish: finish || undefined }),
);

/** In short: each line as `count name · set · number`, with `foil` or `etched` where it is, and `?` where it may be a heading. */
function shown(list: PastedList): readonly string[] {
  if ('refusal' in list) return [list.refusal];
  return merged(list.lines).map(({ count, name, set, number, finish, mayBeHeading }) =>
    [`${count} ${name}`, set, number, finish, mayBeHeading ? '?' : undefined]
      .filter((part) => part !== undefined)
      .join(' · '),
  );
}

/** Of a cell, with its line breaks and other signs that are written as in JSON. */
const unescaped = (cell = '') => JSON.parse(`"${cell.replaceAll('"', '\\"')}"`);

it.each([
  ['', 'empty'],
  [' \n\t\r\n\u200b', 'empty'],
  ['---\n```\n🔥 !!', 'empty'],
  ['Deck\n\nSideboard', 'headingsOnly'],
  ['---\n```\n60 cards\nhttps://example.com/deck', 'headingsOnly'],
])('a pasted list is refused where it is none: %j is %s', (text, refusal) => {
  expect(readPastedList(text)).toEqual({ refusal });
});

it.each(['0 Sol Ring', '1000x Negate', '1000000000 Negate'])(
  'a pasted list is refused for a count that nobody owns: %s',
  (line) => {
    expect(readPastedList(`1 Negate\n${line}`)).toEqual({ refusal: 'count', line });
  },
);

it.each(table`
  \ufeffDeck\r\n4 Sol Ring (M10) 146\r\n1x OP01-025 *F*\r\n\r\nSideboard\r\n2\u200b Negate\r\n | 4 Sol Ring · M10 · 146 & 1 OP01-025 · foil & 2 Negate
  4 Negate\nSB: 2 negate\n1 Negate (M20)\n1 Negate (M20) 69\n1 Negate *F*\n4 Negate | 10 Negate & 1 Negate · M20 & 1 Negate · M20 · 69 & 1 Negate · foil
  Wings\n2 Negate\n4 Sol Ring\nOP01-025\nFangs (12)\nClaws: 3 | 1 Wings · ? & 2 Negate & 4 Sol Ring & 1 OP01-025 & 12 Fangs · ? & 3 Claws · ?
  7:69\nThings:\nTide:\n2 Reed: 12\nMew (151)\n2 Drake\n2 Hare | 1 7:69 & 1 Things · ? & 1 Tide · ? & 2 Reed: 12 & 1 Mew · 151 & 2 Drake & 2 Hare
  Negate\nSol Ring\n2 Drake | 1 Negate & 1 Sol Ring & 2 Drake
  ４　Negate（M20） | 4 Negate · M20
  Commander: Wick, Who Waits | 1 Wick, Who Waits
  * 3x [Negate](https://example.com/1) _(M20)_ ●● | 3 Negate · M20
  4 Negate https://example.com/1 | 4 Negate
  1 \u007c Wick \u007c Who Waits | 1 Wick Who Waits
  1 Negate\nNAME:Burn\nName=Burn\n15 influence spent (max 15)\n49 cards (min 45) | 1 Negate
  3 Card Drake | 3 Card Drake
  <Deck>\n<Cards CatID="7" Quantity="4" Sideboard="false" Name="Moth's Wing" />\n</Deck> | 4 Moth's Wing
  1 Moth&#39;s Wing &amp; Co | 1 Moth's Wing & Co
  - 4x Negate (M20) NM - 1.50€ each | 4 Negate · M20
  - Negate (M20) x4 - $2/ea | 4 Negate · M20
  🔥 4 × Negate, lightly played | 4 Negate
  foil Negate x2 (LP) 3 € | 2 Negate · foil
  2 Drake, the First foil | 2 Drake, the First · foil
  1 Drake ★ | 1 Drake ★
  1 Drake 100/101 ★ | 1 Drake · 100/101
  1 Foil ALL 42 | 1 Foil · ALL · 42
  1 Wolf, Holo | 1 Wolf, Holo
  Wick, Who Waits\nHop, Skip, Jump\nTide | 1 Wick, Who Waits & 1 Hop, Skip, Jump & 1 Tide
  1 Split; Id\n2 Tide; Ebb | 1 Split; Id & 2 Tide; Ebb
  "Brims" Drake, the First\n"Tor", Drake\n1 Drake "Toolbox", Tor | 1 "Brims" Drake, the First & 1 "Tor", Drake & 1 Drake "Toolbox", Tor
  4,"Wick, Who Waits",M20,69 | 1 4,"Wick, Who Waits",M20,69
  1 Drake, "the First" | 1 Drake, "the First"
  10,000 Drakes\n30,000-Year Drake | 1 10,000 Drakes & 1 30,000-Year Drake
  4\tNegate (M20)\n2\tTide | 4 Negate · M20 & 2 Tide
  4 Negate\n2 Tide\n3,Drake | 4 Negate & 2 Tide & 1 3,Drake
`)(
  'a pasted list has the lines that were meant, those that say the same once, and is no table: %s',
  (text, expected = '') => expect(shown(readPastedList(unescaped(text))).join(' & ')).toBe(expected),
);

it('a pasted list has one of what is in a line that is too long for a card', () => {
  const long = 'Drake '.repeat(51).trim();
  expect(shown(readPastedList(`Wings\n2 Negate\n${long}`))).toEqual(['1 Wings', '2 Negate', `1 ${long}`]);
});

it('a pasted list has a hundred different cards at most, however often each, and headings besides', () => {
  const names = Array.from({ length: 100 }, (_, at) => `2 Drake ${at}a`);
  const list = readPastedList(['Wings (10)', ...names, 'Fangs (10)', ...names].join('\n'));
  expect('lines' in list && merged(list.lines).filter(({ times }) => times === 2)).toHaveLength(100);
  expect(readPastedList([...names, '2 Negate'].join('\n'))).toEqual({ refusal: 'tooManyCards' });
  const headings = Array.from({ length: 300 }, (_, at) => `Wing ${at}a (10)`);
  expect(readPastedList([...headings.slice(1), ...names].join('\n'))).toMatchObject({ passedOver: [] });
  expect(readPastedList([...headings, ...names].join('\n'))).toEqual({ refusal: 'tooManyCards' });
});

const HEAD = '<?xml version="1.0"?>\n<Deck xmlns:xsd="http://www.w3.org/2001/XMLSchema">\n<Id>0</Id>';
it.each([
  ['Deck:\n4 Negate\n// Lands\nNAME:Burn\n60 cards\n---\n[Main]', 'Deck:\n// Lands\nNAME:Burn\n60 cards\n[Main]'],
  [`${HEAD}\n<Cards CatID="7" Quantity="4" Name="Negate" />\n</Deck>`, `${HEAD}\n</Deck>`],
])(
  'a pasted list says which lines it passed over: headings by their names, comments, sums, and what is in a file',
  (text, over) => {
    const list = readPastedList(text);
    expect(shown(list)).toEqual(['4 Negate']);
    expect(list).toMatchObject({ passedOver: over.split('\n') });
  },
);

it.each(table`
  Moxfield | "Count","Name","Edition","Foil"\n"4","Wick, Who Waits","fl","foil"
  ManaBox | Binder Name,Name,Set code,Foil,Quantity\nTrade,"Wick, Who Waits",FL,normal,2
  Dragon Shield | "sep=,"\nFolder Name,Quantity,Card Name,Set Code\nMine,3,Candle Hare,FL\nMine,1,Tide,FL
  an order at Cardmarket | idProduct;groupCount;price;isFoil;isSigned\n265536;1;0.20;;\n265537;2;0.20;;
  a stock of Cardmarket | "idArticle";"English Name";"Amount"\n"1";"Candle Hare";"4"
  a sheet with semicolons | Player;Set;Card Number\nCandle Hare;First Light;3
  a sheet in tabs | Card\tSet\tQty\nCandle Hare\tFirst Light\t4
  counts in the second column | Name,Quantity\nCandle Hare,4\nWick, 2
  counts in the first column | 4;Candle Hare\n2;Wick
  Cockatrice | <?xml version="1.0"?>\n<cockatrice_deck>\n  <card number="4" name="Candle Hare"/>\n</cockatrice_deck>
  a part of that file | <card number="4" name="Candle Hare"/>\n<card number="2" name="Tide"/>
`)('a pasted table, or the file of a program, is refused as a whole: %s', (_, typed) =>
  expect(readPastedList(unescaped(typed))).toEqual({ refusal: 'table' }),
);

it.each([
  ...['[', '(', '"', '^ ', ' ^^', ' *F*', ' [a]', ' #a', ' #!a', '4x ', 'SB:', 'SB: ', '- ', ' <1>', ' A1-1', ' | '],
  ...['\t', ',', ';', '1/2 ', '●', ' (a)', 'a (b) [c] ', '[a](https:', '\u200b', '！', '\n1 a', '\n4', '\n1,', '\na,b'],
  ...['(2026) ', 'Name,', ' foil', '1. ', ' #a *b*'],
])('whatever is typed or pasted is read at once: %j', (part) => {
  const before = process.threadCpuUsage(); // a busy machine lets others run meanwhile
  readPastedList(`4 Drake${part.repeat(40_000 / part.length)}!`);
  for (const end of ['!', ',', ';', ' x(']) readLine(`4 Sol Ring${part.repeat(280 / part.length)}${end}`);
  expect(readLine(`Drake${part.repeat(1_000)}!`)?.count).toBe(undefined);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
});
