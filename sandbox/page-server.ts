import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readJsonBody, sendJson, UnreadableBody } from './json-body.ts';
import { closeServer, listenAtOrAfter } from './listen.ts';
import { apiRoutes, type Route } from './page-api.ts';
import { loadPageAssets } from './page-assets.ts';
import { PageEvents, type PageSources } from './page-events.ts';
import { refusal } from './page-guard.ts';
import { pageHeaders } from './page-headers.ts';

export interface PageServerOptions extends PageSources {
  /** The next free one is taken when this one is not; 0 = any. */
  port: number;
}

export interface PageServer {
  port: number;
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the sandbox's page on 127.0.0.1.
 *
 * @throws Error when no port is free, or the page's script cannot be bundled.
 */
export async function startPageServer({ port, ...sources }: PageServerOptions): Promise<PageServer> {
  const assets = await loadPageAssets();
  const events = new PageEvents(sources);
  const routes = new Map<string, Route>([
    ...apiRoutes(sources),
    ['GET /api/events', ({ response }) => events.open(response)],
    ...assets
      .entries()
      .map(([path, { contentType, body }]): [string, Route] => [
        `GET ${path}`,
        ({ response }) =>
          response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache' }).end(body),
      ]),
  ]);
  const headers = pageHeaders(sources.discord.origin);

  let ownPort = port;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, ownPort, routes).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof UnreadableBody) sendJson(response, error.status, { error: error.message });
      else sendJson(response, 500, { error: 'Something broke in the sandbox.' });
    });
  });
  try {
    ownPort = await listenAtOrAfter(server, port);
  } catch (error) {
    events.close();
    throw error;
  }

  return {
    port: ownPort,
    url: `http://127.0.0.1:${ownPort}`,
    close() {
      events.close();
      return closeServer(server);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ownPort: number,
  routes: ReadonlyMap<string, Route>,
): Promise<void> {
  const { method = '', url = '/', headers } = request;
  const { host, origin, 'content-type': contentType } = headers;
  const refused = refusal({ method, host, origin, contentType }, ownPort);
  if (refused) return sendJson(response, refused.status, { error: refused.sentence });

  const { pathname = '', searchParams: query = new URLSearchParams() } = URL.parse(url, 'http://127.0.0.1') ?? {};
  const route = routes.get(`${method} ${pathname}`);
  if (!route) {
    const allowed = ['GET', 'POST'].filter((each) => routes.has(`${each} ${pathname}`));
    if (allowed.length === 0) return sendJson(response, 404, { error: 'There is nothing here.' });
    response.setHeader('Allow', allowed.join(', '));
    return sendJson(response, 405, { error: `Only ${allowed.join(' and ')} is answered here.` });
  }
  await route({ json: method === 'POST' ? await readJsonBody(request) : undefined, query, response });
}
