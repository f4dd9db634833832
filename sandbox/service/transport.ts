import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, KEEP_ALIVE_MS, listen } from '../listen.ts';
import { type Outcome, responseOf, send } from '../transport.ts';
import { errorAnswer, type ReceivedRequest } from './rules.ts';

/** The service as a function. `signal` aborts when the client leaves. */
export type AnswerRequest = (request: ReceivedRequest, signal?: AbortSignal) => Promise<Outcome>;

/** Serves on 127.0.0.1 and answers only requests for that address, not those of a page under another host name. */
export async function serve(answer: AnswerRequest, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.sendDate = false;
    const { method = 'GET', url = '/', headers } = request;
    if (![`127.0.0.1:${ownPort}`, `localhost:${ownPort}`].includes(headers.host ?? '')) {
      send(response, errorAnswer(421, 'MisdirectedRequest', 'This service answers only under its own address.'));
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const authorization = keyIn(headers.authorization, headers['x-api-key']);
    text(request)
      .then((body) => answer({ method, path: url, authorization, body }, gone.signal))
      .catch((error: unknown) => errorAnswer(500, 'ScriptFailed', String(error)))
      .then((outcome) => gone.signal.aborted || send(response, outcome));
  });
  const ownPort = await listen(server, port);
  return { url: `http://127.0.0.1:${ownPort}`, close: () => closeServer(server) };
}

/** Some services have a header of their own for the key. */
function keyIn(authorization: string | null | undefined, ownHeader: unknown): string | undefined {
  return authorization ?? (ownHeader ? `Bearer ${ownHeader}` : undefined);
}

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
    const { status, headers } = outcome;
    const isRedirect = status >= 300 && status < 400 && status !== 304 && headers.location !== undefined;
    if (isRedirect && request.redirect !== 'manual') {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    return responseOf(outcome, signal).catch((cause) => {
      signal.throwIfAborted();
      throw new TypeError('fetch failed', { cause });
    });
  };
}
