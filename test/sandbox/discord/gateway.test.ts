import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { EmulatedDiscord, EmulatedDiscordOptions } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import * as gateway from '../../support/gateway-client.ts';

let discord: EmulatedDiscord;
const start = async (options?: EmulatedDiscordOptions) => {
  discord = await openDiscord(options);
};
beforeEach(() => start());

const dial = (query?: string, headers?: Record<string, string>) => gateway.dial(discord, query, headers);

/** A client that has received HELLO. */
async function greeted(query?: string) {
  const client = dial(query);
  await client.next();
  return client;
}

const identity = (part: object = {}) => ({
  ...{ token: discord.botToken, intents: 0, properties: {}, shard: [0, 1] },
  ...part,
});

const frame = (op: number, d: unknown = null) => JSON.stringify({ op, d });
const identify = (part?: object) => frame(2, identity(part));

async function identified(part: object = {}, query?: string) {
  const client = await greeted(query);
  client.send(2, identity(part));
  return { client, ready: await client.next() };
}

describe('the gateway', () => {
  it('closes a connection without heartbeats', async () => {
    await start({ heartbeatIntervalMs: 20 });
    const client = dial();
    expect(await client.closed).toBe(4_009);
  });

  it.each<[string, () => string[], number]>([
    ['a wrong token', () => [identify({ token: 'x' })], 4_004],
    ['an invalid shard', () => [identify({ shard: [1, 1] })], 4_010],
    ['invalid intents', () => [identify({ intents: 1 << 30 })], 4_013],
    ['intents that must be enabled', () => [identify({ intents: 1 << 15 })], 4_014],
    ['no properties', () => [identify({ properties: undefined })], 4_002],
    ['too long a text', () => [identify({ properties: { os: 'x'.repeat(4_096) } })], 4_002],
    ['a second identify', () => [identify(), identify()], 4_005],
    ['invalid JSON', () => ['{'], 4_002],
    ['an unknown op', () => [frame(99)], 4_001],
    ['a presence before the identify', () => [frame(3, {})], 4_003],
    ['the 121st payload of a minute', () => Array(121).fill(frame(1)), 4_008],
  ])('closes on %s', async (_what, sent, code) => {
    const client = await greeted();
    for (const text of sent()) client.socket.send(text);
    expect(await client.closed).toBe(code);
  });

  it.each(['v=9&encoding=json', 'v=10', ''])('is served at the address ?%s', async (query) => {
    const { ready } = await identified({}, query);
    expect(ready).toMatchObject({ t: 'READY', d: { v: query === 'v=9&encoding=json' ? 9 : 10 } });
  });

  it('also accepts the token in the form of the Authorization header', async () => {
    const token = `Bot ${discord.botToken}`;
    const { client, ready } = await identified({ token });
    discord.gateway.drop();
    await client.closed;

    const again = await greeted();
    again.send(6, { token, session_id: ready.d.session_id, seq: 1 });

    expect(await again.next()).toMatchObject({ t: 'RESUMED' });
  });

  it.each([
    ['v=5&encoding=json', 4_012],
    ['v=10&encoding=etf', 4_002],
    ['v=10&compress=zlib-stream', 4_002],
  ])('closes at the address ?%s', async (query, code) => {
    expect(await dial(query).closed).toBe(code);
  });

  it('accepts one identify per window and rate limit key, from any process, and answers others with op 9', async () => {
    await start({ shards: 4, maxConcurrency: 2, identifyWindowMs: 60_000 });
    const answers: gateway.Frame[] = [];
    for (const id of [0, 2, 1, 3]) {
      const client = await greeted();
      client.send(2, identity({ shard: [id, 4] }));
      answers.push(await client.next());
    }

    expect(answers).toMatchObject([{ t: 'READY' }, { op: 9, d: false }, { t: 'READY' }, { op: 9, d: false }]);
    expect(discord.gateway).toMatchObject({ identifies: 2, refusedIdentifies: 2, sessions: 2 });
  });

  it('does not resume a session that was closed with 1000, and refuses a sequence number from the future', async () => {
    const first = await identified();
    first.client.socket.close(1_000);
    await first.client.closed;
    const second = await identified();
    second.client.socket.close(4_200);
    await second.client.closed;

    const [gone, odd] = [await greeted(), await greeted()];
    gone.send(6, { token: discord.botToken, session_id: first.ready.d.session_id, seq: 1 });
    odd.send(6, { token: discord.botToken, session_id: second.ready.d.session_id, seq: 99 });

    expect(await gone.next()).toMatchObject({ op: 9, d: false });
    expect(await odd.closed).toBe(4_007);
  });

  it('refuses web pages', async () => {
    const socket = new WebSocket(discord.origin.replace('http', 'ws'), { headers: { origin: 'https://evil.test' } });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
  });
});
