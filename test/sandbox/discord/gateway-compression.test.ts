import { once } from 'node:events';
import { constants, createInflate, createZstdDecompress, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openDiscord } from '../../support/backends.ts';
import { dial } from '../../support/gateway-client.ts';

type Messages = [data: Buffer, isBinary: boolean][];

/** What a client receives that wants an event for every guild after READY, so that several are sent at once. */
async function conversation(compress?: string, part: object = {}): Promise<Messages> {
  const discord = await openDiscord();
  const client = dial(discord, `v=10&encoding=json${compress === undefined ? '' : `&compress=${compress}`}`);
  const messages = [await client.message()];
  client.send(2, { token: discord.botToken, intents: 1, properties: {}, ...part });
  while (messages.length < 2 + discord.guilds.length) messages.push(await client.message());
  client.send(1, null);
  return [...messages, await client.message()];
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
  const messages = await conversation(compress);
  const stream = decompressor();

  const frames: unknown[] = [];
  for (const [data, isBinary] of messages) {
    expect(isBinary).toBe(true);
    stream.write(data);
    const [plain] = await once(stream, 'data');
    frames.push(JSON.parse(String(plain)));
  }
  expect(frames).toMatchObject(FRAMES);
});

it('compresses each payload separately for a client that identifies with compression', async () => {
  const messages = await conversation(undefined, { compress: true });
  const frames = messages.map(([data, isBinary]) => JSON.parse(String(isBinary ? inflateSync(data) : data)));
  expect(frames).toMatchObject(FRAMES);
  expect(messages.map(([, isBinary]) => isBinary)).toEqual([false, true, true, true, true]);
});

it('compresses a stream once, although the client identifies with compression, too', async () => {
  const messages = await conversation('zlib-stream', { compress: true });
  const [hello, ready] = messages.map(([data]) => data);
  const stream = createInflate({ flush: constants.Z_SYNC_FLUSH });
  stream.write(Buffer.concat([hello ?? Buffer.of(), ready ?? Buffer.of()]));
  const [plain] = await once(stream, 'data');
  expect(String(plain)).toContain('"t":"READY"');
});

it('sends everything compressed before it closes', async () => {
  const { socket, message, closed } = dial(await openDiscord(), 'v=10&encoding=json&compress=zlib-stream');
  await once(socket, 'open');
  socket.send('{');
  expect((await message())[1]).toBe(true);
  expect(await closed).toBe(4_002);
});
