import { on, once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { EmulatedDiscord, EmulatedDiscordOptions } from '../../../sandbox/discord/emulated-discord.ts';
import { openDiscord } from '../../support/backends.ts';
import { changed, table } from '../../table.ts';

let discord: EmulatedDiscord;
const start = async (options?: EmulatedDiscordOptions) => {
  discord = await openDiscord(options);
};
beforeEach(() => start());

/** A client that has received HELLO. */
async function greeted() {
  const client = dial();
  await client.next();
  return client;
}

/** @param changes of an identify that is accepted */
const identity = (changes?: string) =>
  changed({ token: discord.botToken, intents: 0, properties: {}, shard: [0, 1] }, changes);

async function identified() {
  const client = await greeted();
  client.send(2, identity());
  return { client, ready: await client.next() };
}

describe('the gateway', () => {
  it('closes a connection without heartbeats', async () => {
    await start({ heartbeatIntervalMs: 20 });
    const client = dial();
    expect(await client.closed).toBe(4_009);
  });

  it.each(table`
    a wrong token | identify token="x" | 4004
    an invalid shard | identify shard=[1,1] | 4010
    an intent: no other events are emulated | identify intents=1 | 4014
    no properties | identify properties= | 4002
    a second identify | identify, identify | 4005
    invalid JSON | { | 4002
    an unknown op | {"op":99,"d":null} | 4001
  `)('closes on %s', async (_, sent = '', code) => {
    const client = await greeted();
    for (const text of sent.split(', ')) {
      const [, changes] = /^identify ?(.*)$/.exec(text) ?? [];
      if (changes === undefined) client.socket.send(text);
      else client.send(2, identity(changes));
    }
    expect(`${await client.closed}`).toBe(code);
  });

  it('accepts one identify per window and rate limit key, from any process, and answers others with op 9', async () => {
    await start({ shards: 4, maxConcurrency: 2, identifyWindowMs: 60_000 });
    const answers: Frame[] = [];
    for (const id of [0, 2, 1, 3]) {
      const client = await greeted();
      client.send(2, identity(`shard=[${id},4]`));
      answers.push(await client.next());
    }

    expect(answers).toMatchObject([{ t: 'READY' }, { op: 9, d: false }, { t: 'READY' }, { op: 9, d: false }]);
    expect(discord.gateway).toMatchObject({ identifies: 2, refusedIdentifies: 2, sessions: 2 });
  });

  it('asks for one resume, however often the session is invalidated meanwhile', async () => {
    const { client, ready } = await identified();
    discord.gateway.invalidate(true);
    discord.gateway.invalidate(true);
    client.send(6, { token: discord.botToken, session_id: ready.d.session_id, seq: 1 });
    expect([await client.next(), await client.next()]).toMatchObject([{ op: 9, d: true }, { t: 'RESUMED' }]);
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
    const socket = new WebSocket(discord.gateway.url, { headers: { origin: 'https://evil.test' } });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
  });
});

type Frame = { op: number; d: Record<string, unknown>; s: number | null; t: string | null };

/** A minimal client of the gateway. `closed` is the close code. */
function dial() {
  const socket = new WebSocket(discord.gateway.url);
  const messages = on(socket, 'message');
  return {
    socket,
    closed: once(socket, 'close').then(([code]) => Number(code)),
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    next: async (): Promise<Frame> => JSON.parse(String((await messages.next()).value?.[0])),
  };
}
