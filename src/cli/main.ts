import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { useCompileCache } from '../compile-cache.ts';
import { refuseOldNode } from '../node-version.ts';
import { stopSignal } from '../stop-signal.ts';

refuseOldNode();
// Not by Node's own option alone, which says so when there is none. The environment wins over the file.
if (existsSync('.env')) process.loadEnvFile('.env');
useCompileCache();
const { runCli } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
// A reader such as `head` closes the pipe when it has read enough.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  env,
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
