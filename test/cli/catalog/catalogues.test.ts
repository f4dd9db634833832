import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { exported, runCatalog, temporaryFolder } from './cli-runs.ts';

const SAMPLES = new URL('samples/', import.meta.url).pathname;
const PAGE = 'docs/catalogues.md';

/** Short files of our own in each format, by what the documented command lines make of them. */
const MAGIC = (ids: readonly [string, string], numbers: readonly [string, string]) => [
  { id: ids[0], name: 'Aether Vial', set: 'Duskfall', number: numbers[0], game: 'Magic' },
  { id: ids[1], name: 'Fire // Ice', set: 'Last Dawn', number: numbers[1], game: 'Magic' },
];
const uuids = (begin: string) => [`${begin}000000000001`, `${begin}000000000002`] as const;
const EXPECTED: Record<string, object[]> = {
  'cards/en/*.json': [
    { id: 'ff1-4', name: 'Emberwing Drake', set: 'First Flight', number: '4/102', game: 'Pokémon' },
    { id: 'ff1-58', name: 'Flabébé', set: 'First Flight', number: '58/102', game: 'Pokémon' },
    { id: 'ti2-TG01', name: "Tidecaller's Pearl", set: 'Tides & Isles', number: 'TG01/64', game: 'Pokémon' },
  ],
  'default-cards.json': MAGIC(uuids('8f1c2f4e-0000-4000-8000-'), ['91', '128★']),
  'default-cards.jsonl.gz': MAGIC(['dst-91', 'apc-128★'], ['91', '128★']),
  'AllPrintings.json.gz': MAGIC(uuids('5f8287b1-0000-5000-8000-'), ['91', '128']),
  'cardinfo.json': [
    {
      id: '34541863',
      name: '"A" Cell Breeding Device',
      set: 'Force of the Breaker',
      number: 'FOTB-EN043',
      game: 'Yu-Gi-Oh!',
    },
    { id: '10000040', name: 'Holactie the Creator of Light', game: 'Yu-Gi-Oh!' },
  ],
  'ProductsAndPrices.csv': [
    { id: '42348', name: 'Emberwing Drake', set: 'Base Set', number: '004/102' },
    { id: '88001', name: 'Tidecaller, Promo', set: 'Promo, Black Star' },
  ],
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
    const lines = await commandLines('Public catalogues');
    expect(lines.map((line) => line.split(' ')[1])).toEqual(Object.keys(EXPECTED));
  });

  it.each(Object.entries(EXPECTED))('(%s) take every card of such a file', async (file, cards) => {
    const folder = await temporaryFolder();
    await cp(SAMPLES, folder, { recursive: true });
    const line = (await commandLines('Public catalogues')).find((each) => each.split(' ')[1] === file) ?? '';
    const { code, err } = await runCatalog(folder, await words(line, folder));

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await exported(folder)).toEqual(cards);
  });
});
