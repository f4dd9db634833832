import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { onFinished } from '../support/on-finished.ts';

const CHECKOUT = new URL('../..', import.meta.url).pathname;
const OWNER = { uid: 47_110, gid: 47_111 };
const isRoot = process.getuid?.() === 0;

/** Whether other users can read what is in this folder. */
const isOpen = (folder: string): boolean =>
  (statSync(folder).mode & 0o005) === 0o005 && (dirname(folder) === folder || isOpen(dirname(folder)));

/** Another user's rights can only be tried by root, and in a checkout that this user can read. */
describe.skipIf(!isRoot || !isOpen(CHECKOUT))('root runs a tool on the DATA_DIR of another user', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(() => {
    folder = mkdtempSync('/tmp/cardbot-owner-'); // that of other tests is closed to other users
    onFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, OWNER.uid, OWNER.gid);
    writeFileSync(join(folder, 'cards.csv'), 'id,name\nbase1-4,Emberwing Drake\n');
  });

  /** Without a compile cache of its own, so that the one in `DATA_DIR` is made. */
  function run(...args: string[]) {
    return as({ uid: 0, gid: 0 }, ...args);
  }

  function as(user: typeof OWNER, ...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
    const settings = { DISCORD_TOKEN: 'MQ.none', CARD_SERVICE_URL: 'http://cards.test' };
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, INIT_CWD: folder, ...settings };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(CHECKOUT, 'src/cli/main.ts'), ...args],
        { env, cwd: folder, ...user },
        (error, out, err) => resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  }

  it('everything that an import makes belongs to that user, and can be read by it', async () => {
    expect(await run('catalog', 'import', 'cards.csv')).toMatchObject({ code: 0 });
    const files = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));
    expect(files).toContain(join(dataDir, 'catalog.sqlite'));
    for (const file of files) expect(statSync(file)).toMatchObject(OWNER);
  });

  it('a link that this user has put in place of a file leads root nowhere', async () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'of root', { mode: 0o600 });
    symlinkSync(precious, join(dataDir, 'catalog.sqlite'));
    const { code, err } = await run('catalog', 'import', 'cards.csv');
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be used')]);
    expect(statSync(precious)).toMatchObject({ uid: 0, gid: 0 });
    expect(readFileSync(precious, 'utf8')).toBe('of root');
  });

  it('the doctor judges by what that user may', async () => {
    writeFileSync(join(dataDir, 'catalog.sqlite'), '', { mode: 0o600 });
    const { out } = await run('doctor', '--offline');
    expect(out).toContain(`✗ catalog.sqlite: User ${OWNER.uid} cannot read and write it.`);
  });

  it('in a folder that this user cannot read, a tool ends with a sentence, and the doctor does not tell of names', async () => {
    chmodSync(dataDir, 0o300);
    for (const args of [['stats'], ['export', '-']]) {
      const { code, err } = await run('catalog', ...args);
      expect([code, err]).toEqual([1, expect.stringMatching(/^.*EACCES.*\n$/)]);
    }
    chownSync(dataDir, 0, 0);
    chmodSync(dataDir, 0o700);
    const { err, out } = await as(OWNER, 'catalog', 'stats');
    expect(err).toMatch(/^.*catalog\.sqlite cannot be used \(EACCES.*\n$/);
    expect(out).toBe('');
    expect((await as(OWNER, 'doctor', '--offline')).out).not.toContain('names');
  });

  it('says so where that user cannot get to the folder', async () => {
    chmodSync(folder, 0o700);
    const { code, err } = await run('catalog', 'stats');
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`^This does not work as user ${OWNER.uid}, to whom .* Run it as the bot runs\\.\n$`),
    );
  });
});

it.skipIf(!isRoot)('root is told when the owner of DATA_DIR cannot read the program', async () => {
  const folder = mkdtempSync('/tmp/cardbot-closed-');
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(CHECKOUT, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  const dataDir = mkdtempSync('/tmp/cardbot-owner-');
  onFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  chownSync(dataDir, OWNER.uid, OWNER.gid);
  const err = await new Promise((resolve) => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
    execFile(process.execPath, [join(folder, 'src/cli/main.ts'), 'catalog', 'stats'], { env }, (_, __, err) =>
      resolve(err),
    );
  });
  expect(err).toMatch(/^This does not work as user 47110, .*main\.ts.* Run it as the bot runs\.\n$/);
});
