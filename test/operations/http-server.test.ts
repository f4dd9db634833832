import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { Events } from '../../src/model/events.ts';
import { HttpPortUnusable, openOperations } from '../../src/operations/operations.ts';
import { logLines } from '../support/log-lines.ts';
import { startWorld } from '../support/world.ts';
import { table } from '../table.ts';
import { addressOf, sampleValue, scrape } from './scrape.ts';

/** The pages of a bot that has just started. */
async function serve({ host = '127.0.0.1', redis }: { host?: string; redis?: object | undefined } = {}) {
  const { log, lines } = logLines();
  const events = new Events();
  const config = { discord: { botId: '7' }, http: { port: 0, host }, alertWebhookUrl: undefined, redis };
  const operations = await openOperations(config, { commandNames: [], events, log });
  onTestFinished(() => operations.close());
  const limiter = { view: () => ({ stop: undefined, windows: [] }) };
  await operations.start(limiter, { length: 7 });
  const address = addressOf({ lines });
  return { address, port: Number(new URL(address).port), events };
}

it.each([
  [true, true, 200],
  [true, false, 503],
  [false, true, 503],
])('/readyz tells the gateway (%s) and the store (%s) with %i, /healthz is 200', async (gateway, store, status) => {
  const { address, events } = await serve();
  events.publish('gateway', { shard: 0, state: gateway ? 'ready' : 'closed' });
  events.publish('store', { store: 'state', works: store });
  const response = await fetch(`${address}/readyz`);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ ready: gateway && store, gateway, store });
  const health = await fetch(`${address}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
});

it.each([
  ['files, which work from the start', 'files', undefined, { store: true }, 1],
  ['Redis, which has to be reached first', 'redis', {}, { store: false, reason: expect.stringContaining('redis') }, 0],
])('a bot over %s', async (_, state, redis, readiness, works) => {
  const { address } = await serve({ redis });
  expect(await (await fetch(`${address}/readyz`)).json()).toMatchObject(readiness);
  const samples = await scrape(address);
  expect(sampleValue(samples, 'cardbot_build_info', { state })).toBe(1);
  expect(sampleValue(samples, 'cardbot_store_works', { store: redis ? 'redis' : 'state' })).toBe(works);
  expect(sampleValue(samples, 'cardbot_queue_length')).toBe(7);
});

it.each(table`
  GET | / | 404
  GET | /metrics/ | 404
  GET | /Metrics | 404
  GET | //metrics | 404
  GET | /healthz/.. | 404
  GET | /metrics%00 | 404
  GET | /.env | 404
  POST | /metrics | 405
  PUT | /metrics | 405
  DELETE | /metrics | 405
  OPTIONS | /metrics | 405
`)('%s %s is answered with %i', async (method, path, status) => {
  const { address } = await serve();
  const response = await fetch(address + path, { method });
  expect(`${response.status}`).toBe(status);
  expect(response.headers.get('Allow')).toBe(status === '405' ? 'GET, HEAD' : null);
});

it('HEAD is answered without a body, with the length that GET would have', async () => {
  const { address } = await serve();
  const response = await fetch(`${address}/healthz`, { method: 'HEAD' });
  expect([response.status, response.headers.get('Content-Length'), await response.text()]).toEqual([200, '3', '']);
});

/** @returns everything that is answered until the connection ends */
async function sends(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

it('cuts off a request that is not HTTP, or whose headers are too long, and goes on', async () => {
  const { address, port } = await serve();
  expect(await sends(port, '\u0000\u0001\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  expect(await sends(port, `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/ 431 /);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
});

it('keeps 32 connections, closes one more, and answers as soon as one has ended', async () => {
  const { address, port } = await serve();
  const open = () => connect(port, '127.0.0.1').on('error', () => {});
  const held = Array.from({ length: 32 }, open);
  onTestFinished(() => held.forEach((socket) => void socket.destroy()));
  await Promise.all(held.map((socket) => once(socket, 'connect')));

  expect(await text(open())).toBe(''); // who is only slow is told so
  held[0]?.destroy();
  await expect.poll(() => fetch(`${address}/healthz`).then(({ status }) => status, String)).toBe(200);
});

it.each(table`
  an address | 127.0.0.1:9464 | 200
  an address of version 6 | [::1]:9464 | 200
  localhost | localhost:9464 | 200
  the name of a container | bot-0:9464 | 200
  a name in a private network | bot.cards.svc.cluster.local | 200
  a name that anybody may own | evil.example:9464 | 421
  such a name that begins as an address | 127.0.0.1.evil.example | 421
  what is no name | a b | 421
`)('shows metrics and readiness under %s (%s) with %i', async (_, host, status) => {
  const { port, events } = await serve();
  events.publish('gateway', { shard: 0, state: 'ready' });
  for (const path of ['/metrics', '/readyz', '/healthz']) {
    const [response] = await once(get({ port, path, headers: { host } }), 'response');
    response.resume();
    expect(`${response.statusCode}`, path).toBe(path === '/healthz' ? '200' : status);
  }
});

it.each(['127.0.0.1', '::'])('shows them at %s to a health check of HTTP/1.0, which names no host', async (host) => {
  const { port } = await serve({ host });
  expect(await sends(port, 'GET /metrics HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

it('a port that is taken ends the start with a sentence, and leaves DATA_DIR to the next', async () => {
  const { port } = await serve();
  const world = await startWorld();
  await world.stopBot();
  const start = startApp({ ...world.config, http: { port, host: '127.0.0.1' } }, logLines().log);
  await expect(start).rejects.toThrow(HttpPortUnusable);
  await expect(start).rejects.toThrow(/EADDRINUSE.+Set HTTP_PORT/);
  await world.restartBot();
});

it('a bot is ready when its shards are, and not while Discord has closed the gateway', async () => {
  const world = await startWorld({ env: { HTTP_PORT: '0' } });
  const readiness = async () => (await fetch(`${addressOf(world)}/readyz`)).json();
  expect(await readiness()).toEqual({ ready: true, gateway: true, store: true });
  await world.discord.refuseConnections(true);
  await expect.poll(readiness).toMatchObject({ ready: false, gateway: false });
});
