import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { exported, runCatalog, temporaryFolder } from './cli-runs.ts';

const SAMPLES = new URL('samples/', import.meta.url).pathname;
const PAGE = 'docs/catalogues.md';

interface List {
  /** Besides what is in `samples/`. */
  files?: Record<string, unknown>;
  /** What the documented command line makes of them. */
  cards: object[];
}

const PACKS = [{ code: 'core', name: 'Core Set', date_release: '2016-11-10' }];
const PACK = { code: 'Core', name: 'Core Set', releaseDate: '2015-10-08' };
/** A pack in a file of its own, as three publishers have it. */
const packOf = (card: object) => ({
  'packs.json': PACKS,
  'pack/core.json': [{ code: '01001', pack_code: 'core', position: 1, ...card }],
});
const PRINTED = { id: '01001', set: 'Core Set', number: '1', released: '2016-11-10' };
const MAGIC = (
  ids: readonly [string, string],
  numbers: readonly [string, string],
  also: readonly [string, string],
): List => ({
  cards: [
    {
      id: ids[0],
      name: 'Aether Vial',
      set: 'Duskfall',
      number: numbers[0],
      game: 'Magic',
      also: [also[0]],
      released: '2004-02-06',
    },
    { id: ids[1], name: 'Fire // Ice', set: 'Last Dawn', number: numbers[1], game: 'Magic', also: [also[1]] },
  ],
});
const uuids = (begin: string) => [`${begin}000000000001`, `${begin}000000000002`] as const;

/** Short lists of our own, each in the form of a publisher's, by their command lines in their order. */
const LISTS: Record<string, List> = {
  'pokemon-tcg-data': {
    cards: [
      {
        id: 'ff1-4',
        name: 'Emberwing Drake',
        set: 'First Flight',
        number: '4/102',
        game: 'Pokémon',
        also: ['FF', 'Rare Holo'],
        released: '1999-01-09',
      },
      {
        id: 'ff1-58',
        name: 'Flabébé',
        set: 'First Flight',
        number: '58/102',
        game: 'Pokémon',
        also: ['FF', 'Common'],
        released: '1999-01-09',
      },
      {
        id: 'ti2-TG01',
        name: "Tidecaller's Pearl",
        set: 'Tides & Isles',
        number: 'TG01/64',
        game: 'Pokémon',
        also: ['Rare'],
      },
    ],
  },
  'yaml-yugi': {
    files: {
      'data/cards/1.json': {
        name: {
          en: 'Wet Field',
          de: 'Nasses Feld',
          es: 'Campo',
          fr: 'Champ',
          it: 'Terreno',
          pt: 'Terra',
          ja: '<ruby>湿<rt>しっ</rt></ruby><ruby>地<rt>ち</rt></ruby>',
          ko: '습지',
          'zh-TW': '濕地',
          'zh-CN': '湿地',
        },
        images: [{ index: 1 }],
        sets: {
          ja: [{ set_number: 'X-JP001' }],
          en: [{ set_number: 'X-EN001', set_name: 'First Light', rarities: ['Common', 'Rare'] }],
        },
      },
      'data/cards/2.json': { name: { en: 'Never Printed' }, sets: {} },
    },
    cards: [
      {
        id: 'X-EN001',
        name: 'Wet Field',
        set: 'First Light',
        game: 'Yu-Gi-Oh!',
        also: ['Common', 'Rare', 'Nasses Feld', 'Campo', 'Champ', 'Terreno', 'Terra', '湿地', '습지', '濕地'],
      },
    ],
  },
  'flesh-and-blood-cards': {
    files: {
      'csvs/english/card-printing.csv':
        'Unique ID\tCard Name\tCard Pitch\tCard ID\tSet Printing Unique ID\tSet ID\tRarity\nq1\tRhino\t\tHP001\tp1\tHP\tC\nq2\tSink Low\t3\tHP002\tp1\tHP\tR\n',
      'csvs/english/set.csv': 'Unique ID\tIdentifier\tName\ns1\tHP\tHistory Pack\n',
      'csvs/english/set-printing.csv': 'Unique ID\tInitial Release Date\np1\t2022-05-06T00:00:00.000Z\n',
    },
    cards: [
      {
        id: 'q1',
        name: 'Rhino',
        set: 'History Pack',
        number: 'HP001',
        game: 'Flesh and Blood',
        also: ['C'],
        released: '2022-05-06',
      },
      {
        id: 'q2',
        name: 'Sink Low (3)',
        set: 'History Pack',
        number: 'HP002',
        game: 'Flesh and Blood',
        also: ['R'],
        released: '2022-05-06',
      },
    ],
  },
  'arkhamdb-json-data': {
    files: {
      'packs.json': PACKS,
      'pack/core/core.json': packOf({ name: 'Rolf', subname: 'The Fed' })['pack/core.json'],
    },
    cards: [{ ...PRINTED, name: 'Rolf', also: ['The Fed', 'core'], game: 'Arkham Horror' }],
  },
  'netrunner-cards-json': {
    files: packOf({ title: 'Nöise', stripped_title: 'Noise' }),
    cards: [{ ...PRINTED, name: 'Nöise', also: ['Noise', 'core'], game: 'Netrunner' }],
  },
  'marvelsdb-json-data': {
    files: packOf({ name: 'Web', subname: 'Spinner' }),
    cards: [{ ...PRINTED, name: 'Web', also: ['Spinner', 'core'], game: 'Marvel Champions' }],
  },
  'throneteki-json-data': {
    files: { 'packs/Core.json': { ...PACK, cards: [{ code: '01001', name: 'A Clash' }] } },
    cards: [
      {
        id: '01001',
        name: 'A Clash',
        set: 'Core Set',
        also: ['Core'],
        released: '2015-10-08',
        game: 'A Game of Thrones',
      },
    ],
  },
  'keyteki-json-data': {
    files: {
      'packs/Core.json': {
        ...PACK,
        cards: [{ id: 'anger', name: 'Anger', number: '001', house: 'brob', rarity: 'C' }],
      },
    },
    cards: [
      {
        id: 'Core-001',
        name: 'Anger',
        set: 'Core Set',
        number: '001',
        also: ['brob', 'C', 'Core'],
        released: '2015-10-08',
        game: 'KeyForge',
      },
    ],
  },
  'swccg-card-json': {
    files: {
      'Light.json': {
        cards: [{ id: 5300, set: '3', rarity: 'R1', front: { title: 'Droid' }, back: { title: 'Wreck' } }],
      },
      'Dark.json': { cards: [{ id: 5301, set: '3', rarity: 'R1', front: { title: 'Trooper' } }] },
      'sets.json': [{ id: '3', name: 'Ice', abbr: 'I', date_release: '1996-11-01' }],
    },
    cards: [
      {
        id: '5300',
        name: 'Droid',
        set: 'Ice',
        also: ['Wreck', 'I', 'R1'],
        released: '1996-11-01',
        game: 'Star Wars CCG',
      },
      { id: '5301', name: 'Trooper', set: 'Ice', also: ['I', 'R1'], released: '1996-11-01', game: 'Star Wars CCG' },
    ],
  },
  Scryfall: MAGIC(uuids('8f1c2f4e-0000-4000-8000-'), ['91', '128★'], ['dst', 'apc']),
  'Scryfall, gzipped': MAGIC(['dst-91', 'apc-128★'], ['91', '128★'], ['dst', 'apc']),
  MTGJSON: MAGIC(uuids('5f8287b1-0000-5000-8000-'), ['91', '128'], ['DST', 'APC']),
  YGOPRODeck: {
    cards: [
      {
        id: '34541863',
        name: '"A" Cell Breeding Device',
        set: 'Force of the Breaker',
        number: 'FOTB-EN043',
        game: 'Yu-Gi-Oh!',
      },
      { id: '10000040', name: 'Holactie the Creator of Light', game: 'Yu-Gi-Oh!' },
    ],
  },
  tcgcsv: {
    cards: [
      { id: '42348', name: 'Emberwing Drake', set: 'Base Set', number: '004/102' },
      { id: '88001', name: 'Tidecaller, Promo', set: 'Promo, Black Star' },
    ],
  },
};

/** The indented command lines of a section. */
async function commandLines(section: string): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  return [...page.slice(page.indexOf(`## ${section}`)).matchAll(/^ {4}npm run catalog -- (.+)$/gm)].map(
    ([, line = '']) => line,
  );
}

/** As a shell understands them in a folder. */
async function words(line: string, folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `printf '%s\\0' ${line}`], { cwd: folder });
  return stdout.split('\0').slice(0, -1);
}

describe('the command lines for public catalogues', () => {
  it('are the ones that are tested', async () => {
    expect(await commandLines('Public catalogues')).toHaveLength(Object.keys(LISTS).length);
  });

  it.each(Object.entries(LISTS))('(%s) take every card of such a file', async (list, { files = {}, cards }) => {
    const folder = await temporaryFolder();
    await cp(SAMPLES, folder, { recursive: true });
    for (const [file, content] of Object.entries(files)) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const line = (await commandLines('Public catalogues'))[Object.keys(LISTS).indexOf(list)] ?? '';
    const { code, err } = await runCatalog(folder, await words(line, folder));

    expect({ code, err }).toEqual({ code: 0, err: list === 'yaml-yugi' ? '2.json holds no cards at sets.en.\n' : '' });
    expect(await exported(folder)).toEqual(cards);
  });
});
