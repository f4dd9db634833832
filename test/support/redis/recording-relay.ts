import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onFinished } from '../on-finished.ts';

export interface RecordingRelay {
  /** Reaches the Redis through the relay. */
  url: string;
  /** What was sent to Redis, in order: the name of a command and its arguments. A transaction is one command, `MULTI`. */
  commands: readonly (readonly string[])[];
}

/** A TCP proxy before a Redis that notes what passes. */
export async function startRecordingRelay(url: string): Promise<RecordingRelay> {
  const target = new URL(url);
  const commands: string[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay().on('error', () => {}));
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
    let unread: Buffer = Buffer.alloc(0);
    let inTransaction = false;
    near.on('data', (chunk) => {
      const { requests, rest } = readRequests(Buffer.concat([unread, chunk]));
      unread = rest;
      for (const request of requests) {
        const [name] = request;
        if (!inTransaction) commands.push(request);
        if (name === 'MULTI') inTransaction = true;
        if (name === 'EXEC') inTransaction = false;
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const near = new URL(url);
  near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: near.href, commands };
}

/** Arrays of bulk strings: https://redis.io/docs/latest/develop/reference/protocol-spec/#sending-commands-to-a-redis-server */
function readRequests(bytes: Buffer): { requests: string[][]; rest: Buffer } {
  const requests: string[][] = [];
  let at = 0;
  const line = () => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const number = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return number;
  };
  for (;;) {
    const start = at;
    const words: string[] = [];
    const count = line();
    for (let word = 0; word < (count ?? 0); word++) {
      const length = line();
      if (length === undefined || bytes.length < at + length + 2) return { requests, rest: bytes.subarray(start) };
      words.push(bytes.toString('utf8', at, at + length));
      at += length + 2;
    }
    if (count === undefined) return { requests, rest: bytes.subarray(start) };
    requests.push([(words[0] ?? '').toUpperCase(), ...words.slice(1)]);
  }
}
