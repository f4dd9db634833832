import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMPILE_CACHE } from './compile-cache.ts';
import { onFinished } from './on-finished.ts';

export type BotProcess = ReturnType<typeof startProgram>;

/**
 * Runs the bot as `npm start` does, with exactly this environment. Like the others here it is killed when the test or, from
 * `beforeAll`, the file ends.
 *
 * @param largestFileKb writing beyond it fails as on a full disk
 */
export function startBotProcess(env: Record<string, string>, largestFileKb?: number): BotProcess {
  const program = [process.execPath, 'src/main.ts'];
  const limited = ['bash', '-c', `ulimit -f ${largestFileKb}; exec "$0" "$@"`, ...program];
  return startProgram(largestFileKb === undefined ? program : limited, { env: compiled(env) });
}

/** Runs a script of package.json in its own process group, as a shell would start it, so that Ctrl-C reaches the whole group. */
export function startUnderNpm(args: string[], env: Record<string, string> = {}): BotProcess & { ctrlC(): void } {
  const { HOME = '' } = process.env;
  const npm = startProgram(['npm', ...args], { env: { HOME, ...compiled(env) }, detached: true });
  const { child } = npm;
  const signal = (name: 'SIGINT' | 'SIGKILL') => {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  };
  onFinished(() => {
    // npm does not forward SIGKILL; the group no longer exists once all its processes have ended.
    if (child.exitCode === null && child.signalCode === null) signal('SIGKILL');
  });
  return { ...npm, ctrlC: () => signal('SIGINT') };
}

/** Runs any program. */
export function startProgram([command = '', ...args]: readonly string[], options: SpawnOptionsWithoutStdio) {
  const child = spawn(command, args, options);
  onFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  /** Exit code, or the signal's name. */
  const ended: Promise<number | string> = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    child,
    /** Everything written so far, on both streams. */
    output: () => text,
    /** Resolves when it appears after the first `after` characters of output. Rejects when the process ends first. */
    async wrote(wanted: string, after = 0) {
      while (!text.includes(wanted, after)) {
        const end = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended]);
        if (end !== undefined && !text.includes(wanted, after)) throw new Error(`ended with ${end}; output:\n${text}`);
      }
    },
    ended,
  };
}

function compiled(env: Record<string, string>) {
  return { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...env };
}
