import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, KEEP_ALIVE_MS, listen } from './listen.ts';
import { type AnswerRequest, errorAnswer, keyIn, type ServiceOutcome } from './service-answers.ts';

/** Serves on 127.0.0.1 and answers only requests for that address, not those of a page under another host name. */
export async function serve(answer: AnswerRequest, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (!isOwnHost(request.headers.host, ownPort)) {
      send(response, errorAnswer(421, 'MisdirectedRequest', 'This service answers only under its own address.'));
      return;
    }
    void respond(answer, request, response);
  });
  const ownPort = await listen(server, port);
  return { url: `http://127.0.0.1:${ownPort}`, close: () => closeServer(server) };
}

function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

async function respond(answer: AnswerRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', url = '/', headers } = request;
  const answering = text(request).then((body) =>
    answer({ method, path: url, authorization: keyIn(headers.authorization, headers['x-api-key']), body }, gone.signal),
  );
  const outcome = await answering.catch((error: unknown) => errorAnswer(500, 'ScriptFailed', String(error)));
  if (!gone.signal.aborted) send(response, outcome);
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
