import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer in place of Discord's; a string is sent as HTML. */
export interface DetourAnswer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

export interface Detour {
  apiUrl: string;
  close(): Promise<void>;
}

/** An API in front of another one: answers the requests that `answers` names (`PUT /commands` by the end of the path) itself. */
export async function startDetour(apiUrl: string, answers: Record<string, DetourAnswer>): Promise<Detour> {
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const named = Object.entries(answers).find(([name]) => {
      const [method, end = ''] = name.split(' ');
      return request.method === method && path.endsWith(end);
    });
    if (named) send(response, named[1]);
    else void forward(apiUrl, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: DetourAnswer): void {
  const html = typeof body === 'string';
  response.writeHead(status, { 'content-type': html ? 'text/html' : 'application/json', ...headers });
  response.end(html ? body : JSON.stringify(body));
}

async function forward(apiUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '', 'user-agent': agent = '', 'content-type': type } = request.headers;
  const body = Buffer.concat(await request.toArray());
  const answer = await fetch(apiUrl + (request.url ?? '').replace('/api', ''), {
    method: request.method ?? 'GET',
    headers: { authorization, 'user-agent': agent, ...(type && { 'content-type': type }) },
    ...(body.length > 0 && { body }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(await answer.text());
}
