import type { IncomingMessage, ServerResponse } from 'node:http';

const LONGEST_BODY_BYTES = 64 * 1024;

export class UnreadableBody extends Error {
  override name = 'UnreadableBody';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
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

/** @throws UnreadableBody when it is longer than 64 KiB or not JSON. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await bytesOf(request, LONGEST_BODY_BYTES);
  if (!bytes) throw new UnreadableBody(413, 'The body is longer than 64 KiB.');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new UnreadableBody(400, 'The body is not JSON.');
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
