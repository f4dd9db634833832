import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { HttpPortUnusable, serveHttp } from '../../src/operations/http-server.ts';
import { logLines } from '../support/log-lines.ts';
import { startWorld } from '../support/world.ts';
import { addressOf } from './scrape.ts';

/** The pages of a bot in this state. */
async function serve(health: { gateway: boolean; store: boolean }, host = '127.0.0.1') {
  const { log, lines } = logLines();
  let reads = 0;
  const metrics = { contentType: 'text/plain', metrics: async () => `reads ${++reads}\n` };
  const readiness = () => ({ ready: health.gateway && health.store, ...health });
  const server = await serveHttp({ port: 0, host, botId: '7', metrics, health: { readiness }, log });
  onTestFinished(() => server.close());
  return { address: addressOf({ lines }), lines, health, log };
}

const WELL = { gateway: true, store: true };

it('/healthz is 200 as long as the process answers, whatever is away', async () => {
  const { address } = await serve({ gateway: false, store: false });
  const response = await fetch(`${address}/healthz`);
  expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
});

it.each([
  [true, true, 200],
  [true, false, 503],
  [false, true, 503],
])('/readyz tells the gateway (%s) and the store (%s) with %i', async (gateway, store, status) => {
  const { address } = await serve({ gateway, store });
  const response = await fetch(`${address}/readyz`);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ ready: gateway && store, gateway, store });
});

it('HEAD is answered without a body, with the length that GET would have', async () => {
  const { address } = await serve(WELL);
  const response = await fetch(`${address}/healthz`, { method: 'HEAD' });
  expect([response.status, response.headers.get('Content-Length'), await response.text()]).toEqual([200, '3', '']);
});

it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
  const { address } = await serve(WELL);
  const response = await fetch(`${address}/metrics`, { method });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
});

it.each(['/', '/metrics/', '/Metrics', '//metrics', '/healthz/..', '/metrics%00', '/.env'])(
  'there is no page at %s',
  async (path) => {
    const { address } = await serve(WELL);
    expect((await fetch(address + path)).status).toBe(404);
  },
);

it('cuts off a request that is not HTTP, or whose headers are too long, and goes on', async () => {
  const { address } = await serve(WELL);
  const port = Number(new URL(address).port);
  const sends = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    return (await text(socket)).split('\r\n', 1)[0];
  };

  expect(await sends('\u0000\u0001\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request');
  expect(await sends(`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/ 431 /);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
});

it('keeps 32 connections, and answers one more in the place of the oldest that sends nothing whole', async () => {
  const { address } = await serve(WELL);
  const port = Number(new URL(address).port);
  const halfSent = Array.from({ length: 32 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => halfSent.forEach((socket) => void socket.destroy()));
  await Promise.all(halfSent.map((socket) => once(socket, 'connect')));
  for (const socket of halfSent) socket.on('error', () => {}).write('GET /healthz HTTP/1.1\r\n');

  const lost = Promise.race(halfSent.map((socket, place) => once(socket, 'close').then(() => place)));
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(await lost).toBe(0);
});

it.each([
  ['an address', '127.0.0.1:9464', 200],
  ['an address of version 6', '[::1]:9464', 200],
  ['localhost', 'localhost:9464', 200],
  ['the name of a container', 'bot-0:9464', 200],
  ['a name in a private network', 'bot.cards.svc.cluster.local', 200],
  ['a name that anybody may own', 'evil.example:9464', 421],
  ['such a name that begins as an address', '127.0.0.1.evil.example', 421],
  ['what is no name', 'a b', 421],
])('shows metrics and readiness under %s (%s) with %i', async (_, host, status) => {
  const { address } = await serve(WELL);
  const { port } = new URL(address);
  const asked = async (path: string) => {
    const [response] = await once(get({ port, path, headers: { host } }), 'response');
    response.resume();
    return response.statusCode;
  };
  expect([await asked('/metrics'), await asked('/readyz'), await asked('/healthz')]).toEqual([status, status, 200]);
});

it.each(['127.0.0.1', '::'])('shows them at %s to a health check of HTTP/1.0, which names no host', async (host) => {
  const { address } = await serve(WELL, host);
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.write('GET /readyz HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
});

it('a port that is taken ends the start with a sentence', async () => {
  const { address, log, health } = await serve(WELL);
  const options = {
    port: Number(new URL(address).port),
    host: '127.0.0.1',
    botId: '7',
    health: { readiness: () => ({ ready: true, ...health }) },
    log,
  };
  const metrics = { contentType: '', metrics: async () => '' };
  await expect(serveHttp({ ...options, metrics })).rejects.toThrow(HttpPortUnusable);
  await expect(serveHttp({ ...options, metrics })).rejects.toThrow(/EADDRINUSE.+Set HTTP_PORT/);
});

it('a start that ends so leaves DATA_DIR to the next', async () => {
  const { address, log } = await serve(WELL);
  const world = await startWorld();
  await world.stopBot();
  const http = { port: Number(new URL(address).port), host: '127.0.0.1' };
  await expect(startApp({ ...world.config, http }, log)).rejects.toThrow(HttpPortUnusable);
  await world.restartBot();
});

it('a bot is ready when its shards are, and not while Discord has closed the gateway', async () => {
  const world = await startWorld({ env: { HTTP_PORT: '0' } });
  const readiness = async () => (await fetch(`${addressOf(world)}/readyz`)).json();
  expect(await readiness()).toEqual({ ready: true, gateway: true, store: true });
  await world.discord.refuseConnections(true);
  await expect.poll(readiness).toMatchObject({ ready: false, gateway: false });
});
