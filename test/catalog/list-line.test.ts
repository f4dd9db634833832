import { describe, expect, it } from 'vitest';
import { readLine } from '../../src/catalog/list-line.ts';

/** In short: count, name, set and number; `heading` for what is no card. */
function read(line: string): string {
  const { count, name, set, number } = readLine(line) ?? {};
  return name === undefined ? 'heading' : [count, name, set ?? '', number ?? ''].join(' | ').replace(/[ |]+$/, '');
}

describe('a line of a list', () => {
  it.each([
    ['Sol Ring', '1 | Sol Ring'],
    ['4 Sol Ring', '4 | Sol Ring'],
    ['4x Sol Ring', '4 | Sol Ring'],
    ['4X Sol Ring', '4 | Sol Ring'],
    ['4 x Sol Ring', '4 | Sol Ring'],
    ['4× Sol Ring', '4 | Sol Ring'],
    ['x4 Sol Ring', '4 | Sol Ring'],
    ['(3) Pummel', '3 | Pummel'],
    ['Sol Ring x4', '4 | Sol Ring'],
    ['Sol Ring (x4)', '4 | Sol Ring'],
    ['- 4 Sol Ring', '4 | Sol Ring'],
    ['* 4 Ember Drake', '4 | Ember Drake'],
    ['SB: 2 Sol Ring', '2 | Sol Ring'],
    ['SB:  2 Sol Ring', '2 | Sol Ring'],
    ['12 Basic {R} Energy SVE 2', '12 | Basic Fire Energy | SVE | 2'],
    ['4 base1-4', '4 | base1-4'],
    ['1x OP01-025', '1 | OP01-025'],
    ['4xOP01-025', '4 | OP01-025'],
    ['3 89631139', '3 | 89631139'],
    ['4xP-032', '4 | P-032'],
    ['2 7:69', '2 | 7:69'],
    ['2x 7:69', '2 | 7:69'],
    ['4 _____', '4 | _____'],
    ['4: Sol Ring', '4 | Sol Ring'],
    ['4 - Sol Ring', '4 | Sol Ring'],
    ['-4 Sol Ring', '4 | Sol Ring'],
    ['– 4 Sol Ring', '4 | Sol Ring'],
    ['• 4 Sol Ring', '4 | Sol Ring'],
    ['> 4 Sol Ring', '4 | Sol Ring'],
    ['[x] 4 Sol Ring', '4 | Sol Ring'],
    ['2. 4 Sol Ring', '4 | Sol Ring'],
    ['[4] Sol Ring', '4 | Sol Ring'],
    ['1000x Sol Ring', '1000 | Sol Ring'],
    ['1000000000 Sol Ring', '1000000000 | Sol Ring'],
  ])('has a count: %j', (line, expected) => expect(read(line)).toBe(expected));

  it.each([
    ['4/102'],
    ['2x2-14'],
    ['base1-4'],
    ['1 2'],
    ['1996 World Champion'],
    ['X-Men Mansion'],
    ['4-Starred Drake'],
    ['10000 Drakes'],
    ['Drake 2'],
    ['7'],
  ])('has no count where that is no usual form of one: %j', (line) => expect(read(line)).toBe(`1 | ${line}`));

  it.each([
    ['1 Sol Ring (C21) 263', '1 | Sol Ring | C21 | 263'],
    ['1 Sol Ring (C21)', '1 | Sol Ring | C21'],
    ['4x Sol Ring [C21] 263', '4 | Sol Ring | C21 | 263'],
    ['4 Sol Ring [C21]', '4 | Sol Ring | C21'],
    ['1x Sol Ring (C21:263)', '1 | Sol Ring | C21 | 263'],
    ['1x Sol Ring (C21#263)', '1 | Sol Ring | C21 | 263'],
    ['1 [C21#263] Sol Ring', '1 | Sol Ring | C21 | 263'],
    ['1 [C21:263] Sol Ring', '1 | Sol Ring | C21 | 263'],
    ['1 Sol Ring <263> [C21]', '1 | Sol Ring | C21 | 263'],
    ['1 Sol Ring (C21) 263 *F*', '1 | Sol Ring | C21 | 263'],
    ['1x Sol Ring (c21) 263 *F* [Ramp] ^Have,#37d67a^', '1 | Sol Ring | c21 | 263'],
    ['1 Sol Ring [C21] (F)', '1 | Sol Ring | C21'],
    ['1 Jace, the Mind Sculptor (WWK) 31', '1 | Jace, the Mind Sculptor | WWK | 31'],
    ['1 Fire // Ice (MH2) 290', '1 | Fire // Ice | MH2 | 290'],
    ['4 Charizard ex OBF 125', '4 | Charizard ex | OBF | 125'],
    ['2 Pikachu PR-SW 20', '2 | Pikachu | PR-SW | 20'],
    ['1 Glaceon VSTAR CRZ GG40', '1 | Glaceon VSTAR | CRZ | GG40'],
    ['2 Celebi ex A1a 3', '2 | Celebi ex | A1a | 3'],
    ["1 Professor's Research P-A 7", "1 | Professor's Research | P-A | 7"],
    ['4 Dreepy TWM 128 PH', '4 | Dreepy | TWM | 128'],
    ['* 4 Charizard-EX FLF 11', '4 | Charizard-EX | FLF | 11'],
    ['4 Roronoa Zoro (OP01-025)', '4 | Roronoa Zoro | OP01-025'],
    ['4 OP01-025 Roronoa Zoro', '4 | Roronoa Zoro | OP01-025'],
    ['4 Agumon BT1-010', '4 | Agumon | BT1 | 010'],
    ['Sol Ring (Commander 2021) #263', '1 | Sol Ring | Commander 2021 | 263'],
    ['1x Sol Ring (C21:263) *F* *CMDR* #ramp', '1 | Sol Ring | C21 | 263'],
    ['1 Sol Ring (C21) 263 *E* #Ramp #!Card Draw', '1 | Sol Ring | C21 | 263'],
    ['1 [C21#263] Sol Ring # !Commander', '1 | Sol Ring | C21 | 263'],
    ['1x Sol Ring (dd3_gvl) 11a [Commander{top}]', '1 | Sol Ring | dd3_gvl | 11a'],
    ['1x Sol Ring (c21) [Ramp]', '1 | Sol Ring | c21'],
    ['1 Sol Ring (C21) 263 – $1.20', '1 | Sol Ring | C21 | 263'],
    ['1 Sol Ring+|C21|[263]', '1 | Sol Ring | C21 | 263'],
    ['4 Drake|pPRE|2', '4 | Drake | pPRE'],
    ['4 Drake 10E 7', '4 | Drake | 10E | 7'],
    ['Drake 4/102', '1 | Drake |  | 4/102'],
    ['Drake - 4/102 [First Light]', '1 | Drake | First Light | 4/102'],
    ['Drake (First Light) 4/102', '1 | Drake | First Light | 4/102'],
    ['Drake (Core Set (2026))', '1 | Drake | Core Set (2026)'],
    ['Drake (Rising [GD01]) GD01-001', '1 | Drake | Rising [GD01] | GD01-001'],
    ['4 GD04-019 Drake (Storm)', '4 | Drake (Storm) | GD04-019'],
    ['2 BD/WE42-E062 Like the Sun, Drake', '2 | Like the Sun, Drake | BD/WE42-E062'],
    ['2x Drake (Storm) [GD04-019]', '2 | Drake (Storm) | GD04-019'],
    ['2x Drake (Storm) [GDA]', '2 | Drake (Storm) | GDA'],
    ['2x Drake T301 [OP30-EN014]', '2 | Drake T301 | OP30-EN014'],
    ['3x Drake (Core Set) ●●●●● ●', '3 | Drake | Core Set'],
  ])('names a printing: %j', (line, expected) => expect(read(line)).toBe(expected));

  it.each([
    ...['Deck', 'deck', 'Sideboard', 'Commander', 'Companion', 'Main Deck', 'Maybeboard', 'About', 'Mainboard', 'Side'],
    ...['Pokémon: 12', 'Pokemon: 12', 'Trainer: 20', 'Energy: 9', 'Total Cards: 60', 'Dresseur : 20', 'Pokémon (12)'],
    ...['##Pokémon - 12', '****** Deck List ******', 'Creatures (25)', 'Lands', 'Deck:', 'Spells: 4', '// Lands'],
    ...['#main', '#extra', '!side', '[Main]', '== Sideboard ==', 'Leader', 'Extra Deck: 15', 'Réserve', 'デッキ'],
  ])('is a heading: %j', (line) => expect(read(line)).toBe('heading'));

  it.each([
    'Decking',
    'Deck Out',
    'Energy Switch',
    'Trainer Mail',
    'Commander Eesha',
    'Side-Step',
    'Ace: The Drake',
    'base1:4',
    'Wick: 3',
    'Things:',
    '[OP01-025]',
    '[Drake]',
    '#25 Drake',
  ])('is no heading: %j', (line) => expect(read(line)).toBe(`1 | ${line}`));

  it.each(['^ ', ' ^^', ' *F*', ' [a]', ' #!a', '4x ', '(', ' (a)', '- ', 'SB: ', ' <1>', ' A1-1'])(
    'is read before the test is timed out, however often it has %j',
    (part) => {
      expect(readLine(`Drake${part.repeat(1_000)}!`)).toMatchObject({ count: 1 });
    },
  );

  it('keeps what it says of the printing, for a card that is not known', () => {
    expect(readLine('4 Sol Ring (C21) 263 *F*')?.text).toBe('Sol Ring (C21) 263');
  });

  it.each([
    ['1 Sol Ring (C21) 263 *F*', true],
    ['1 Sol Ring *E*', true],
    ['1 Sol Ring [C21] (F)', true],
    ['1 Sol Ring (foil)', true],
    ['1 Sol Ring (C21) 263 Foil', true],
    ['1 Sol Ring # !foil', true],
    ['1 Sol Ring+|C21', true],
    ['1 Sol Ring (nonfoil)', false],
    ['1 Sol Ring (C21) 263', false],
    ['4 Foil', false],
    ['4 Cryptic Drake (e)', false],
    ['1 Unown [F]', false],
  ])('is marked as a foil: %j: %j', (line, isFoil) => expect(readLine(line)?.finish !== undefined).toBe(isFoil));

  it.each([
    ['1 Sol Ring (C21) 263 *F*', 'foil'],
    ['1 Sol Ring *F-pp*', 'foil'],
    ['1 Sol Ring *f-etch*', 'etched'],
    ['1 Sol Ring *E*', 'etched'],
    ['1 Sol Ring [C21] (E)', 'etched'],
    ['1 Sol Ring (etched)', 'etched'],
    ['1 Sol Ring (C21) 263 foil etched', 'etched'],
    ['1 Sol Ring (C21) 263 Etched', 'etched'],
    ['1 Dreepy TWM 128 PH', 'foil'],
    ['1 Dreepy TWM 128 reverse holo', 'foil'],
    ['1 Sol Ring #!etched', 'etched'],
    ['1 Sol Ring nonfoil', undefined],
  ])('is of a finish, in the words of the label of a price: %j is %s', (line, finish) =>
    expect(readLine(line)).toMatchObject({ name: expect.stringMatching(/^(?:Sol Ring|Dreepy)$/), finish }),
  );
});

it.each([',', ';', ' x('])('a line of a hundred tags is read at once, also when %j comes behind them', (end) => {
  const startedAtMs = performance.now();
  readLine(`4 Sol Ring${' #a *b*'.repeat(100)}${end}`);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});
