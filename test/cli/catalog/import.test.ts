import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exported, runCatalog } from './cli-runs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function importing(file: string, text: string | Buffer, ...options: string[]) {
  await writeFile(join(folder, file), text);
  return runCatalog(folder, ['import', file, ...options]);
}

const CARDS = 'name,id,rarity,number,set\nEmberwing Drake,base1-4,rare,4/102,Base\nTidecaller,base1-5,rare,,Base\n';

describe('an import', () => {
  it('takes all cards of a file, and the same file again changes nothing', async () => {
    expect(await importing('cards.csv', CARDS)).toEqual({
      code: 0,
      out: 'cards.csv: 2 cards, 2 new or changed; 0 refused\n',
      err: '',
    });
    expect(await importing('cards.csv', CARDS)).toMatchObject({
      code: 0,
      out: 'cards.csv: 2 cards, 0 new or changed; 0 refused\n',
    });
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
    await mkdir(join(folder, 'cards/older'), { recursive: true });
    await writeFile(join(folder, 'first.csv'), CARDS);
    await symlink('../first.csv', join(folder, 'cards/first.csv'));
    await writeFile(join(folder, 'cards/older/second.json'), JSON.stringify({ id: 'x', name: 'Boulder' }, null, 2));
    await writeFile(join(folder, 'cards/third.yaml'), 'id: y');
    expect(await runCatalog(folder, ['import', 'cards'])).toMatchObject({ code: 0, err: '' });
    expect(await exported(folder)).toHaveLength(3);
    // Of lists with a file for each card, only a source of many can be withdrawn.
    expect((await runCatalog(folder, ['stats'])).out).toContain('\n  cards: 3\n');
  });

  it('goes on with the next file after one that cannot be read, or a folder without such files', async () => {
    await mkdir(join(folder, 'inner'));
    await writeFile(join(folder, 'good.csv'), CARDS);
    await writeFile(join(folder, 'empty.csv'), '');
    const { code, err } = await runCatalog(folder, ['import', 'empty.csv', 'nowhere.csv', 'inner', 'good.csv']);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^empty\.csv is empty\.\nnowhere\.csv cannot be read \(ENOENT: .+\)\.\ninner is a folder: name files of cards in it\.\n$/,
    );
  });

  it('shares the catalog with another import', async () => {
    const text = (of: string) =>
      ['id,name', ...Array.from({ length: 1_000 }, (_, index) => `${of}-${index},Name ${index}`)].join('\n');
    const both = await Promise.all([importing('a.csv', text('a')), importing('b.csv', text('b'))]);
    expect(both.map(({ code, err }) => ({ code, err }))).toEqual(Array(2).fill({ code: 0, err: '' }));
    expect(await exported(folder)).toHaveLength(2_000);
  });
});

describe('a file of which nothing can be taken', () => {
  const CURE = 'say with --map which it is, or with --rows where cards are';

  it.each([
    ['uuid,title\n1,a\n', 'id and no name, only uuid, title'],
    [`id,\u001b[31m\t,${'x,'.repeat(90)}y\n${'1,'.repeat(92)}1\n`, 'name, only id, _31m, x, y'],
    ['Card Name,Id\na,1\n', 'name, only card name, id'],
    ['"id,name"\n"1,a"\n', 'id and no name, only id,name'],
  ])('needs columns that it does not have: %j', async (text, lacks) => {
    const err = `cards.csv has no ${lacks}: ${CURE}.\n`;
    expect(await importing('cards.csv', text)).toMatchObject({ code: 1, err });
  });

  it.each([
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
  const CASES: Record<string, RegExp> = {
    import: /missing required argument 'file'/,
    'import x --map rarity=x':
      /Write FIELD=SOURCE, where FIELD is one of id, name, set, number, game, released, also\./,
    'import x --id-template set': /Write names of fields in braces/,
    'import x --join Groups.csv': /Write FIELD=FILE/,
    'export cards.csv': /too many arguments for 'export'/,
    'stats --dry-run': /unknown option '--dry-run'/,
  };

  it.each(Object.entries(CASES))('(%s) are explained, with exit code 1', async (line, says) => {
    const { code, err } = await runCatalog(folder, line.split(' '));
    expect(code).toBe(1);
    expect(err).toMatch(says);
  });

  it('include settings', async () => {
    const { code, err } = await runCatalog(folder, ['stats'], { env: { REDIS_URL: 'http://x', DATADIR: 'x' } });
    expect(code).toBe(1);
    expect(err).toContain('REDIS_URL: write an address that begins with redis:// or rediss://');
  });
});

describe('several files', () => {
  const file = (name: string, cards: object) => writeFile(join(folder, name), JSON.stringify(cards));

  it('have a total, and ids that came twice are named, in a file and across files', async () => {
    await file('a.json', [
      { id: 'x', name: 'A' },
      { id: 'x', name: 'B' },
    ]);
    await file('b.json', [{ id: 'x', name: 'C' }]);
    await file('c.json', []);
    expect(await runCatalog(folder, ['import', 'a.json', 'b.json', 'c.json'])).toEqual({
      code: 0,
      out: 'All 3 files: 3 cards, 3 new or changed; 0 refused; 1 id (x) came twice, the last counts\n',
      err: [
        'No cards in 1 file (c.json).\n',
        'New names for 2 ids (x: A → B, x: B → C): if these are other cards, make ids with --id-template.\n',
      ].join(''),
    });
    expect(await exported(folder)).toEqual([{ id: 'x', name: 'C' }]);
  });

  it('say which ids have another name now, unless the card service has confirmed the card', async () => {
    await file('bulls.json', [{ id: 'Base-1', name: 'Kobe Bryant' }]);
    await file('heat.json', [{ id: 'Base-1', name: 'Jimmy Butler' }]);
    await runCatalog(folder, ['import', 'bulls.json']);
    expect((await runCatalog(folder, ['import', 'heat.json'])).err).toBe(
      'New names for 1 id (Base-1: Kobe Bryant → Jimmy Butler): if these are other cards, make ids with --id-template.\n',
    );
    expect((await runCatalog(folder, ['import', 'heat.json'])).err).toBe('');
  });

  it('keep their cards when those of another game have the same ids', async () => {
    await file('netrunner.json', [{ id: '01001', name: 'Noise' }]);
    await file('arkham.json', [
      { id: '01001', name: 'Roland Banks' },
      { id: '01002', name: 'Daisy Walker' },
    ]);
    await runCatalog(folder, ['import', 'netrunner.json', '--game', 'Netrunner']);
    const { code, err } = await runCatalog(folder, ['import', 'arkham.json', '--game', 'Arkham Horror']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'arkham.json: card 1 has the id of Noise, a card of Netrunner.\n',
    });
    expect(await exported(folder)).toMatchObject([{ name: 'Noise' }, { name: 'Daisy Walker' }]);
    await file('both.json', [
      { id: 'x', name: 'Noise', game: 'Netrunner' },
      { id: 'x', name: 'Roland Banks', game: 'Arkham Horror' },
    ]);
    for (const _ of ['first', 'again'])
      expect(await runCatalog(folder, ['import', 'both.json'])).toMatchObject({
        code: 2,
        err: 'both.json: card 2 has the id of Noise, a card of Netrunner.\n',
      });
    // The same cards under another name of the game are not those of another game.
    await file('nr.json', [{ id: '01001', name: 'Noise' }]);
    expect(await runCatalog(folder, ['import', 'nr.json', '--game', 'Android'])).toMatchObject({ code: 0 });
  });
});

it('an import is warned of what its mapping finds in no card', async () => {
  await writeFile(join(folder, 'other.csv'), 'id,name,no\n1,a,\n');
  await writeFile(join(folder, 'cards.csv'), 'id,name,no\n2,b,7\n');
  const { code, err } = await runCatalog(folder, ['import', 'other.csv', 'cards.csv', '--map', 'number=no,set=st']);
  expect({ code, err }).toEqual({ code: 0, err: '--map set=st found nothing in any card.\n' });
  const around = ['--rows', 'cards', '--map', 'set=../nmae'];
  const set = { name: 'Alpha', cards: [{ id: 3, name: 'c' }] };
  expect((await importing('set.json', JSON.stringify(set), ...around)).err).toBe(
    '--map set=../nmae found nothing in any card.\n',
  );
});

it('an import says which part of an id is empty, of a joined file too, and that one is no folder', async () => {
  await writeFile(join(folder, 'sets.csv'), 'id,code\n1,bs\n');
  await mkdir(join(folder, 'sets'));
  await writeFile(join(folder, 'sets/sets.csv'), 'id,code\n1,bs\n');
  const options = ['--id-template', '{set.code}-{number}', '--join', 'set=sets.csv'];
  const { err } = await importing('cards.csv', 'name,set,number\na,1,7\nb,1,\nc,2,8\n', ...options);
  expect(err).toBe(
    'cards.csv: line 3 has no id: its number is empty.\ncards.csv: line 4 has no id: its set.code is empty.\n',
  );
  expect((await runCatalog(folder, ['import', 'cards.csv', '--join', 'set=sets'])).err).toBe(
    'sets is a folder: name files of cards in it.\n',
  );
});

it('stats do not list an import that failed', async () => {
  await importing('cards.csv', 'uuid,title\n1,a\n');
  expect((await runCatalog(folder, ['stats'])).out).not.toContain('cards.csv');
});

it('stats say how many cards there are and where they came from', async () => {
  await importing('cards.csv', CARDS);
  const { code, out } = await runCatalog(folder, ['stats']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Cards: 2 with 2 names\nConfirmed by the card service: 0\n.+\nNot confirmed: 2\n {2}cards\.csv: 2\nOn disk: [\d.]+ MB\n$/s,
  );
});
