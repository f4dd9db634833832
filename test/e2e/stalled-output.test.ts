import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { onFinished } from '../support/on-finished.ts';
import { stalledPipe } from '../support/stalled-pipe.ts';
import { finalAnswer } from '../support/world.ts';

/** A bot whose standard output nobody reads, and which is connected. */
async function startStalled(command: string, args: string[], variables: Record<string, string> = {}) {
  const port = await freePort();
  const { card, env } = await startBackends({}, { HTTP_PORT: String(port), LOG_LEVEL: 'trace' });
  const pipe = stalledPipe();

  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    env: { PATH, HOME, ...COMPILE_CACHE, ...env, ...variables },
    stdio: ['ignore', pipe.fd, pipe.fd],
    detached: true, // a group of its own, so that what npm has started ends with it
  });
  onFinished(() => child.exitCode === null && child.pid && process.kill(-child.pid, 'SIGKILL'));
  const page = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => 'unreachable',
    );
  await expect.poll(() => page('/readyz')).toBe(200);
  pipe.fill();
  return { child, card, pipe, page, ended: once(child, 'exit') };
}

describe('a bot whose output nobody reads', () => {
  it('goes on answering, and stops on SIGTERM', async () => {
    const { child, card, page, ended } = await startStalled('npm', ['start']);
    for (let command = 0; command < 20; command++) {
      expect(await finalAnswer(card('base1-4'))).toBe('Emberwing Drake');
    }
    expect(await page('/healthz')).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('exits 1 after a bug, with a line that says so to whoever reads again within a second', async () => {
    const bug = 'process.once("SIGUSR2", () => { throw new TypeError("a bug") })';
    const { child, pipe, ended } = await startStalled(process.execPath, ['src/main.ts'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    });
    child.kill('SIGUSR2');
    let text = pipe.read();
    const reading = setInterval(() => {
      text += pipe.read();
    }, 5);
    expect(await ended).toEqual([1, null]);
    clearInterval(reading);
    expect(text + pipe.read()).toMatch(/"level":"fatal".*a bug/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
