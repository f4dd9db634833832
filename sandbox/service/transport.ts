import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, KEEP_ALIVE_MS, listen } from '../listen.ts';
import { errorAnswer, type ReceivedRequest, type ServiceAnswer } from './rules.ts';

/**
 * How a connection breaks: `hang` never answers, `stall` sends the head and half of the body and then nothing, `reset`
 * sends a TCP reset at once.
 */
export type ServiceFault = 'hang' | 'stall' | 'reset';

/** The answer, or how the connection breaks. */
export interface ServiceOutcome extends ServiceAnswer {
  fault?: ServiceFault;
}

/** The service as a function. `signal` aborts when the client leaves. */
export type AnswerRequest = (request: ReceivedRequest, signal?: AbortSignal) => Promise<ServiceOutcome>;

/** Serves on 127.0.0.1 and answers only requests for that address, not those of a page under another host name. */
export async function serve(answer: AnswerRequest, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if ([`127.0.0.1:${ownPort}`, `localhost:${ownPort}`].includes(request.headers.host ?? '')) {
      void respond(answer, request, response);
    } else send(response, errorAnswer(421, 'MisdirectedRequest', 'This service answers only under its own address.'));
  });
  const ownPort = await listen(server, port);
  return { url: `http://127.0.0.1:${ownPort}`, close: () => closeServer(server) };
}

async function respond(answer: AnswerRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', url = '/', headers } = request;
  const authorization = keyIn(headers.authorization, headers['x-api-key']);
  const answering = text(request).then((body) => answer({ method, path: url, authorization, body }, gone.signal));
  const outcome = await answering.catch((error: unknown) => errorAnswer(500, 'ScriptFailed', String(error)));
  if (!gone.signal.aborted) send(response, outcome);
}

/** Some services have a header of their own for the key. */
function keyIn(authorization: string | null | undefined, ownHeader: unknown): string | undefined {
  return authorization ?? (ownHeader ? `Bearer ${ownHeader}` : undefined);
}

function send(response: ServerResponse, { status, headers, body, fault }: ServiceOutcome): void {
  if (fault === 'hang') return;
  if (fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(body);
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  if (fault === 'stall') response.write(bytes.subarray(0, bytes.length / 2));
  else response.end(bytes);
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

const RESET = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** `fetch` for an embedded service: the same requests, answers and failures, without a socket. */
export function fetchFrom(answer: AnswerRequest): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // Not that of the copy, which may be collected before it hears of an abort.
    const signal = init?.signal ?? (input instanceof Request ? input : request).signal;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const authorization = keyIn(request.headers.get('authorization'), request.headers.get('x-api-key'));
    const { method } = request;
    const body = method === 'POST' ? await request.text() : '';
    const outcome = await answer({ method, path: pathname + search, authorization, body }, signal);
    signal.throwIfAborted();

    if (outcome.fault === 'reset') throw new TypeError('fetch failed', { cause: RESET });
    if (outcome.fault === 'hang') await aborted(signal);
    if (isRedirect(outcome) && request.redirect !== 'manual') {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    return toResponse(outcome, signal);
  };
}

function isRedirect({ status, headers }: ServiceOutcome): boolean {
  return status >= 300 && status < 400 && status !== 304 && headers.location !== undefined;
}

function toResponse({ status, headers, body, fault }: ServiceOutcome, signal: AbortSignal): Response {
  if (WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  if (fault === 'stall') return new Response(stalled(bytes.subarray(0, bytes.length / 2), signal), { status, headers });
  if (headers['content-encoding'] !== 'gzip') return new Response(bytes, { status, headers });
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), { status, headers });
}

/** A body of which nothing comes after its start. */
export function stalled(start: Uint8Array, signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(start);
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
  });
}

/** Never resolves. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
