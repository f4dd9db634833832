import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { WorkerCatalog } from '../../../src/storage/sqlite/catalog/worker-catalog.ts';
import { logLines } from '../../support/log-lines.ts';
import { onFinished } from '../../support/on-finished.ts';
import { exported, runCatalog, temporaryFolder } from './cli-runs.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
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
    expect(lines.at(-1)).toBe('cards.csv: 5 more were refused.');
  });

  it('reads standard input', async () => {
    const { code } = await runCatalog(folder, ['import', '-'], { stdin: gzipSync(CARDS) });
    expect(code).toBe(0);
    expect(await exported(folder)).toHaveLength(2);
  });

  it('goes on with the next file after one that cannot be read', async () => {
    await writeFile(join(folder, 'good.csv'), CARDS);
    await writeFile(join(folder, 'empty.csv'), '');
    const { code, err } = await runCatalog(folder, ['import', 'empty.csv', 'nowhere.csv', 'good.csv']);

    expect(code).toBe(2);
    expect(err).toMatch(/^empty\.csv is empty\.\nnowhere\.csv cannot be read \(ENOENT: .+\)\.\n$/);
  });

  it('stops after a batch when it is told to, and takes the rest when it runs again', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index},Name ${index}`);
    await writeFile(join(folder, 'cards.csv'), ['id,name', ...lines].join('\n'));
    const { code, err } = await runCatalog(folder, ['import', 'cards.csv'], { signal: AbortSignal.abort() });
    expect(code).toBe(1);
    expect(err).toBe('Stopped. No card was taken. Run the same command again for the rest.\n');

    const again = await runCatalog(folder, ['import', 'cards.csv']);
    expect(again).toMatchObject({ code: 0, out: 'cards.csv: 2,000 cards, 2,000 new or changed; 0 refused\n' });
  });

  it('shares the catalog with another import', async () => {
    const text = (of: string) =>
      ['id,name', ...Array.from({ length: 1_000 }, (_, index) => `${of}-${index},Name ${index}`)].join('\n');
    const both = await Promise.all([importing('a.csv', text('a')), importing('b.csv', text('b'))]);

    expect(both.map(({ code, err }) => ({ code, err }))).toEqual(Array(2).fill({ code: 0, err: '' }));
    expect(await exported(folder)).toHaveLength(2_000);
  });

  it('shows on a terminal how far it is', async () => {
    await writeFile(join(folder, 'cards.csv'), CARDS);
    const { err } = await runCatalog(folder, ['import', 'cards.csv'], { isTTY: true });
    expect(err).toContain('cards.csv: 100 %, 2 cards');
  });
});

describe('a file of which nothing can be taken', () => {
  const FILES: Record<string, [file: string, text: string | Buffer, says: string]> = {
    'missing columns': [
      'cards.csv',
      'uuid,title\n1,a\n',
      'cards.csv has no column id and no name (it has uuid, title): say with --map what is what.\n',
    ],
    'a header alone': ['cards.csv', 'id,name\n', 'cards.csv holds no cards.\n'],
    'an array of nothing': ['cards.json', '[]', 'cards.json holds no cards.\n'],
    'bad lines only': ['cards.jsonl', '{"id":1}\n', 'cards.jsonl: line 1 has no name.\n'],
  };

  it.each(Object.entries(FILES))('(%s) is a sentence and exit code 1', async (_, [file, text, says]) => {
    const { code, err } = await importing(file, text);
    expect({ code, err }).toEqual({ code: 1, err: says });
  });
});

describe('wrong arguments', () => {
  const CASES: Record<string, RegExp> = {
    import: /missing required argument 'file'/,
    'import x --map rarity=x': /Write FIELD=SOURCE, where FIELD is one of id, name, set, number, game\./,
    'import x --id-template set': /Write names of fields in braces/,
    'import x --join Groups.csv': /Write FIELD=FILE/,
    'export cards.xls': /^cards\.xls: the name must end with \.csv, \.json or \.jsonl/,
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

it('stats say how many cards there are and where they came from', async () => {
  await importing('cards.csv', CARDS);
  const { code, out } = await runCatalog(folder, ['stats']);

  expect(code).toBe(0);
  expect(out).toMatch(
    /^Cards: 2 with 2 names\nConfirmed by the card service: 0\n.+\nNot confirmed: 2\n {2}cards\.csv: 2\nOn disk: [\d.]+ MB\n$/s,
  );
});

it('a bot that runs offers the cards of an import', async () => {
  const catalog = new WorkerCatalog({
    ...{ dataDir: join(folder, 'data'), keepsMembers: true, cardKeys: 'none', log: logLines().log },
  });
  onFinished(() => catalog.close());
  const search = () => catalog.search('emberwing', { memberId: '1', guildId: '2' }, Date.now() + 10_000);
  expect(await search()).toEqual([]);

  await importing('cards.csv', CARDS);
  await expect.poll(search, { timeout: 60_000 }).toMatchObject([{ id: 'base1-4' }]);
});
