import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { table } from '../../table.ts';
import { failing } from '../run.ts';
import { exported, runCatalog } from './cli-runs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** @param files by their names: a text, or what is JSON in it */
async function write(files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const imports = (line: string) => runCatalog(folder, ['import', ...line.split(' ')]);

async function importing(file: string, text: string) {
  await write({ [file]: text });
  return imports(file);
}

const CARDS = 'name,id,rarity,number,set\nEmberwing Drake,base1-4,rare,4/102,Base\nTidecaller,base1-5,rare,,Base\n';

describe('an import', () => {
  it('takes all cards of a file, and the same file again changes nothing', async () => {
    expect(await importing('cards.csv', CARDS)).toEqual({
      code: 0,
      out: 'cards.csv: 2 cards, 2 new or changed; 0 refused\n',
      err: '',
    });
    const again = { code: 0, out: 'cards.csv: 2 cards, 0 new or changed; 0 refused\n' };
    expect(await imports('cards.csv')).toMatchObject(again);
    expect(await exported(folder)).toEqual([
      { id: 'base1-4', name: 'Emberwing Drake', set: 'Base', number: '4/102' },
      { id: 'base1-5', name: 'Tidecaller', set: 'Base' },
    ]);
  });

  it('skips bad lines, names twenty of them and counts the others', async () => {
    const bad = Array.from({ length: 25 }, (_, index) => `,no id ${index}`);
    const { code, out, err } = await importing('cards.csv', ['id,name', '1,a', ...bad, '2,b'].join('\n'));

    expect({ code, out }).toEqual({ code: 2, out: 'cards.csv: 2 cards, 2 new or changed; 25 refused\n' });
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('cards.csv: line 3 has no id.');
    expect(lines.at(-1)).toBe('5 more were refused.');
  });

  it('takes a folder for the files in it, linked or not, that may have cards', async () => {
    const second = JSON.stringify({ id: 'x', name: 'Boulder' }, null, 2);
    await write({ 'first.csv': CARDS, 'cards/older/second.json': second, 'cards/third.yaml': 'id: y' });
    await symlink('../first.csv', join(folder, 'cards/first.csv'));
    expect(await imports('cards')).toMatchObject({ code: 0, err: '' });
    expect(await exported(folder)).toHaveLength(3);
    // Of lists with a file for each card, only a source of many can be withdrawn.
    expect((await runCatalog(folder, ['stats'])).out).toContain('\n  cards: 3\n');
  });

  it('goes on with the next file after one that cannot be read, or a folder without such files', async () => {
    await mkdir(join(folder, 'inner'));
    await write({ 'good.csv': CARDS, 'empty.csv': '' });
    const says =
      /^empty\.csv is empty\.\nnowhere\.csv cannot be read \(ENOENT: .+\)\.\ninner is a folder: name files of cards in it\.\n$/;
    expect(await imports('empty.csv nowhere.csv inner good.csv')).toMatchObject(failing(says, 2));
  });

  it('shares the catalog with another import', async () => {
    const text = (of: string) =>
      ['id,name', ...Array.from({ length: 1_000 }, (_, index) => `${of}-${index},Name ${index}`)].join('\n');
    const both = await Promise.all([importing('a.csv', text('a')), importing('b.csv', text('b'))]);
    for (const each of both) expect(each).toMatchObject({ code: 0, err: '' });
    expect(await exported(folder)).toHaveLength(2_000);
  });
});

describe('a file of which nothing can be taken', () => {
  const CURE = 'say with --map which it is, or with --rows where cards are';

  it.each([
    ['cards.csv', 'uuid,title\n1,a\n', ` has no id and no name, only uuid, title: ${CURE}.`],
    [
      'cards.csv',
      `id,\u001b[31m\t,${'x,'.repeat(90)}y\n${'1,'.repeat(92)}1\n`,
      ` has no name, only id, _31m, x, y: ${CURE}.`,
    ],
    ['cards.csv', 'Card Name,Id\na,1\n', ` has no name, only card name, id: ${CURE}.`],
    ['cards.csv', '"id,name"\n"1,a"\n', ` has no id and no name, only id,name: ${CURE}.`],
    ['cards.jsonl', '{"id":1,"name":""}\n', ': line 1 has no name.'],
    [
      'cards.json',
      '[{"uuid":1,"title":"a"}]',
      `: card 1 has no id.\ncards.json has no id and no name, only uuid, title: ${CURE}.`,
    ],
    [
      'cards.json',
      '{"cards":[{"id":1}]}',
      `: line 1 has no id.\ncards.json has no id and no name, only cards: ${CURE}.`,
    ],
  ])('%s with %j is a sentence and exit code 1', async (file, text, says) => {
    expect(await importing(file, text)).toMatchObject({ code: 1, err: `${file}${says}\n` });
  });
});

describe('wrong arguments', () => {
  it.each(table`
    import | missing required argument 'file'
    import x --map rarity=x | Write FIELD=SOURCE, where FIELD is one of id, name, set, number, game, released, also.
    import x --id-template set | Write names of fields in braces
    import x --join Groups.csv | Write FIELD=FILE
    export cards.csv | too many arguments for 'export'
    stats --dry-run | unknown option '--dry-run'
  `)('(%s) are explained, with exit code 1', async (line = '', says = '') => {
    expect(await runCatalog(folder, line.split(' '))).toMatchObject(failing(says));
  });

  it('include settings', async () => {
    const stats = await runCatalog(folder, ['stats'], { env: { REDIS_URL: 'http://x', DATADIR: 'x' } });
    expect(stats).toMatchObject(failing('REDIS_URL: write an address that begins with redis:// or rediss://'));
  });
});

describe('several files', () => {
  it('have a total, and ids that came twice are named, in a file and across files', async () => {
    const [a, b, c] = ['A', 'B', 'C'].map((name) => ({ id: 'x', name }));
    await write({ 'a.json': [a, b], 'b.json': [c], 'c.json': [] });
    expect(await imports('a.json b.json c.json')).toEqual({
      code: 0,
      out: 'All 3 files: 3 cards, 3 new or changed; 0 refused; 1 id (x) came twice, the last counts\n',
      err: [
        'No cards in 1 file (c.json).\n',
        'New names for 2 ids (x: A → B, x: B → C): if these are other cards, make ids with --id-template.\n',
      ].join(''),
    });
    expect(await exported(folder)).toEqual([c]);
  });

  it('say which ids have another name now, unless the card service has confirmed the card', async () => {
    const [bull, heat] = ['Kobe Bryant', 'Jimmy Butler'].map((name) => ({ id: 'Base-1', name }));
    await write({ 'bulls.json': bull, 'heat.json': heat });
    await imports('bulls.json');
    const renamed =
      'New names for 1 id (Base-1: Kobe Bryant → Jimmy Butler): if these are other cards, make ids with --id-template.\n';
    for (const err of [renamed, '']) expect(await imports('heat.json')).toMatchObject({ err });
  });

  it('keep their cards when those of another game have the same ids', async () => {
    const [noise, roland] = ['Noise', 'Roland Banks'].map((name) => ({ id: '01001', name }));
    await write({
      ...{ 'netrunner.json': noise, 'nr.json': noise },
      'arkham.json': [roland, { id: '01002', name: 'Daisy Walker' }],
      'both.json': [
        { ...noise, id: 'x', game: 'Netrunner' },
        { ...roland, id: 'x', game: 'Arkham' },
      ],
    });
    const isNoise = 'has the id of Noise, a card of Netrunner.\n';
    await imports('netrunner.json --game Netrunner');
    const arkham = { code: 2, err: `arkham.json: card 1 ${isNoise}` };
    expect(await imports('arkham.json --game Arkham')).toMatchObject(arkham);
    expect(await exported(folder)).toMatchObject([{ name: 'Noise' }, { name: 'Daisy Walker' }]);
    for (const _ of ['first', 'again'])
      expect(await imports('both.json')).toMatchObject({ code: 2, err: `both.json: card 2 ${isNoise}` });
    // The same cards under another name of the game are not those of another game.
    expect(await imports('nr.json --game Android')).toMatchObject({ code: 0 });
  });
});

it('an import is warned of what its mapping finds in no card', async () => {
  const set = { name: 'Alpha', cards: [{ id: 3, name: 'c' }] };
  await write({ 'other.csv': 'id,name,no\n1,a,\n', 'cards.csv': 'id,name,no\n2,b,7\n', 'set.json': set });
  const warned = (map: string) => ({ code: 0, err: `--map ${map} found nothing in any card.\n` });
  expect(await imports('other.csv cards.csv --map number=no,set=st')).toMatchObject(warned('set=st'));
  expect(await imports('set.json --rows cards --map set=../nmae')).toMatchObject(warned('set=../nmae'));
});

it('an import says which part of an id is empty, of a joined file too, and that one is no folder', async () => {
  const sets = 'id,code\n1,bs\n';
  await write({ 'sets.csv': sets, 'sets/sets.csv': sets, 'cards.csv': 'name,set,number\na,1,7\nb,1,\nc,2,8\n' });
  expect((await imports('cards.csv --id-template {set.code}-{number} --join set=sets.csv')).err).toBe(
    'cards.csv: line 3 has no id: its number is empty.\ncards.csv: line 4 has no id: its set.code is empty.\n',
  );
  expect((await imports('cards.csv --join set=sets')).err).toBe('sets is a folder: name files of cards in it.\n');
});

it('stats say how many cards there are and where they came from, but for an import that failed', async () => {
  await importing('failed.csv', 'uuid,title\n1,a\n');
  await importing('cards.csv', CARDS);
  const { code, out } = await runCatalog(folder, ['stats']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Cards: 2 with 2 names\nConfirmed by the card service: 0\n.+\nNot confirmed: 2\n {2}cards\.csv: 2\nOn disk: [\d.]+ MB\n$/s,
  );
  expect(out).not.toContain('failed.csv');
});
