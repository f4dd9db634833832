import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { onFinished } from '../support/on-finished.ts';

it('with NODE_USE_ENV_PROXY=1 the card service, Discord and its gateway are reached through the proxy, and without a compile cache that can be written', async () => {
  const [proxy, { card, env }] = await Promise.all([startForwardProxy(), startBackends()]);
  const proxied = { ...env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  writeFileSync(join(env.DATA_DIR, 'compile-cache'), 'in the way');
  const bot = startProgram([process.execPath, 'src/main.ts'], { env: proxied });
  await bot.wrote('gateway ready');
  const { embeds } = await card('base1-4').settled();
  expect(embeds[0]?.title).toBe('Emberwing Drake');
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);

  const hosts = [env.CARD_SERVICE_URL, env.DISCORD_API_URL].map((url) => new URL(url ?? '').host);
  for (const host of hosts) expect(proxy.asked.some((each) => each.includes(host))).toBe(true);
  expect(proxy.asked.some((each) => each.startsWith('UPGRADE '))).toBe(true);

  proxy.asked.length = 0;
  const diff = startProgram([process.execPath, 'src/cli/main.ts', 'commands', 'diff'], { env: proxied });
  expect(await diff.ended).toBe(0);
  expect(proxy.asked.length).toBeGreaterThan(0);
});

/** A proxy as in companies: for any address, by tunnel or by request. */
async function startForwardProxy() {
  /** What it was asked for: `CONNECT host:port`, or a method and a whole address. */
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    asked.push(`${method} ${url}`);
    const forwarded = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on('connect', ({ url = '' }, socket: Duplex) => {
    asked.push(`CONNECT ${url}`);
    tunnel(new URL(`http://${url}`), socket, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`UPGRADE ${incoming.url}`);
    const { host, pathname, search, port } = new URL(incoming.url ?? '');
    const fields = Object.entries(incoming.headers).map(
      ([name, value]) => `${name}: ${name === 'host' ? host : value}`,
    );
    const head = [`GET ${pathname}${search} HTTP/1.1`, ...fields, '', ''].join('\r\n');
    tunnel(new URL(`http://${host}`), socket, (target) => target.write(head), Number(port));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function tunnel({ hostname, port }: URL, socket: Duplex, begin: (target: Duplex) => void, atPort = Number(port)): void {
  const target = connect(atPort, hostname, () => {
    begin(target);
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('error', () => target.destroy());
  socket.on('close', () => target.destroy());
  onFinished(() => void target.destroy());
}
