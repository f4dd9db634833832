import { once } from 'node:events';
import { constants, createInflate, createZstdDecompress, inflateSync } from 'node:zlib';

import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';

let discord: EmulatedDiscord;
beforeEach(async () => {
  discord = await startEmulatedDiscord();
});
afterEach(() => discord.close());

type Frame = { op: number; t: string | null };
interface Message {
  data: Buffer;
  isBinary: boolean;
}

function dial(compress?: string) {
  const query = compress === undefined ? '' : `&compress=${compress}`;
  const socket = new WebSocket(`${discord.origin.replace('http', 'ws')}/?v=10&encoding=json${query}`);
  const messages: Message[] = [];
  socket.on('message', (data: Buffer, isBinary) => messages.push({ data, isBinary }));
  return {
    socket,
    messages,
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    async received(count: number) {
      while (messages.length < count) await once(socket, 'message');
    },
  };
}

/** With an event for every guild after READY, so that several are sent at once. */
const identity = () => ({ token: discord.botToken, intents: 1, properties: {} });

async function conversation(compress?: string, part: object = {}) {
  const client = dial(compress);
  await client.received(1);
  client.send(2, { ...identity(), ...part });
  await client.received(2 + discord.guilds.length);
  client.send(1, null);
  await client.received(3 + discord.guilds.length);
  return client;
}

const FRAMES = [
  { op: 10 },
  { op: 0, t: 'READY', s: 1 },
  { op: 0, t: 'GUILD_CREATE', s: 2 },
  { op: 0, t: 'GUILD_CREATE', s: 3 },
  { op: 11 },
];

it.each([
  ['zlib-stream', () => createInflate({ flush: constants.Z_SYNC_FLUSH })],
  ['zstd-stream', () => createZstdDecompress()],
])('sends one %s per connection, with one message in each frame', async (compress, decompressor) => {
  const { messages } = await conversation(compress);
  const stream = decompressor();

  const frames: Frame[] = [];
  for (const { data, isBinary } of messages) {
    expect(isBinary).toBe(true);
    stream.write(data);
    const [plain] = await once(stream, 'data');
    frames.push(JSON.parse(String(plain)));
  }
  expect(frames).toMatchObject(FRAMES);
});

it('ends each message of a zlib-stream with a sync flush', async () => {
  const { messages } = await conversation('zlib-stream');

  expect(new Set(messages.map(({ data }) => data.subarray(-4).toString('hex')))).toEqual(new Set(['0000ffff']));
});

it('compresses each payload separately for a client that identifies with compression', async () => {
  const { messages } = await conversation(undefined, { compress: true });

  const frames = messages.map(({ data, isBinary }) => JSON.parse(String(isBinary ? inflateSync(data) : data)));
  expect(frames).toMatchObject(FRAMES);
  expect(messages.map(({ isBinary }) => isBinary)).toEqual([false, true, true, true, true]);
});

it('compresses a stream once, although the client identifies with compression, too', async () => {
  const { messages } = await conversation('zlib-stream', { compress: true });

  const [hello, ready] = messages.map(({ data }) => data);
  const stream = createInflate({ flush: constants.Z_SYNC_FLUSH });
  stream.write(Buffer.concat([hello ?? Buffer.of(), ready ?? Buffer.of()]));
  const [plain] = await once(stream, 'data');
  expect(String(plain)).toContain('"t":"READY"');
});

it('sends everything compressed before it closes', async () => {
  const { socket, messages } = dial('zlib-stream');
  await once(socket, 'open');
  socket.send('{');

  const [code] = await once(socket, 'close');
  expect(code).toBe(4_002);
  expect(messages).toHaveLength(1);
});
