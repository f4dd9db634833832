import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CatalogCard } from '../../../src/catalog/text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exported, runCatalog } from './cli-runs.ts';

const SAMPLES = new URL('samples/', import.meta.url).pathname;
const PAGE = 'docs/catalogues.md';

/** A pack, a card of it in a file of its own, and a pack that is a file, as several publishers have them. */
const PACKS = '[{"code":"core","name":"Core Set","date_release":"2016-11-10"}]';
const CARD = '"code":"01001","pack_code":"core","position":1';
const PACK = '"code":"Core","name":"Core Set","releaseDate":"2015-10-08"';

/**
 * Short lists of our own, each in the form of a publisher's, by their command lines in their order: files with their content,
 * besides those in `samples/`, and what the documented command line makes of them, as id | name | set | number | game | released | also.
 */
const LISTS: [list: string, files: string, ...cards: string[]][] = [
  [
    'pokemon-tcg-data',
    '',
    'ff1-4 | Emberwing Drake | First Flight | 4/102 | Pokémon | 1999-01-09 | FF | Rare Holo',
    'ff1-58 | Flabébé | First Flight | 58/102 | Pokémon | 1999-01-09 | FF | Common',
    "ti2-TG01 | Tidecaller's Pearl | Tides & Isles | TG01/64 | Pokémon |  | Rare",
  ],
  [
    'yaml-yugi',
    `data/cards/1.json {"name":{"en":"Wet Field","de":"Nasses Feld","es":"Campo","fr":"Champ","it":"Terreno","pt":"Terra","ja":"<ruby>湿<rt>しっ</rt></ruby><ruby>地<rt>ち</rt></ruby>","ko":"습지","zh-TW":"濕地","zh-CN":"湿地"},"images":[{"index":1}],"sets":{"ja":[{"set_number":"X-JP001"}],"en":[{"set_number":"X-EN001","set_name":"First Light","rarities":["Common","Rare"]}]}}
data/cards/2.json {"name":{"en":"Never Printed"},"sets":{}}`,
    'X-EN001 | Wet Field | First Light |  | Yu-Gi-Oh! |  | Common | Rare | Nasses Feld | Campo | Champ | Terreno | Terra | 湿地 | 습지 | 濕地',
  ],
  [
    'flesh-and-blood-cards',
    `csvs/english/card-printing.csv Unique ID\tCard Name\tCard Pitch\tCard ID\tSet Printing Unique ID\tSet ID\tRarity\\nq1\tRhino\t\tHP001\tp1\tHP\tC\\nq2\tSink Low\t3\tHP002\tp1\tHP\tR
csvs/english/set.csv Unique ID\tIdentifier\tName\\ns1\tHP\tHistory Pack
csvs/english/set-printing.csv Unique ID\tInitial Release Date\\np1\t2022-05-06T00:00:00.000Z`,
    'q1 | Rhino | History Pack | HP001 | Flesh and Blood | 2022-05-06 | C',
    'q2 | Sink Low (3) | History Pack | HP002 | Flesh and Blood | 2022-05-06 | R',
  ],
  [
    'arkhamdb-json-data',
    `packs.json ${PACKS}\npack/core/core.json [{${CARD},"name":"Rolf","subname":"The Fed"}]`,
    '01001 | Rolf | Core Set | 1 | Arkham Horror | 2016-11-10 | The Fed | core',
  ],
  [
    'netrunner-cards-json',
    `packs.json ${PACKS}\npack/core.json [{${CARD},"title":"Nöise","stripped_title":"Noise"}]`,
    '01001 | Nöise | Core Set | 1 | Netrunner | 2016-11-10 | Noise | core',
  ],
  [
    'marvelsdb-json-data',
    `packs.json ${PACKS}\npack/core.json [{${CARD},"name":"Web","subname":"Spinner"}]`,
    '01001 | Web | Core Set | 1 | Marvel Champions | 2016-11-10 | Spinner | core',
  ],
  [
    'throneteki-json-data',
    `packs/Core.json {${PACK},"cards":[{"code":"01001","name":"A Clash"}]}`,
    '01001 | A Clash | Core Set |  | A Game of Thrones | 2015-10-08 | Core',
  ],
  [
    'keyteki-json-data',
    `packs/Core.json {${PACK},"cards":[{"id":"anger","name":"Anger","number":"001","house":"brob","rarity":"C"}]}`,
    'Core-001 | Anger | Core Set | 001 | KeyForge | 2015-10-08 | brob | C | Core',
  ],
  [
    'swccg-card-json',
    `Light.json {"cards":[{"id":5300,"set":"3","rarity":"R1","front":{"title":"Droid"},"back":{"title":"Wreck"}}]}
Dark.json {"cards":[{"id":5301,"set":"3","rarity":"R1","front":{"title":"Trooper"}}]}
sets.json [{"id":"3","name":"Ice","abbr":"I","date_release":"1996-11-01"}]`,
    '5300 | Droid | Ice |  | Star Wars CCG | 1996-11-01 | Wreck | I | R1',
    '5301 | Trooper | Ice |  | Star Wars CCG | 1996-11-01 | I | R1',
  ],
  [
    'Scryfall',
    '',
    '8f1c2f4e-0000-4000-8000-000000000001 | Aether Vial | Duskfall | 91 | Magic | 2004-02-06 | dst',
    '8f1c2f4e-0000-4000-8000-000000000002 | Fire // Ice | Last Dawn | 128★ | Magic |  | apc',
  ],
  [
    'Scryfall, gzipped',
    '',
    'dst-91 | Aether Vial | Duskfall | 91 | Magic | 2004-02-06 | dst',
    'apc-128★ | Fire // Ice | Last Dawn | 128★ | Magic |  | apc',
  ],
  [
    'MTGJSON',
    '',
    '5f8287b1-0000-5000-8000-000000000001 | Aether Vial | Duskfall | 91 | Magic | 2004-02-06 | DST',
    '5f8287b1-0000-5000-8000-000000000002 | Fire // Ice | Last Dawn | 128 | Magic |  | APC',
  ],
  [
    'YGOPRODeck',
    '',
    '34541863 | "A" Cell Breeding Device | Force of the Breaker | FOTB-EN043 | Yu-Gi-Oh! | ',
    '10000040 | Holactie the Creator of Light |  |  | Yu-Gi-Oh! | ',
  ],
  [
    'tcgcsv',
    '',
    '42348 | Emberwing Drake | Base Set | 004/102 |  | ',
    '88001 | Tidecaller, Promo | Promo, Black Star |  |  | ',
  ],
];

/** A card as one line of the table. */
function lineOf(card: unknown): string {
  const { id, name, set, number, game, released, also = [], ...more } = card as CatalogCard;
  expect(more).toEqual({});
  return [id, name, set, number, game, released, ...also].map((field) => field ?? '').join(' | ');
}

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
    expect(await commandLines('Public catalogues')).toHaveLength(LISTS.length);
  });

  it.each(LISTS)('(%s) take every card of such a file', async (list, files, ...cards) => {
    const folder = temporaryFolder();
    await cp(SAMPLES, folder, { recursive: true });
    for (const [, file = '', content = ''] of files.matchAll(/^(\S+) (.+)$/gm)) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await writeFile(join(folder, file), content.replaceAll('\\n', '\n'));
    }
    const line = (await commandLines('Public catalogues'))[LISTS.findIndex(([name]) => name === list)] ?? '';
    const { code, err } = await runCatalog(folder, await words(line, folder));

    expect({ code, err }).toEqual({
      code: 0,
      err: list === 'yaml-yugi' ? 'No cards at sets.en in 1 file (2.json).\n' : '',
    });
    expect((await exported(folder)).map(lineOf)).toEqual(cards);
  });
});
