import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseEnv } from 'node:util';
import { useCompileCache } from '../compile-cache.ts';
import { refuseOldNode } from '../node-version.ts';
import { stopSignal } from '../stop-signal.ts';

refuseOldNode();
const [{ CliFailure }, { becomeOwner }] = await Promise.all([import('./context.ts'), import('./data-owner.ts')]);
// Not by Node's own option alone, which says so when there is none. The environment wins over the file.
if (existsSync('.env')) process.loadEnvFile('.env');
const envFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
try {
  becomeOwner(process.env.DATA_DIR || './data');
} catch (error) {
  if (!(error instanceof CliFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
useCompileCache();
const { runCli } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
// A reader such as `head` closes the pipe when it has read enough.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  stderr.write(`Standard output cannot be written (${error.message}).\n`);
  process.exit(1);
});

process.exitCode = await runCli(process.argv.slice(2), {
  env,
  envFile,
  folder: env.INIT_CWD ?? process.cwd(), // npm runs scripts in the folder of package.json
  stdin,
  stdout,
  stderr,
  stopSignal,
  ...(stdin.isTTY && { ask }),
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}
