import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  catalogCardOf,
  formOf,
  hasDigit,
  idKey,
  isSameId,
  nameKey,
  otherNamesOf,
  otherText,
  queryOf,
  wordsOf,
} from '../../src/catalog/text.ts';
import { anyCharacter } from '../support/any-character.ts';
import { table } from '../table.ts';

it.each(table`
  Flabébé | flabebe
  Farfetch’d, Misty's | farfetchd & mistys
  base1-04 | base 1 & 4
  004/102 | 4 & 102
  0 | 0
  Nidoran♀ | nidoran & female
  Æther Vial & Jötun | aether & vial & and & jotun
  リザードンex | リ ザ ー ド ン ex
  りざ | リ ザ
  ﾘｻﾞ | リ ザ
  喷火龙 GX | 喷 火 龙 & gx
  리자몽 | 리 자 몽
  ＶＭＡＸ | vmax
  "NEAR(a, b)" OR * | near & a & b & or
  10,000 Year Reunion, 1,5 | 10000 & year & reunion & 1 & 5
  TG12/TG30 | tg 12 & 30
  Level 8, LV.X, No. 39 | lv & 8 & lv & x & number & 39
  Charizard ★ | charizard & gold & star
  Jirachi ◇ | jirachi & prism & star
  Drake ٤ | drake & ٤
  ??? |
`)('words of %j are %j', (text = '', words) => expect(wordsOf(text).join(' & ')).toBe(words));

it('words of different Japanese syllables differ', () => expect(nameKey('サル')).not.toBe(nameKey('ザル')));

it.each(table`
  Mr. Mime | mrmime
  Ho-Oh | hooh
  B.E.S. Big Core | besbigcore
  Type: Null | TYPE  NULL
`)('the same name is made of %j and %j', (name = '', typed = '') => expect(nameKey(typed)).toBe(nameKey(name)));

it('ids are told apart by all but case, blanks, hyphens, underscores and accents', () => {
  for (const typed of ['BASE1-4', 'base1 4', 'base1_4', ' base１–4', 'bàse14']) expect(idKey(typed)).toBe('base14');
  expect(idKey('ex10-!')).not.toBe(idKey('ex10-?'));
  expect(idKey('base1-04')).not.toBe(idKey('base1-4'));
  for (const typed of ['SM2-10', 'sm２–１０'])
    expect([isSameId(typed, 'sm2-10'), isSameId(typed, 'sm210')]).toEqual([true, false]);
});

it.each(['4', '４', '٤', '४', 'Ⅳ'])('a text has a digit in any writing: %j', (digit) =>
  expect([hasDigit(`drake${digit}`), formOf(`drake${digit}`)]).toEqual([true, 'a9']),
);

it('words of a card include its id', () => {
  const card = { id: 'neo3-7', name: 'Ho-Oh', set: 'Neo Revelation', number: '7/64', game: 'Pokémon' };
  expect(otherText(card)).toBe('neo revelation 7 64 pokemon neo 3 7');
});

it.each(table`
  a1b2c3d4-e5f6-a1b2-c3d4e | true
  a1b2c3d4-e5f6-a1b2-c3d4 | false
  k1234567890123456789 | true
  k123456789012345678 | false
  abcdefghijklmnopqrst | false
`)('words of the id %s are found only as a whole, because it is a hash: %j', (id = '', isHash) =>
  expect(String(otherText({ id, name: 'Drake' }).trim() === '')).toBe(isHash),
);

const ORDINALS = 'First 1st Second 2nd Third 3rd Fourth 4th Fifth 5th Sixth 6th Seventh 7th Eighth 8th Ninth 9th';
const NUMERALS = 'Tenth 10th II 2 III 3 IV 4 VI 6 VII 7 VIII 8 IX 9';
it.each(`${ORDINALS} ${NUMERALS}`.match(/\S+ \S+/g) ?? [])(
  'words are those of a name with its numeral in other writing: %s',
  (both) => {
    const [one, other] = both.split(' ');
    expect(otherNamesOf({ id: '', name: `Drake ${one}` })).toEqual([nameKey(`Drake ${other}`)]);
    expect(otherNamesOf({ id: '', name: `Drake ${other}` })).toEqual([nameKey(`Drake ${one}`)]);
  },
);

it.each([
  ['Black Luster Soldier', ['Schwarzer Soldat', '黒 戦士'], 'schwarzer soldat 黒 戦 士 bls'],
  ['Command and Conquer', [], 'cac cnc cc'],
  ['Black Soldier', [], ''],
])('words of %s that are not shown are its other names, and the initials of a long name', (name, also, words) =>
  expect(otherText({ id: 'a'.repeat(24), name, also }).trim()).toBe(words),
);

it('words that are typed are bounded', () => {
  expect(queryOf('elf '.repeat(1_000)).words).toHaveLength(16);
  expect(queryOf(`${'a'.repeat(6_000)} b`).words).toEqual(['a'.repeat(100)]);
});

it('words consist of letters and digits alone, whatever the text', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 24 });
  const wrong = /^ | $| {2}|[^ \p{L}\p{M}\p{N}]/u;
  fc.assert(fc.property(text, (typed) => !queryOf(typed).words.some((word) => word === '' || wrong.test(word))));
});

it('a catalog card has its id for a name when the service gives none', () => {
  const card = { id: 'base1-4', name: '', game: 'pokemon', set: { id: 'base1', name: 'Base' } };
  expect(catalogCardOf(card)).toMatchObject({ id: 'base1-4', name: 'base1-4', set: 'Base', game: 'pokemon' });
});
