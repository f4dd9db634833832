import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** One run of a server. */
export interface ServerProcess {
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it is gone, at once if it is already. */
  kill(): Promise<void>;
}

/** Resolves when it answers. @throws when it ends instead, with its last words: its port may be taken */
export async function runServer(binary: string, settings: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(binary, args(settings), { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  void exited.then(() => process.off('exit', killNow));

  let lastWords = '';
  const ready = new Promise<true>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      lastWords = line;
      if (line.includes('Ready to accept connections')) resolve(true);
    });
  });
  const isReady = await Promise.race([ready, exited.then(() => false)]);
  if (!isReady) throw new Error(`${binary} ended: ${lastWords}`);
  return {
    signal: (name) => void child.kill(name),
    async kill() {
      killNow();
      await exited;
    },
  };
}

/** A value of several words becomes several arguments, but a password may have spaces. */
function args(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    return [`--${name}`, ...(name === 'requirepass' ? [value] : value.split(' '))];
  });
}
