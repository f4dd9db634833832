import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** One for each checkout, because Node finds compiled code by the path of its source. */
const OWN_FOLDER = resolve(import.meta.dirname, '../../node_modules/.cache/compiled-code');
/** Some 15 runs: vitest loads test files under a new name each time, and what was compiled for the last one stays. */
const MOST_FILES = 10_000;
const FOLDER = process.env.NODE_COMPILE_CACHE ?? OWN_FOLDER;

/** Node's compile cache (https://nodejs.org/api/module.html#module-compile-cache) halves the CPU time of a bot's start. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: FOLDER };

/** Entry points that tests start as processes. Node writes the cache on exit, so a process that is killed adds nothing. */
const COMPILED = [
  ...['run.ts', 'app.ts', 'cli/offline-checks.ts', 'storage/redis/rows.ts', 'storage/redis/cards.ts'],
  ...['cli/program.ts', 'discord/self-registration.ts', 'cli/catalog/subcommand.ts', '../sandbox/sandbox.ts'],
];

/** Fills the cache before the first test of the first run, for the workers and the bots that they start. */
export async function fillCompileCache(): Promise<void> {
  Object.assign(process.env, COMPILE_CACHE);
  if (FOLDER === OWN_FOLDER && filesIn(FOLDER) > MOST_FILES) rmSync(FOLDER, { recursive: true });
  if (existsSync(FOLDER)) return;
  const urls = COMPILED.map((file) => new URL(`../../src/${file}`, import.meta.url).href);
  const script = `await Promise.all(${JSON.stringify(urls)}.map((url) => import(url)))`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`filling the compile cache failed with exit code ${code}`);
}

function filesIn(folder: string) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}
