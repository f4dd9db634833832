import { expect, it } from 'vitest';
import { printed } from '../../src/catalog/named-printing.ts';

/** A name's cards, in short: `id set number also`, with `-` for what is absent. */
function cardsOf(...texts: string[]) {
  return texts.map((text) => {
    const [id = '', ...more] = text.split(' | ');
    const [set, number, also] = more.map((each) => (each === '-' ? undefined : each));
    return { id, name: 'Drake', set, number, ...(also && { also: [also] }) };
  });
}

const CODED = cardsOf('h1 | Commander 2021 | 263 | C21', 'h2 | Commander 2013 | 259 | C13', 'h3 | Alpha | - | LEA');
const NAMED = cardsOf(
  'sv3-125 | Obsidian Flames | 125/197',
  'sv35-6 | 151 | 6/165',
  'sv1-125 | Scarlet & Violet | 125/198',
);
const BY_ID = cardsOf('OP01-025 | Romance Dawn | OP01-025', 'OP01-025_p1 | Romance Dawn | OP01-025', 'c21-7 | - | -');

it.each([
  [CODED, 'C21', '263', ['h1']],
  [CODED, 'c21', undefined, ['h1']],
  [CODED, 'Commander 2013', '259', ['h2']],
  [CODED, 'C21', '259', []],
  [CODED, 'C12', '263', []],
  [CODED, 'LEA', '12', ['h3']],
  [CODED, 'CMD', '263', []],
  [NAMED, 'OBF', '125', ['sv3-125']],
  [NAMED, 'SVI', '125', ['sv1-125']],
  [NAMED, 'SVI', '197', []],
  [NAMED, 'S', '125', []],
  [NAMED, 'MEW', '6', ['sv35-6']],
  [NAMED, 'XYZ', '6', []],
  [NAMED, 'Flames', '125', []],
  [NAMED, 'Obs', '125', []],
  [NAMED, 'Obsidian Flames Set', '125', ['sv3-125']],
  [NAMED, '151', '6', ['sv35-6']],
  [NAMED, 'sv3', '125', ['sv3-125']],
  [NAMED, 'OBF', undefined, []],
  [NAMED, 'BSD', '125', []],
  [cardsOf('x1 | Obsidian Flames | 125', 'x2 | Orbit Falls | 125'), 'OBF', '125', []],
  [cardsOf('sv3-9 | Obsidian Flames | 125', 'sv4-9 | Rift | 125'), 'sv3', '125', ['sv3-9']],
  [cardsOf('x1 | Salt [OP01] | 25 | Rare', 'x2 | Salt [OP02] | 25 | Rare'), 'OP01', '25', ['x1']],
  [cardsOf('x1 | Salt | OP01-025 | OP01', 'x2 | Salt | OP01-026 | OP01'), 'OP01', '25', ['x1']],
  [cardsOf('x1 | Dominaria | 7 | DOM', 'x2 | Rift | 7 | RFT'), 'DAR', '7', ['x1']],
  [cardsOf('x1 | Promos | 20 | SVP', 'x2 | Promos | 20 | SWSHP'), 'PR-SV', '20', ['x1']],
  [cardsOf('x1 | Promos | 20 | SVP', 'x2 | Promos | 20 | SWSHP'), 'PR-SW', '20', ['x2']],
  [cardsOf('x1 | Promos | 20 | SMP', 'x2 | Promos | 20 | XYP'), 'PR-SM', '20', ['x1']],
  [cardsOf('x1 | Promos | 20 | SMP', 'x2 | Promos | 20 | XYP'), 'PR-XY', '20', ['x2']],
  [cardsOf('x1 | Promos | 20 | SMP', 'x2 | Promos | 20 | BWP'), 'PR-BLW', '20', ['x2']],
  [BY_ID, 'OP01-025', undefined, ['OP01-025']],
  [BY_ID, 'OP01', '025', ['OP01-025']],
  [BY_ID, 'C21', '7', ['c21-7']],
  [cardsOf('x1 | Ruins | !/28', 'x2 | Ruins | ?/28'), 'Ruins', '?/28', ['x2']],
  [cardsOf('x1 | Ruins | H6', 'x2 | Ruins | 6/28', 'x3 | Ruins | 16'), 'Ruins', '06', ['x2']],
  [cardsOf('x1 | A | 6/28', 'x2 | B | 6/30'), undefined, '6/30', ['x2']],
  [cardsOf('x1 | A | 6/28', 'x2 | B | -'), undefined, '7', []],
  [cardsOf('x1 | - | -'), 'C21', '263', ['x1']],
  [cardsOf('x1 | - | 263'), 'C21', '263', ['x1']],
  [cardsOf('x1 | - | 7'), 'C21', '263', []],
  [cardsOf('x1 | - | -'), '263', undefined, []],
  [cardsOf('x1 | - | -', 'x2 | - | -'), 'C21', '263', []],
])('of %j, set %j and number %j are %j', (cards, set, number, ids) => {
  const line = { set, number };
  expect(printed(cards, line).map(({ id }) => id)).toEqual(ids);
});
