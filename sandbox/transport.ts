import type { ServerResponse } from 'node:http';

/**
 * How a connection breaks. `hang`: never answered. `close`: closed before an answer, as happens to idle connections. `reset`:
 * a TCP reset instead. `stall`: of the answer's body only the beginning is sent.
 */
export type Break = 'hang' | 'close' | 'reset' | 'stall';

/** The answer of an emulated server, or how its connection breaks. */
export interface Outcome {
  /** 0 where the connection breaks instead. */
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
  fault?: Break;
}

/** The body, or undefined when it is longer. It is read to the end: leaving early would reset the connection too soon. */
export async function bytesOf(request: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= mostBytes) chunks.push(chunk);
  }
  return length > mostBytes ? undefined : Buffer.concat(chunks);
}

/** What a text says; undefined = it cannot be read so. */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Over HTTP. */
export function send(response: ServerResponse, { status, headers, body, fault }: Outcome): void {
  const { req, socket } = response;
  if (fault === 'hang') return;
  if (fault === 'reset') socket?.resetAndDestroy();
  else if (fault === 'close') {
    // Closing with unread bytes would send a TCP reset.
    if (req.readableEnded) socket?.destroySoon();
    else req.resume().once('end', () => socket?.destroySoon());
  } else {
    const bytes = Buffer.from(body);
    response.writeHead(status, WITHOUT_BODY.has(status) ? headers : { ...headers, 'content-length': bytes.length });
    if (fault === 'stall') response.write(beginning(bytes));
    else response.end(bytes);
  }
}

/** Without a socket. Rejects as undici does where a connection would break, and when `signal` aborts. */
export async function responseOf({ status, headers, body, fault }: Outcome, signal: AbortSignal): Promise<Response> {
  if (fault === 'hang') return aborted(signal);
  if (fault === 'reset') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  if (fault === 'close') throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  if (WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
  const bytes = new Uint8Array(Buffer.from(body));
  if (fault === 'stall') {
    const stalled = new ReadableStream({
      start(controller) {
        controller.enqueue(beginning(bytes));
        signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
      },
    });
    return new Response(stalled, { status, headers });
  }
  if (headers['content-encoding'] !== 'gzip') return new Response(bytes, { status, headers });
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), { status, headers });
}

/** Rejects when it aborts, and never resolves. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

function beginning(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length / 2);
}
