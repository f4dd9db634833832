import { stopSignal } from '../stop-signal.ts';
import { runCatalogCli } from './cli.ts';

// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCatalogCli(process.argv.slice(2), {
  folder: env.INIT_CWD ?? process.cwd(), // npm runs scripts in the folder of package.json
  stdin,
  stdout,
  stderr,
  signal: stopSignal(),
});
