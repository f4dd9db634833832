import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMPILE_CACHE } from './compile-cache.ts';

export interface BotProcess {
  child: ChildProcess;
  /** Everything written so far, on both streams. */
  output(): string;
  /** Resolves when `text` appears after the first `after` characters of output. Rejects when the process ends first. */
  wrote(text: string, after?: number): Promise<void>;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
}

export interface NpmProcess extends BotProcess {
  /** As a terminal does on Ctrl-C: SIGINT to npm and all its children. */
  ctrlC(): void;
  kill(): void;
}

/**
 * Runs the bot as `npm start` does, with exactly this environment.
 *
 * @param largestFileKb writing beyond it fails as on a full disk
 */
export function spawnBot(env: Record<string, string>, largestFileKb?: number): BotProcess {
  const program = [process.execPath, 'src/main.ts'];
  const limited = ['bash', '-c', `ulimit -f ${largestFileKb}; exec "$0" "$@"`, ...program];
  return run(largestFileKb === undefined ? program : limited, env);
}

/** Runs a script of these tests in its own process, with exactly this environment. */
export function spawnScript(script: string, env: Record<string, string>): BotProcess {
  return run([process.execPath, script], env);
}

function run([command = '', ...args]: readonly string[], env: Record<string, string>): BotProcess {
  const inherited = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE };
  return watched(spawn(command, args, { env: { ...inherited, ...env } }));
}

/** The same through npm, in its own process group as a shell would start it, so that Ctrl-C reaches the whole group. */
export function spawnUnderNpm(args: string[], env: Record<string, string> = {}): NpmProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', args, { env: { PATH, HOME, ...COMPILE_CACHE, ...env }, detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('npm could not be started');
  return {
    ...watched(child),
    ctrlC: () => void process.kill(-pid, 'SIGINT'),
    kill() {
      // npm does not forward SIGKILL; the group no longer exists once all its processes have ended.
      if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    },
  };
}

function watched(child: ChildProcessWithoutNullStreams): BotProcess {
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    child,
    output: () => text,
    async wrote(wanted, after = 0) {
      while (!text.includes(wanted, after)) {
        const end = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended]);
        if (end !== undefined && !text.includes(wanted, after)) throw new Error(`ended with ${end}; output:\n${text}`);
      }
    },
    ended,
  };
}
