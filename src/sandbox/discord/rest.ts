import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { ApiError } from './api-error.ts';
import { type ExternalImage, externalUrl } from './external-images.ts';
import { isLoopbackHost } from './loopback-host.ts';
import { readBody } from './request-body.ts';
import type { RequestLog } from './request-log.ts';
import { type RestAnswer, type Route, RouteTable } from './route.ts';

export interface RestOptions {
  routes: readonly Route[];
  botToken: string;
  image: (url: string) => ExternalImage | undefined;
  log: RequestLog;
}

const USER_AGENT = /^DiscordBot \([^,]+, [^)]+\)/; // reference.md, "User Agent"
const API = /^\/api(?:\/v10)?(?=\/)/;

/** Answers HTTP as Discord's API does, and serves the pictures of embeds. */
export function restListener({ routes, botToken, image, log }: RestOptions): RequestListener {
  const table = new RouteTable(routes);

  async function answer(request: IncomingMessage, path: string, query: URLSearchParams): Promise<RestAnswer> {
    if (!USER_AGENT.test(request.headers['user-agent'] ?? '')) throw new ApiError('blockedUserAgent');
    const { route, params } = table.match(request.method ?? '', path);
    if (route.needsBotToken && request.headers.authorization !== `Bot ${botToken}`) throw new ApiError('unauthorized');
    return route.answer({ params, query, ...(await readBody(request)) });
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    if (!isLoopbackHost(request)) return sendStatus(response, 421);
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (!API.test(path)) return sendImage(response, request.method === 'GET' ? path : '', image);

    const { status, body } = await answer(request, path.replace(API, ''), new URLSearchParams(query)).catch(refusal);
    log.add({ atMs: Date.now(), method: request.method ?? '', path: request.url ?? '', status });
    send(response, status, body);
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
}

function refusal(error: unknown): RestAnswer {
  if (error instanceof ApiError) return { status: error.status, body: error };
  throw error;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  // Generous limits that no bot reaches here, in the form that clients learn them from; topics/rate-limits
  response.setHeader('X-RateLimit-Limit', '1000');
  response.setHeader('X-RateLimit-Remaining', '999');
  response.setHeader('X-RateLimit-Reset', String(Date.now() / 1_000 + 1));
  response.setHeader('X-RateLimit-Reset-After', '1');
  response.setHeader('X-RateLimit-Bucket', 'emulated');
  if (body === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}

function sendImage(response: ServerResponse, path: string, image: RestOptions['image']) {
  const url = externalUrl(path);
  const found = url === undefined ? undefined : image(url);
  if (!found) return sendStatus(response, 404);
  response.writeHead(200, {
    'Content-Type': found.contentType,
    'Content-Security-Policy': 'sandbox', // an SVG opened by itself must not run scripts
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(found.body);
}

function sendStatus(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
