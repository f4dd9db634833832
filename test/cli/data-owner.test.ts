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
import { failing } from './run.ts';

const CHECKOUT = new URL('../..', import.meta.url).pathname;
const OWNER = { uid: 47_110, gid: 47_111 };
const isRoot = process.getuid?.() === 0;

/** Whether other users can read what is in this folder. */
const isOpen = (folder: string): boolean =>
  (statSync(folder).mode & 0o005) === 0o005 && (dirname(folder) === folder || isOpen(dirname(folder)));

/** Another user's rights can only be tried by root. */
describe.skipIf(!isRoot)('root runs a tool on the DATA_DIR of another user', () => {
  const inReach = it.skipIf(!isOpen(CHECKOUT));
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
  function run(line: string, { user = { uid: 0, gid: 0 }, program = CHECKOUT } = {}) {
    const settings = { DISCORD_TOKEN: 'MQ.none', CARD_SERVICE_URL: 'http://cards.test' };
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, INIT_CWD: folder, ...settings };
    const args = [join(program, 'src/cli/main.ts'), ...line.split(' ')];
    return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(process.execPath, args, { env, cwd: folder, ...user }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  }

  inReach('everything that an import makes belongs to that user, and can be read by it', async () => {
    expect(await run('catalog import cards.csv')).toMatchObject({ code: 0 });
    const files = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));
    expect(files).toContain(join(dataDir, 'catalog.sqlite'));
    for (const file of files) expect(statSync(file)).toMatchObject(OWNER);
  });

  inReach('a link that this user has put in place of a file leads root nowhere', async () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'of root', { mode: 0o600 });
    symlinkSync(precious, join(dataDir, 'catalog.sqlite'));
    expect(await run('catalog import cards.csv')).toMatchObject(failing('cannot be used'));
    expect(statSync(precious)).toMatchObject({ uid: 0, gid: 0 });
    expect(readFileSync(precious, 'utf8')).toBe('of root');
  });

  inReach('the doctor judges by what that user may', async () => {
    writeFileSync(join(dataDir, 'catalog.sqlite'), '', { mode: 0o600 });
    const { out } = await run('doctor --offline');
    expect(out).toMatch(new RegExp(`✗ data directory: .*catalog.sqlite.* chown -R ${OWNER.uid} `));
  });

  inReach(
    'in a folder that this user cannot read, a tool ends with a sentence, and the doctor does not tell of names',
    async () => {
      chmodSync(dataDir, 0o300);
      for (const action of ['stats', 'export -'])
        expect(await run(`catalog ${action}`)).toMatchObject(failing(/^.*EACCES.*\n$/));
      chownSync(dataDir, 0, 0);
      chmodSync(dataDir, 0o700);
      const says = /^.*catalog\.sqlite cannot be used \(EACCES.*\n$/;
      expect(await run('catalog stats', { user: OWNER })).toMatchObject({ ...failing(says), out: '' });
      expect((await run('doctor --offline', { user: OWNER })).out).not.toContain('names');
    },
  );

  inReach('says so where that user cannot get to the folder', async () => {
    chmodSync(folder, 0o700);
    const says = new RegExp(`^This does not work as user ${OWNER.uid}, to whom .* Run it as the bot runs\\.\n$`);
    expect(await run('catalog stats')).toMatchObject(failing(says));
  });

  it('says so where that user cannot read the program', async () => {
    const program = join(folder, 'closed');
    mkdirSync(program, { mode: 0o700 });
    for (const name of ['src', 'package.json']) cpSync(join(CHECKOUT, name), join(program, name), { recursive: true });
    symlinkSync(join(CHECKOUT, 'node_modules'), join(program, 'node_modules'));
    const { err } = await run('catalog stats', { program });
    expect(err).toMatch(/^This does not work as user 47110, .*main\.ts.* Run it as the bot runs\.\n$/);
  });
});
