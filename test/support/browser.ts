import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
/** With a Chromium for Linux on x64. */
const PACKAGE_DIR = resolve(import.meta.dirname, '../../node_modules/@sparticuz/chromium');
const CACHE_DIR = resolve(PACKAGE_DIR, '../../.cache');

// Quiet and offline. The package's own arguments are left out: they switch off the same-origin policy, which the tests
// of the page rely on.
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--process-per-site', // otherwise each test starts a renderer for the new port of its server
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A headless Chromium: `CHROMIUM_PATH`, otherwise the one installed by `npm ci`, otherwise the system's, which takes
 * twice the CPU time because it is a whole browser without its window.
 */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ args: ARGS, ...findChromium() });
}

function findChromium(): { executablePath: string; env?: NodeJS.ProcessEnv } {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return { executablePath: CHROMIUM_PATH };
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium();
  if (existsSync(SYSTEM_CHROMIUM)) return { executablePath: SYSTEM_CHROMIUM };
  throw new Error('No browser for this machine: install Chromium and set CHROMIUM_PATH to its executable.');
}

/** Unpacked once per `npm ci` beside the packages. */
function packagedChromium() {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8'));
  const home = join(CACHE_DIR, `chromium-${version}`);
  if (!existsSync(home)) unpackInto(home);
  const executablePath = join(home, 'chromium');
  const env = { ...process.env, FONTCONFIG_FILE: join(home, 'fonts.conf') };
  // It does not start where libnss3 and related libraries are missing.
  if (spawnSync(executablePath, ['--version']).status === 0) return { executablePath, env };
  const libraries = [join(home, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH ?? []].flat().join(':');
  return { executablePath, env: { ...env, LD_LIBRARY_PATH: libraries } };
}

/**
 * Several test files may come here at once: one of them succeeds in the renaming. In a process of its own, because the
 * package unpacks to the temporary directory, and system libraries only when it finds itself on AWS Lambda.
 */
function unpackInto(home: string) {
  mkdirSync(CACHE_DIR, { recursive: true });
  const stage = mkdtempSync(`${home}-`);
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: stage, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: PACKAGE_DIR, env });
  writeFileSync(join(stage, 'fonts.conf'), fontsConf(home));
  try {
    renameSync(stage, home);
  } catch (error) {
    rmSync(stage, { recursive: true });
    if (!existsSync(home)) throw error;
  }
}

/** The machine's fonts, or the package's if it has none. */
function fontsConf(home: string) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
