import { startSlowRelay } from '../slow-relay.ts';

export interface RecordingRelay {
  /** Reaches the Redis through the relay. */
  url: string;
  /** What was sent to Redis, in order: the name of a command and its arguments. A transaction is one command, `MULTI`. */
  commands: readonly (readonly string[])[];
}

/** A TCP proxy before a Redis that notes what passes. */
export async function startRecordingRelay(url: string): Promise<RecordingRelay> {
  const commands: string[][] = [];
  const watch = () => {
    let unread: Buffer = Buffer.alloc(0);
    let inTransaction = false;
    return (sent: Buffer) => {
      const { requests, rest } = readRequests(Buffer.concat([unread, sent]));
      unread = rest;
      for (const request of requests) {
        const [name] = request;
        if (!inTransaction) commands.push(request);
        if (name === 'MULTI') inTransaction = true;
        if (name === 'EXEC') inTransaction = false;
      }
    };
  };
  return { url: (await startSlowRelay(url, { delayMs: 0, watch })).url, commands };
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
