import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface PackagedChromium {
  executablePath: string;
  /** Added to the environment of the browser. */
  env: Record<string, string>;
}

const PACKAGE_DIR = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
const { version } = createRequire(import.meta.url)(join(PACKAGE_DIR, 'package.json')) as { version: string };
const CACHE_DIR = join(PACKAGE_DIR, '..', '..', '.cache');

/** Whether the package has a Chromium for this machine. */
export const isPackaged = process.platform === 'linux' && process.arch === 'x64';

/**
 * The Chromium that `@sparticuz/chromium` carries, unpacked once per `npm ci` beside the packages.
 *
 * @throws when the package has none for this machine.
 */
export async function packagedChromium(): Promise<PackagedChromium> {
  if (!isPackaged) {
    throw new Error('No browser for this machine: install Chromium and set CHROMIUM_PATH to its executable.');
  }
  const home = join(CACHE_DIR, `chromium-${version}`);
  if (!existsSync(home)) await unpackInto(home);

  const executablePath = join(home, 'chromium');
  const fonts = { FONTCONFIG_FILE: join(home, 'fonts.conf') };
  return { executablePath, env: starts(executablePath) ? fonts : { ...fonts, ...ownLibraries(home) } };
}

/**
 * Several test files may come here at once. Each unpacks into a directory of its own and renames it,
 * which succeeds for exactly one; the others find that theirs is no longer needed.
 */
async function unpackInto(home: string): Promise<void> {
  await mkdir(CACHE_DIR, { recursive: true });
  const stage = await mkdtemp(`${home}-`);
  try {
    await runUnpacker(stage);
    await writeFile(join(stage, 'fonts.conf'), fontsConf(home));
    await rename(stage, home);
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

/**
 * In a process of its own, because the package takes both its target and its circumstances from the environment:
 * it unpacks to the temporary directory, and the system libraries only when it finds itself on AWS Lambda.
 */
async function runUnpacker(stage: string): Promise<void> {
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: stage, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: PACKAGE_DIR, env });
}

/** Without libnss3 and related libraries the loader cannot start the program. */
function starts(executablePath: string): boolean {
  return spawnSync(executablePath, ['--version']).status === 0;
}

function ownLibraries(home: string): Record<string, string> {
  const inherited = process.env.LD_LIBRARY_PATH;
  const own = join(home, 'al2023', 'lib');
  return { LD_LIBRARY_PATH: inherited === undefined ? own : `${own}:${inherited}` };
}

/** The machine's fonts, or the package's if it has none. */
function fontsConf(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
