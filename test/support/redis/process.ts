import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** One run of a server. */
export interface RedisProcess {
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it is gone, at once if it is already. */
  kill(): Promise<void>;
}

/** Kills the server, which has the shell's process id, as soon as nobody holds the other end of the fourth descriptor. */
const ENDS_WITH_PARENT = '(read -r _ <&3; kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

/**
 * Resolves when it answers. It ends with this process, however that ends.
 *
 * @throws when it ends instead, with its last words: its port may be taken
 */
export async function runRedis(binary: string, settings: Record<string, string>): Promise<RedisProcess> {
  const child = spawn('sh', ['-c', ENDS_WITH_PARENT, binary, ...args(settings)], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit').then(() => void (child.stdio[3] as Writable).destroy());

  let lastWords = '';
  const ready = new Promise<true>((resolve) => {
    createInterface(child.stdout as Readable).on('line', (line) => {
      lastWords = line;
      if (line.includes('Ready to accept connections')) resolve(true);
    });
  });
  const isReady = await Promise.race([ready, exited.then(() => false)]);
  if (!isReady) throw new Error(`${binary} ended: ${lastWords}`);
  return {
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
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
