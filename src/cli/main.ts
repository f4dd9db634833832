import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { useCompileCache } from '../compile-cache.ts';
import { refuseOldNode } from '../node-version.ts';
import { stopSignal } from '../stop-signal.ts';

refuseOldNode();
const { stdin, stdout, stderr, env } = process;
// Not by Node's own option alone, which says so when there is none. The environment wins over the file.
try {
  if (existsSync('.env')) process.loadEnvFile('.env');
} catch {
  stderr.write('.env cannot be read. Make it a file that this user can read.\n'); // Node says that there is none
  process.exit(1);
}
becomeOwner(env.DATA_DIR || './data');
useCompileCache();
const { runCli } = await import('./program.ts');

// A reader such as `head` closes the pipe when it has read enough.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  stderr.write(`Standard output cannot be written (${error.message}).\n`);
  process.exit(1);
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

/**
 * Run by root, this program goes on as the owner of `DATA_DIR`, who runs the bot: what is made there is the bot's then,
 * and what the bot cannot read is not read. A `chown` afterwards would follow whatever link the bot has put in a file's
 * place. To be called before anything in that folder is opened. Ends the program where it cannot go on so.
 */
function becomeOwner(dataDir: string): void {
  const root = 0;
  if (process.getuid?.() !== root) return;
  const { uid, gid } = statSync(dataDir, { throwIfNoEntry: false }) ?? { uid: root, gid: root };
  if (uid === root) return;
  try {
    process.setgroups?.([gid]);
    process.setgid?.(gid);
    process.setuid?.(uid); // the last, since only root may do these
    accessSync(dataDir, constants.R_OK | constants.X_OK);
    accessSync(import.meta.filename); // the rest of this program is read as that user
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    stderr.write(`This does not work as user ${uid}, to whom ${dataDir} belongs (${why}). Run it as the bot runs.\n`);
    process.exit(1);
  }
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}
