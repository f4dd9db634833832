import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { onFinished } from '../../support/on-finished.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCatalog } from './cli-runs.ts';

const SCRIPT = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
const CARDS = 5_000;

describe('npm run catalog, as a process', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  function start(args: readonly string[], largestFileKb = 'unlimited', heapMb = 128, redirect = '') {
    const heap = [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=1'];
    const node = [process.execPath, ...heap, SCRIPT, 'catalog', ...args];
    const program = ['--norc', '-c', `ulimit -f ${largestFileKb}; exec "$0" "$@" ${redirect}`, ...node];
    const env = { ...COMPILE_CACHE, PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), INIT_CWD: folder };
    const child = spawn('bash', program, { env, stdio: 'pipe' });
    onFinished(() => child.kill('SIGKILL'));
    const ended = Promise.all([text(child.stdout).catch(() => ''), text(child.stderr), once(child, 'close')]).then(
      ([out, err, [code, signal]]) => ({ code: code ?? signal, out, err }),
    );
    return { child, ended };
  }

  function table(count: number): string {
    const cards = Array.from({ length: count }, (_, index) => `base-${index},Card ${index},Set ${index % 100}`);
    return ['id,name,set', ...cards].join('\n');
  }

  async function cardsFile(count: number): Promise<string> {
    await writeFile(join(folder, 'cards.csv'), table(count));
    return 'cards.csv';
  }

  /** In this process, which costs less. */
  async function importCards(count: number): Promise<void> {
    expect(await runCatalog(folder, ['import', await cardsFile(count)])).toMatchObject({ code: 0 });
  }

  function cardsTaken(): number {
    const file = join(folder, 'data', 'catalog.sqlite');
    if (!existsSync(file)) return 0;
    const catalog = new DatabaseSync(file, { readOnly: true });
    try {
      return Number(catalog.prepare('SELECT count(*) AS cards FROM cards').get()?.cards);
    } catch {
      return 0; // it is being made
    } finally {
      catalog.close();
    }
  }

  it.each([
    ['SIGINT' as const, 2],
    ['SIGKILL' as const, 'SIGKILL'],
  ])('an import that %s ended has taken whole cards, and takes the rest when it is run again', async (signal, code) => {
    const { child, ended } = start(['import', '-']);
    child.stdin.on('error', () => {}); // it ends before it has read everything
    child.stdin.write(`${table(CARDS - 500)}\n`);
    await expect.poll(cardsTaken).toBeGreaterThan(0);
    child.kill(signal);
    // It looks for the signal at each card, and reads 64 KiB at a time.
    const more = setInterval(() => child.stdin.write('base-0,Card 0,Set 0\n'.repeat(4_000)), 200);
    const first = await ended;
    clearInterval(more);
    const before = cardsTaken();

    expect(first.code).toBe(code);
    if (signal === 'SIGINT') expect(first.err).toMatch(/Stopped\. What was taken stays\./);
    expect(before).toBeLessThan(CARDS);

    const again = await runCatalog(folder, ['import', '-'], { stdin: table(CARDS) });
    const out = `standard input: 5,000 cards, ${(CARDS - before).toLocaleString('en')} new or changed; 0 refused\n`;
    expect(again).toMatchObject({ code: 0, out });
  });

  it('an import remembers names and not the file around them', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `${'x'.repeat(270)} ${at}`);
    const cards = Array.from({ length: 2_500 }, (_, id) =>
      JSON.stringify({ id, name: `The name of card ${id}`, names }),
    );
    await writeFile(join(folder, 'cards.json'), `[${cards.join(',')}]`);
    const { code, out } = await start(['import', 'cards.json', '--map', 'also=names'], 'unlimited', 26).ended;
    expect({ code, out }).toEqual({ code: 0, out: 'cards.json: 2,500 cards, 2,500 new or changed; 0 refused\n' });
  });

  it('an import onto a full disk keeps what was taken, and says so', async () => {
    const { code, out, err } = await start(['import', await cardsFile(8_000)], '1500').ended;

    expect({ code, out }).toEqual({ code: 2, out: expect.stringMatching(/^cards\.csv: [\d,]+ cards, /) });
    expect(err).toMatch(
      /catalog\.sqlite cannot be written \(.+\)\. What was taken stays\. Run the same command again for the rest\.\n$/,
    );
    const length = cardsTaken();
    expect(out).toContain(`cards.csv: ${length.toLocaleString('en')} cards`);
  });

  it('an export onto a full disk says so', async () => {
    await importCards(3_000);
    const { code, err } = await start(['export'], '40', 128, `> ${join(folder, 'out.jsonl')}`).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^Standard output cannot be written \(.+\)\.\n$/);
  });

  it('an export ends without an error when its reader has read enough', async () => {
    await importCards(3_000);
    const { child, ended } = start(['export']);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});
