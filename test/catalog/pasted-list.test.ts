import { describe, expect, it } from 'vitest';
import { merged, type PastedList, readPastedList } from '../../src/catalog/pasted-list.ts';

/** In short: each line as `count name | set | number`, with `*F*` or `*E*` where it is a foil or etched, and `?` where it may be a heading. */
function shown(list: PastedList): readonly string[] {
  if ('refusal' in list) return [list.refusal];
  return merged(list.lines).map(({ count, name, set, number, finish, mayBeHeading }) =>
    [`${count} ${name}`, set, number, finish && (finish === 'foil' ? '*F*' : '*E*'), mayBeHeading ? '?' : undefined]
      .filter((part) => part !== undefined)
      .join(' | '),
  );
}

const lines = (...typed: string[]) => shown(readPastedList(typed.join('\n')));

describe('a pasted list', () => {
  it('has its lines in their order, with what each names', () => {
    const text = '\ufeffDeck\r\n4 Sol Ring (M10) 146\r\n1x OP01-025 *F*\r\n\r\nSideboard\r\n2\u200b Negate\r\n';
    expect(shown(readPastedList(text))).toEqual(['4 Sol Ring | M10 | 146', '1 OP01-025 | *F*', '2 Negate']);
  });

  it('has lines that say the same once, and says how many there were', () => {
    const list = readPastedList('4 Negate\nSB: 2 negate\n1 Negate (M20)\n1 Negate (M20) 69\n1 Negate *F*\n4 Negate');
    expect(shown(list)).toEqual(['10 Negate', '1 Negate | M20', '1 Negate | M20 | 69', '1 Negate | *F*']);
    const [first] = 'lines' in list ? merged(list.lines) : [];
    expect(first).toMatchObject({ typed: '4 Negate', times: 3 });
  });

  it.each([
    ['', 'empty'],
    [' \n\t\r\n\u200b', 'empty'],
    ['---\n```\n🔥 !!', 'empty'],
    ['Deck\n\nSideboard', 'headingsOnly'],
    ['---\n```\n60 cards\nhttps://example.com/deck', 'headingsOnly'],
    ['1 Negate\n0 Sol Ring', 'count'],
    ['0x Negate', 'count'],
    ['1000x Negate', 'count'],
    ['1000000000 Negate', 'count'],
  ])('is refused where it is none: %j is %s', (text, refusal) => {
    expect(readPastedList(text)).toMatchObject({ refusal });
  });

  it('has one of what is in a line that is too long for a card', () => {
    const long = 'Drake '.repeat(51).trim();
    expect(lines('Wings', '2 Negate', long)).toEqual(['1 Wings', '2 Negate', `1 ${long}`]);
  });

  it('may have 999 of a card', () => expect(lines('999x Negate')).toEqual(['999 Negate']));

  it('says which count it does not take', () => {
    expect(readPastedList('1 Negate\n0 Sol Ring\n')).toEqual({ refusal: 'count', line: '0 Sol Ring' });
  });

  it('has a hundred different cards at most, however often each, and headings besides', () => {
    const names = Array.from({ length: 100 }, (_, at) => `2 Drake ${at}a`);
    const list = readPastedList(['Wings (10)', ...names, 'Fangs (10)', ...names].join('\n'));
    expect('lines' in list && merged(list.lines).filter(({ times }) => times === 2)).toHaveLength(100);
    expect(readPastedList([...names, '2 Negate'].join('\n'))).toEqual({ refusal: 'tooManyCards' });
    const headings = Array.from({ length: 300 }, (_, at) => `Wing ${at}a (10)`);
    expect(readPastedList([...headings.slice(1), ...names].join('\n'))).toMatchObject({ passedOver: [] });
    expect(readPastedList([...headings, ...names].join('\n'))).toEqual({ refusal: 'tooManyCards' });
  });

  it('says which lines it passed over: headings by their names, comments and sums', () => {
    const text = 'Deck:\n4 Negate\n2 7:69\n// Lands\nNAME:Burn\n60 cards\n---\n[Main]';
    expect(readPastedList(text)).toMatchObject({
      passedOver: ['Deck:', '// Lands', 'NAME:Burn', '60 cards', '[Main]'],
    });
    expect(lines(text)).toEqual(['4 Negate', '2 7:69']);
  });

  it('has the cards of a file of Magic Online, and passes over what else is in it', () => {
    const head = ['<?xml version="1.0"?>', '<Deck xmlns:xsd="http://www.w3.org/2001/XMLSchema">', '<Id>0</Id>'];
    const cards = ['<Cards CatID="7" Quantity="4" Name="Moth&apos;s Wing" />', '</Deck>'];
    expect(readPastedList([...head, ...cards].join('\n'))).toMatchObject({
      lines: [{ name: "Moth's Wing", count: 4 }],
      passedOver: [...head, '</Deck>'],
    });
  });

  it('has what has no count for a heading, where most lines have one, unless it looks like an id', () => {
    expect(lines('Wings', '2 Negate', '4 Sol Ring', 'OP01-025', 'Fangs (12)', 'Claws: 3')).toEqual([
      ...['1 Wings | ?', '2 Negate', '4 Sol Ring', '1 OP01-025', '12 Fangs | ?', '3 Claws | ?'],
    ]);
    expect(lines('7:69', 'Things:', 'Tide:', '2 Reed: 12', 'Mew (151)', '2 Drake', '2 Hare')).toEqual([
      ...['1 7:69', '1 Things | ?', '1 Tide | ?', '2 Reed: 12', '1 Mew | 151', '2 Drake', '2 Hare'],
    ]);
    expect(lines('Negate', 'Sol Ring', '2 Drake')).toEqual(['1 Negate', '1 Sol Ring', '2 Drake']);
    expect(lines('Negate', '2 Drake')).toEqual(['1 Negate', '2 Drake']);
  });

  it.each([
    ['**4x Negate**', ['4 Negate']],
    ['４　Negate（M20）', ['4 Negate | M20']],
    ['Commander: Wick, Who Waits', ['1 Wick, Who Waits']],
    ['* 3x [Negate](https://example.com/1) _(M20)_ ●●', ['3 Negate | M20']],
    ['4 Negate https://example.com/1', ['4 Negate']],
    ['1 | Wick | Who Waits', ['1 Wick Who Waits']],
    ['Wick, Who Waits', ['1 Wick, Who Waits']],
    ['1 Negate\nNAME:Burn\nName=Burn\n15 influence spent (max 15)\n49 cards (min 45)', ['1 Negate']],
    ['3 Card Drake', ['3 Card Drake']],
    ['<Deck>\n<Cards CatID="7" Quantity="4" Sideboard="false" Name="Moth\'s Wing" />\n</Deck>', ["4 Moth's Wing"]],
    ['1 Moth&#39;s Wing &amp; Co', ["1 Moth's Wing & Co"]],
    ['- 4x Negate (M20) NM - 1.50€ each', ['4 Negate | M20']],
    ['- Negate (M20) x4 - $2/ea', ['4 Negate | M20']],
    ['🔥 4 × Negate, lightly played', ['4 Negate']],
    ['foil Negate x2 (LP) 3 €', ['2 Negate | *F*']],
    ['2 Drake, the First foil', ['2 Drake, the First | *F*']],
    ['1 Negate M20 69 PH', ['1 Negate | M20 | 69 | *F*']],
    ['2 Negate 10E 70', ['2 Negate | 10E | 70']],
    ['1 Drake ★', ['1 Drake ★']],
    ['1 Drake 100/101 ★', ['1 Drake | 100/101']],
    ['2 Foil', ['2 Foil']],
    ['1 Foil ALL 42', ['1 Foil | ALL | 42']],
    ['1 Wolf, Holo', ['1 Wolf, Holo']],
  ])('has the line that was meant: %j', (text, expected) => expect(lines(text)).toEqual(expected));
});

describe('a pasted table, or the file of a program', () => {
  it.each<[string, string[]]>([
    [
      'a collection of Moxfield',
      [
        '"Count","Tradelist Count","Name","Edition","Condition","Language","Foil","Collector Number","Alter"',
        '"4","0","Wick, Who Waits","fl","Near Mint","English","foil","1","False"',
      ],
    ],
    [
      'a binder of ManaBox',
      [
        'Binder Name,Binder Type,Name,Set code,Set name,Collector number,Foil,Rarity,Quantity',
        'Trade,binder,"Wick, Who Waits",FL,First Light,1,normal,rare,2',
      ],
    ],
    [
      'a folder of Dragon Shield',
      [
        '"sep=,"',
        'Folder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing',
        'Mine,3,0,Candle Hare,FL,First Light,3,NearMint,Foil',
        'Mine,1,0,Tide,FL,First Light,11,NearMint,Normal',
      ],
    ],
    [
      'an order at Cardmarket',
      [
        'idProduct;groupCount;price;idLanguage;condition;isFoil;isSigned;isAltered;isPlayset',
        '265536;1;0.20;1;2;;;;',
        '265537;2;0.20;1;2;;;;',
      ],
    ],
    [
      'a stock of Cardmarket',
      ['"idArticle";"English Name";"Exp.";"Price";"Amount"', '"1";"Candle Hare";"FL";"1.00";"4"'],
    ],
    ['a sheet with semicolons', ['Player;Set;Card Number', 'Candle Hare;First Light;3']],
    ['a sheet in tabs', ['Card\tSet\tQty', 'Candle Hare\tFirst Light\t4']],
    ['counts in the second column', ['Name,Quantity', 'Candle Hare,4', 'Wick, 2']],
    ['counts in the first column', ['4;Candle Hare', '2;Wick']],
    [
      'a file of Cockatrice',
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<cockatrice_deck version="1">',
        '    <deckname>Burn</deckname>',
        '    <zone name="main">',
        '        <card number="4" name="Candle Hare"/>',
        '    </zone>',
        '</cockatrice_deck>',
      ],
    ],
    ['a part of that file', ['<card number="4" name="Candle Hare"/>', '<card number="2" name="Tide"/>']],
  ])('is refused as a whole: %s', (_, typed) => {
    expect(readPastedList(typed.join('\n'))).toEqual({ refusal: 'table' });
  });

  it.each([
    [
      'names with commas',
      ['Wick, Who Waits', 'Hop, Skip, Jump', 'Tide'],
      ['1 Wick, Who Waits', '1 Hop, Skip, Jump', '1 Tide'],
    ],
    ['names with semicolons', ['1 Split; Id', '2 Tide; Ebb'], ['1 Split; Id', '2 Tide; Ebb']],
    [
      'a quoted word in a name',
      ['"Brims" Drake, the First', '"Tor", Drake', '1 Drake "Toolbox", Tor'],
      ['1 "Brims" Drake, the First', '1 "Tor", Drake', '1 Drake "Toolbox", Tor'],
    ],
    ['one row alone', ['4,"Wick, Who Waits",M20,69'], ['1 4,"Wick, Who Waits",M20,69']],
    ['a quoted word at the end of a name', ['1 Drake, "the First"'], ['1 Drake, "the First"']],
    ['thousands in a name', ['10,000 Drakes', '30,000-Year Drake'], ['1 10,000 Drakes', '1 30,000-Year Drake']],
    ['a tab between count and name', ['4\tNegate (M20)', '2\tTide'], ['4 Negate | M20', '2 Tide']],
    ['a row in a list', ['4 Negate', '2 Tide', '3,Drake'], ['4 Negate', '2 Tide', '1 3,Drake']],
  ])('is none with %s', (_, typed, expected) => expect(lines(...typed)).toEqual(expected));
});

it.each([
  ...[
    '[',
    '(',
    '"',
    '^ ',
    ' *F*',
    ' [a]',
    ' #a',
    '4x ',
    'SB:',
    '- ',
    ' <1>',
    ' A1-1',
    ' | ',
    '\t',
    ',',
    ';',
    '1/2 ',
    '●',
  ],
  ...['a (b) [c] ', '[a](https:', '\u200b', '！', '\n1 a', '\n4', '\n1,', '\na,b', '(2026) ', 'Name,', ' foil', '1. '],
])('whatever is pasted is read at once: %j', (part) => {
  const text = `4 Drake${part.repeat(40_000 / part.length)}!`;
  const startedMs = performance.now();
  readPastedList(text);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
