import { beforeAll, expect, it, vi } from 'vitest';
import type { CatalogDatabase } from '../../src/catalog/database.ts';
import { resolve } from '../../src/catalog/meaning.ts';
import { find, search } from '../../src/catalog/search.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';
import { manyCards } from '../support/many-cards.ts';
import { openCatalog, WHO } from '../support/open-catalog.ts';
import { table } from '../table.ts';
import { isMeant, rows } from './typed/texts.ts';

const NOISE = 1_200;
const LONG_SET = "2016-17 Panini Aficionado Power Surge Artist's Proof Red";

/** `30x Name @ Set # number = id, released`, with `$` for which of the thirty; without an id, it has one by which it is not found. */
function cardsOf(text: string): CatalogCard[] {
  return text.split('; ').flatMap((card, row) => {
    const [, count = 1, name = '', set, number, id, released] =
      /^(?:(\d+)x )?(.*?)(?: @ (.*?))?(?: # (.*?))?(?: = (.*?))?(?:, ([\d-]+))?$/.exec(card) ?? [];
    return Array.from({ length: Number(count) }, (_, at) => ({
      ...{ id: id ?? `${row}-${at}-${'a'.repeat(24)}`, name: name.replace('$', String(at)), set, number, released },
    }));
  });
}

function found(typed: string, cards: string): CatalogCard[] {
  return search(openCatalog(cardsOf(cards), 'cards.csv').index, typed, WHO);
}

/** What is meant of each place, or what stands there. */
function expectMeant(cards: readonly CatalogCard[], meant: readonly string[]): void {
  const places = meant.map((each, at) => (cards.slice(at, at + 1).some(isMeant(each)) ? each : cards[at]));
  expect(places).toEqual(meant);
}

let catalog: CatalogDatabase;
beforeAll(() => {
  const cards = rows('many-games-cards.tsv').map(([game = '', id = '', name = '', set = '', number = '']) => ({
    ...{ id, name, set, number, game },
  }));
  // Near to what is typed, but nothing that it begins.
  const words = cards.flatMap(({ name }) => name.match(/\B\w{6,}/g) ?? []);
  catalog = openCatalog(manyCards(NOISE, words).toSpliced(NOISE / 2, 0, ...cards), 'cards.csv');
});

it.each(rows('many-games.tsv'))(
  'over cards of many games, a search finds %s by %j: %s',
  (among, typed = '', meant = '') => {
    const cards = search(catalog.index, typed, WHO).slice(0, among === 'first' ? 1 : 5);
    expect(cards.some(isMeant(meant)) ? [] : cards, meant).toEqual([]);
  },
);

it('what members type may be a word that objects of JavaScript have', () => {
  for (const typed of ['constructor', 'charizard constructor', '__proto__'])
    expect(() => search(catalog.index, typed, WHO)).not.toThrow();
});

it.each(table`
  boba fett hyperspace | Boba Fett, Disintegrator | Boba Fett, Disintegrator @ Spark of Rebellion; Hyperspace Disaster @ Shadows
  mew fire | Mew @ Fire Red and Leaf Green > Mew @ Firestorm | Mew @ Firestorm; Mew @ Fire Red and Leaf Green
  mew tempest | Mew | Mew @ Fossil; Wasteland @ Tempest
  ${LONG_SET} - Russell Westbrook - 11 | Russell Westbrook | Russell Westbrook @ ${LONG_SET} # 11; Kevin Durant @ ${LONG_SET} # 11
  mrd 83 | Bottle Gnomes | Bottle Gnomes @ Mirrodin # 83 = mrd-83; Light Beam @ Mirrodin = 83b0c1d2e3f4a5b6c7d8e9f0
  wasteland tempest | Wasteland @ Tempest > Wasteland @ Tempest Remastered | Wasteland @ Tempest Remastered, 2015-05-06; Wasteland @ Tempest
  swing bg | Swing Big | Swing Fist = TBBJQ7BndpfT6cPq6bGfB; Swing Big
  goyf | Tarmogoyf > Gryff Vanguard | Gryff Vanguard; Tarmogoyf; Vamguard Rider
  barbatos fourth form | Gundam Barbatos 4th Form | Gundam Barbatos; Gundam Barbatos 4th Form
  gundam mk2 | Gundam Mk-II | Gundam Mk-I; Gundam Mk-II
  mk 2 | Gundam Mk-II | Gundam Mk-I; Gundam Mk-II
  tallgeese 3 | Tallgeese Ⅲ | Tallgeese; Tallgeese Ⅲ
  tallgeese iii | Tallgeese Ⅲ | Tallgeese; Tallgeese Ⅲ
  nu gundam | ν Gundam | Gundam; ν Gundam
  ν gundam | ν Gundam | Gundam; ν Gundam
  test of courage from into the forbidden city | Test of Courage | Into the Forbidden City @ Core; Test of Courage @ Into the Forbidden City
  test of courge into the forbidden city | Test of Courage | Into the Forbidden City @ Core; Test of Courage @ Into the Forbidden City
  lanterm | Lantern Moth Of Old > Lantorn | Lantorn; Lantern Moth Of Old
  old fern lantern | Moth Lantern | Old Hare; Gull Fern; Moth Lantern
  gull moth zest | Moth | Gull @ Blue; Moth @ Zest; Old Gull; Blue Moth
  old gull moth | Old Gull | Gull @ Blue; Moth @ Zest; Old Gull; Blue Moth
  moth old gull | Old Gull | Gull @ Blue; Moth @ Zest; Old Gull; Blue Moth
  blue moth gull | Blue Moth | Gull @ Blue; Moth @ Zest; Old Gull; Blue Moth
  cod cheap | Cod | Cod; Polar Cap @ Cod
  murk | Murkling | 60x Very Murk $ Eel; Murkling
  zest | Very Zest Eel Of Many Words | 400x Gull $ @ Zest; Very Zest Eel Of Many Words @ Set Of Many Other Words
  zest quorl | Quorl | 300x Quorl Of Many Other Words $ @ Zest; Quorl @ Zest
  quib | Quib Rex > Quibbard > Quibbard > Quibbard > Quibmander > Quibmander > Quibmander > Quibmander > Quibzap > Quibbard Rex | 3x Quibbard; 2x Quibbard Rex; 4x Quibmander; Quibzap; Quib Rex
  kr du | # kram-2 > # kram-1 | 26x Kra Du$; Kram Dudling = kram-1, 2001-05-01; Kram Dudling = kram-2, 2020-01-01; Kram Dudling = kram-3, 1999-01-09
  nuu | # nu-2 > # nu-0 > # nu-3 > # nu-1 | Nuu = nu-0, 2001-05-01; Nuu = nu-1; Nuu = nu-2, 2020; Nuu = nu-3, 1999-01-09
  where doom awaits deck list | Where Doom Awaits | Lost Memories @ Where Doom Awaits; Where Doom Awaits @ Where Doom Awaits
  blood on the altar rulings | Blood on the Altar | Burned Ruins @ Blood on the Altar; Blood on the Altar @ Blood on the Altar
  overdrive cheap | Overdrive | Clear World @ Stardust Overdrive; Overdrive @ Stardust Overdrive
  uprising cheap | Uprising | Polar Cap @ Uprising; Uprising @ Uprising
  fire | Elemental Fire > Ace | Ace @ Fire; Elemental Fire
  drake 7 | # a > # b | Drake @ Series 7 # 7 = b; Drake @ First Light # 7 = a
  gull | # a9 > # a10 | Gull = a10; Gull = a9
`)('what is found first by %j is %j', (typed, meant = '', cards = '') =>
  expectMeant(found(typed, cards), meant.split(' > ')),
);

it.each(table`
  vanguard wxyzq | Gryff Vanguard | Gryff Vanguard; Vamguard Rider
  light b | Lightning Bolt | Lightning Bolt; Guiding Light = b1c2d3e4f5a6b7c8d9e0f1a2
  83B0C1D2E3F4A5B6C7D8E9F0 | Light Beam | Light Beam = 83b0c1d2e3f4a5b6c7d8e9f0; Bottle Gnomes
  _____ | _____ > _____ | 2x _____; Gull
  steven curry | Stephen Curry / Steve Kerr > Stephen Curry | Stephen Curry / Steve Kerr; Stephen Curry; Gull
  Stephen Curry | Stephen Curry > Stephen Curry / Steve Kerr | Stephen Curry / Steve Kerr; Stephen Curry; Stephan Currie
  tarmgoy | Tarmogoyf | Tarmogoyf; Gull
  heavy arms | Gundam Heavyarms > Geara Doga (Heavy Armed Type) | Gundam Heavyarms; Geara Doga (Heavy Armed Type); Gull
  sword | # sword | Gull = sword; Swurd Newt
  SWORD | # sword | Gull = sword; Swurd Newt
  sword | Gull # Sword | Gull # Sword; Swurd Newt
  sword | Sword | Sword; Swurd Newt
  murkling | Murkling Eel 0 > Murkling Eel 1 > Murkling Eel 2 > Murkling Eel 3 > Murklimg Newt | 4x Murkling Eel $; Murklimg Newt
  murkling | Murkling Eel 0 > Murkling Eel 1 > Murkling Eel 2 > Murkling Eel 3 > Murkling Eel 4 | 5x Murkling Eel $; Murklimg Newt
`)('all that is found by %j is %j', (typed, text = '', cards = '') => {
  const [meant, all] = [text.split(' > '), found(typed, cards)];
  expectMeant(all, meant);
  expect(all).toHaveLength(meant.length);
});

it('one word has an error where cards have each word, and none has both', () => {
  const { index } = openCatalog(cardsOf('Lantern Moth; Lanterm Eel'), 'cards.csv');
  const cards = [{ name: 'Lantern Moth' }];
  expect(find(index, 'lanterm moth', WHO)).toMatchObject({ has: 'mistyped', cards });
});

it('a word that is typed sixteen times costs no more than once, and a text of signs has no names beginning so', () => {
  const { index } = openCatalog(cardsOf('Gull; Moth'), 'cards.csv');
  const looks = vi.spyOn(index, 'hasWords');
  search(index, 'wxyzq '.repeat(16), WHO);
  const { length } = looks.mock.calls;
  search(index, 'wxyzq', WHO);
  expect(looks).toHaveBeenCalledTimes(2 * length);
  expect(index.withNameBeginning('')).toEqual([]);
});

/** `bob a`, `alice e 31`: who was shown which card, and how many days ago; `gone a`; and the ids that `find text` gives Alice. */
it.each(table`
  what is asked for most is first, here and then everywhere, among cards that fit equally well | Pikachu @ Base # 58 = a; Pikachu @ Jungle # 60 = b; Pikachu @ Celebration = c | carol c; carol c; carol c; find pikachu; bob b; find pikachu; find pikachu 58 | c a b / b c a / a
  it is first however many cards fit | 400x Gull $ @ Zest; Gull of old = z | bob z; first gull | z
  a card that is gone is last, however well it fits and however often it is asked for | Gull = gull; Moth @ Gull = moth | alice gull; gone gull; find gull | moth gull
  cards that are asked for equally often are in the order of cards which nobody asked for | Quibbard = a; Quibbard = b; Quibbard Rex = c; Quibmander = d; Quibmander = e | find quib; bob a; bob b; bob c; bob d; bob e; find quib | a b d e c / a b d e c
  nothing typed is what the member asked for within 30 days, then what their server asks for most | Gull a = a; Gull b = b; Gull c = c; Gull d = d; Gull e = e | alice e 31; alice c 29; bob a; bob a; bob a; bob b; bob b; carol b; carol b; carol d; find | c a b
`)('%s', (_, cards = '', steps = '', said) => {
  const own = openCatalog(cardsOf(cards), 'cards.csv');
  const told = steps.split('; ').flatMap((step) => {
    const [verb = '', what = '', days = 0] = step.split(' ');
    const ids = () => search(own.index, step.replace(/^\w+ ?/, ''), WHO).map(({ id }) => id);
    if (verb === 'find') return ids().join(' ');
    if (verb === 'first') return ids()[0];
    if (verb === 'gone') own.deny(what, true);
    else {
      const guildId = verb === 'carol' ? 'elsewhere' : 'guild';
      const isPrivate = Number(days) > 30;
      own.addAsked(what, { memberId: verb, guildId }, Date.now() - Number(days) * 86_400_000, true, isPrivate);
    }
    return [];
  });
  expect(told.join(' / ')).toBe(said);
});

it('a card is shown with its other name that was typed', () => {
  const card = { id: 'x-1', name: 'Zappelphilipp', also: ['Struwwelpeter', '雷鳥神', 'Zappelfritz'] };
  const { index } = openCatalog([card], 'cards.csv');
  const knownAs = ['struwwelpeter', 'struww', '雷鳥', 'zappel'].map((typed) => search(index, typed, WHO)[0]?.knownAs);
  expect(knownAs).toEqual(['Struwwelpeter', 'Struwwelpeter', '雷鳥神', undefined]);
});

it.each(table`
  op1-25 | one OP01-025 | Card OP01-025 = OP01-025; Card ST01-012 = ST01-012; Card EB01-056 = EB01-056
  st1-12 | one ST01-012 | Card OP01-025 = OP01-025; Card ST01-012 = ST01-012; Card EB01-056 = EB01-056
  eb1-56 | one EB01-056 | Card OP01-025 = OP01-025; Card ST01-012 = ST01-012; Card EB01-056 = EB01-056
  SM01 | one smp-SM01 | Rowlet @ Promos # SM01/248 = smp-SM01; 30x Eevee $ # $/149 = sm1-7
  _____ | several 2 | 2x _____; Gull
`)('%j, sent, means %j', (text, meant, cards = '') => {
  const meaning = resolve(openCatalog(cardsOf(cards), 'cards.csv').index, text, WHO);
  const { card, total } = { card: undefined, total: undefined, ...meaning };
  expect(`${meaning.kind} ${card?.id ?? total}`).toBe(meant);
});
