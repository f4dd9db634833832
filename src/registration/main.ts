import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { commands } from '../../commands/index.ts';
import { runRegistrationCli } from './cli.ts';

// Not by Node's own option, which says so when there is none. The environment wins over the file.
if (existsSync('.env')) process.loadEnvFile('.env');

// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runRegistrationCli(process.argv.slice(2), {
  commands: commands.map(({ data }) => data),
  ...(process.stdin.isTTY && { ask }),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}
