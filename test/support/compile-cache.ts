import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node's own cache (https://nodejs.org/api/module.html#module-compile-cache): with it a bot starts in half the CPU time. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'cardbot-compile-cache') };

/** All that tests start as a process; a process that is killed leaves nothing in the cache, so one of them has to end. */
const COMPILED = ['app.ts', 'storage/redis/redis-state.ts', 'registration/cli.ts', 'sandbox/sandbox.ts'];

/** Before the first test (vitest's `globalSetup`): this run's workers, and the bots that they start, find compiled code. */
export async function setup(): Promise<void> {
  Object.assign(process.env, COMPILE_CACHE);
  const urls = COMPILED.map((file) => new URL(`../../src/${file}`, import.meta.url).href);
  const script = `await Promise.all(${JSON.stringify(urls)}.map((url) => import(url)))`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`compiling the code under test ended with ${code}`);
}
