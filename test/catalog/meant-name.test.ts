import { beforeAll, describe, expect, it } from 'vitest';
import { resolve } from '../../src/catalog/resolution.ts';
import { search } from '../../src/catalog/search.ts';
import type { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { openCatalog } from '../support/open-catalog.ts';

const WHO = { memberId: 'alice', guildId: 'guild' };
const LONG_SET = "2016-17 Panini Aficionado Power Surge Artist's Proof Red";
const HASH = 'a42db83f-1e5c-5b3f-a1ab-0123456789ab';
const CARDS = [
  { id: 'SOR-135', name: 'Boba Fett, Disintegrator', set: 'Spark of Rebellion' },
  { id: 'SOR-136', name: 'Darth Vader, Dark Lord', set: 'Spark of Rebellion' },
  { id: 'SHD-1', name: 'Hyperspace Disaster', set: 'Shadows' },
  { id: 'nba-1', name: 'Russell Westbrook', set: LONG_SET, number: '11' },
  { id: 'nba-2', name: 'Kevin Durant', set: LONG_SET, number: '11' },
  { id: HASH, name: 'Lightning Bolt', set: 'Magic 2010' },
  { id: 'mrd-83', name: 'Bottle Gnomes', set: 'Mirrodin', number: '83' },
  { id: 'b1c2d3e4f5a6b7c8d9e0f1a2', name: 'Guiding Light', set: 'Odyssey' },
  { id: 'TBBJQ7BndpfT6cPq6bGfB', name: 'Swing Fist', set: 'Crucible' },
  { id: 'fab-1', name: 'Swing Big', set: 'Uprising' },
  { id: '83b0c1d2e3f4a5b6c7d8e9f0', name: 'Light Beam', set: 'Mirrodin' },
  ...['OP01-025', 'ST01-012', 'EB01-056'].map((id) => ({ id, name: `Card ${id}` })),
  { id: 'tmp-1', name: 'Wasteland', set: 'Tempest' },
  { id: 'tpr-1', name: 'Wasteland', set: 'Tempest Remastered', released: '2015-05-06' },
  ...['Luffy Is the Man', 'Luffy-Tarou', 'Luffy & Ace', 'Luffy & Law', 'Luffy & Nami'].map((name, at) => ({
    id: `OP-${at}`,
    name,
  })),
  ...Array.from({ length: 30 }, (_, at) => ({ id: `P-${at}`, name: 'Monkey.D.Luffy', number: `P-${at}` })),
  ...Array.from({ length: 30 }, (_, at) => ({ id: `Z-${at}`, name: 'Zoro-Juurou' })),
  ...Array.from({ length: 30 }, (_, at) => ({ id: `R-${at}`, name: 'Roronoa Zoro' })),
  { id: 'nba-3', name: 'Kris Dunn', set: 'Flawless' },
  { id: 'nba-4', name: 'Du Kr', set: 'Flawless' },
  { id: 'mmq-1', name: 'Morsel Theft', set: 'Morningtide' },
  { id: 'mmq-2', name: 'The Reaper of Mor', set: 'Morningtide' },
  { id: 'GD01-026', name: 'Gundam Heavyarms' },
  { id: 'GD01-053', name: 'Geara Doga (Heavy Armed Type)' },
  { id: 'nba-5', name: 'Stephen Curry / Steve Kerr' },
  { id: 'nba-6', name: 'Stephen Curry' },
  { id: 'fut-1', name: 'Tarmogoyf' },
  { id: 'avr-1', name: 'Gryff Vanguard' },
  { id: 'avr-2', name: 'Vamguard Rider' },
  { id: 'P-001', name: 'Roger', number: 'P-001' },
  { id: 'OP12-039_p1', name: 'Roger', number: 'OP12-039_p1' },
  { id: 'OP01-025_p1', name: 'Buggy', number: 'OP01-025' },
  { id: 'EB02-019', name: 'Buggy', number: 'EB02-019', set: 'Anime 25th Collection' },
  { id: 'GD03-052', name: 'Gundam Virtue', number: 'GD03-052' },
  { id: 'ST07-003', name: 'Gundam Virtue', number: 'ST07-003' },
  { id: 'smp-SM01', name: 'Rowlet', number: 'SM01/248', set: 'Promos' },
  ...Array.from({ length: 30 }, (_, at) => ({ id: `sm1-${at}`, name: `Eevee ${at}`, number: `${at}/149` })),
  { id: 'GD02-054', name: 'Gundam Barbatos 4th Form' },
  { id: 'GD04-008', name: 'Gundam Mk-II' },
  { id: 'GD04-009', name: 'Tallgeese Ⅲ' },
  { id: 'GD04-010', name: 'ν Gundam' },
  { id: 'unh-1', name: '_____' },
  { id: 'unh-2', name: '_____' },
  { id: 'l5r-1', name: 'Seal of the Unicorn' },
  ...Array.from({ length: 30 }, (_, at) => ({ id: `l5r-1${at}`, name: `Samurai ${at}`, also: ['unicorn'] })),
  { id: 'l5r-2', name: 'Into the Forbidden City', set: 'Core' },
  { id: 'fo-8', name: 'Mew', set: 'Fossil' },
  { id: 'l5r-3', name: 'Test of Courage', set: 'Into the Forbidden City' },
];

let catalog: CatalogDatabase;
beforeAll(() => {
  catalog = openCatalog(CARDS, 'cards.csv');
});

function found(typed: string): string[] {
  return search(catalog.index, typed, WHO).map(({ name }) => name);
}

describe('the name that was meant', () => {
  it.each([
    ['boba fett hyperspace', 'Boba Fett, Disintegrator'],
    ['darth vader hyperspace', 'Darth Vader, Dark Lord'],
  ])('%j: as many words as possible count more than the longest', (typed, name) => expect(found(typed)[0]).toBe(name));

  it('may have three letters beside a set that has no card of it', () => expect(found('mew tempest')).toEqual(['Mew']));

  it('is not taken for mistyped because another word is unknown', () =>
    expect(found('vanguard wxyzq')).toEqual(['Gryff Vanguard']));

  it('is found behind a long set: sixteen words count', () => {
    expect(found(`${LONG_SET} - Russell Westbrook - 11`)).toEqual(['Russell Westbrook']);
  });

  it('is not looked for in an id that is a hash or a UUID', () => {
    expect(found('mrd 83')).toEqual(['Bottle Gnomes']);
    expect(found('mirrodin 83')).toEqual(['Bottle Gnomes']);
    expect(found('light b')).not.toContain('Guiding Light');
    expect(found('lightning 83')).not.toContain('Light Beam');
    expect(found('swing bg')).not.toEqual(['Swing Fist']);
  });

  it.each([
    ['t4rmogoyf', 'Tarmogoyf'],
    ['tarmog0yf', 'Tarmogoyf'],
    ['tarmogoy6', 'Tarmogoyf'],
    ['gund4m virtue', 'Gundam Virtue'],
  ])('%j: is found with a digit beside the key that was meant', (typed, name) => expect(found(typed)[0]).toBe(name));

  it('is that of a hash or a UUID which is typed whole', () => {
    expect(found(HASH)).toEqual(['Lightning Bolt']);
    expect(found('83B0C1D2E3F4A5B6C7D8E9F0')).toEqual(['Light Beam']);
  });

  it('is of the set that was typed exactly, before longer sets', () => {
    const sets = search(catalog.index, 'wasteland tempest', WHO).map(({ set }) => set);
    expect(sets).toEqual(['Tempest', 'Tempest Remastered']);
  });

  it.each([
    ['luffy', ['Monkey.D.Luffy']],
    ['zoro', ['Zoro-Juurou', 'Roronoa Zoro']],
  ])('%j is each of several names with that word, among the first five: %j', (typed, names) => {
    expect(found(typed).slice(0, 5)).toEqual(expect.arrayContaining(names));
  });

  it.each([
    ['kr du', 'Kris Dunn'],
    ['mor the', 'Morsel Theft'],
  ])('%j begins the words of %j in their order', (typed, name) => expect(found(typed)[0]).toBe(name));

  it.each([
    ['op1-25', 'OP01-025'],
    ['st1-12', 'ST01-012'],
    ['eb1-56', 'EB01-056'],
  ])('%s, sent, is the id %s without its zeros, and no request for another id', (typed, id) => {
    expect(resolve(catalog.index, typed, WHO)).toMatchObject({ kind: 'one', card: { id } });
  });

  it('is that of the card whose only number was sent, however many have its parts', () => {
    expect(resolve(catalog.index, 'SM01', WHO)).toMatchObject({ kind: 'one', card: { name: 'Rowlet' } });
  });

  it.each([
    ['heavy arms', 'Gundam Heavyarms'],
    ['steven curry', 'Stephen Curry'],
    ['goyf', 'Tarmogoyf'],
  ])('%j: a list of under five goes on with what fits less well, to %j', (typed, name) =>
    expect(found(typed)).toContain(name),
  );

  it('holds a part of four letters before it is a short word with errors', () => {
    expect(found('goyf').slice(0, 2)).toEqual(['Tarmogoyf', 'Gryff Vanguard']);
  });

  it('is alone when it was typed whole', () => expect(found('Stephen Curry')).not.toContain('Tarmogoyf'));

  it.each([
    ['roger p-001', 'P-001'],
    ['buggy 025', 'OP01-025_p1'],
    ['virtue 003', 'ST07-003'],
  ])('%j: a figure is the end of a number before it is in an id, then in a set: %s', (typed, id) => {
    expect(search(catalog.index, typed, WHO)[0]).toMatchObject({ id });
  });

  it.each([
    ['barbatos fourth form', 'Gundam Barbatos 4th Form'],
    ['gundam mk2', 'Gundam Mk-II'],
    ['mk 2', 'Gundam Mk-II'],
    ['tallgeese 3', 'Tallgeese Ⅲ'],
    ['tallgeese iii', 'Tallgeese Ⅲ'],
    ['nu gundam', 'ν Gundam'],
    ['ν gundam', 'ν Gundam'],
  ])('%j is the ordinal, numeral or Greek letter in %j', (typed, name) => expect(found(typed)[0]).toBe(name));

  it('may be signs alone', () => {
    expect(found('_____')).toEqual(['_____', '_____']);
    expect(resolve(catalog.index, '_____', WHO)).toMatchObject({ kind: 'several', total: 2 });
  });

  it('has the word that is another name of many cards', () => expect(found('unicorn')[0]).toBe('Seal of the Unicorn'));

  it('is the shorter of two names if most words fit it', () => {
    expect(found('test of courage from into the forbidden city')[0]).toBe('Test of Courage');
  });

  it('is found with an error beside a set that is called after a card', () => {
    expect(found('test of courge into the forbidden city')[0]).toBe('Test of Courage');
  });

  it('is begun with an error', () => expect(found('tarmgoy')).toContain('Tarmogoyf'));
});
