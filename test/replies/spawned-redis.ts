import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export async function startRedis() {
  const dir = await mkdtemp(join(tmpdir(), 'replies-redis-'));
  const port = await freePort();
  const run = async () => {
    const child = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', dir, '--bind', '127.0.0.1']);
    let out = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (data) => {
        out += data;
        if (out.includes('Ready to accept')) resolve();
      });
      child.once('exit', () => reject(new Error(out)));
    });
    return child;
  };
  let child = await run();
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async start() {
      child = await run();
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
