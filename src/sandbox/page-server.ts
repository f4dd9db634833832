import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readJsonBody, UnreadableBody } from './json-body.ts';
import { closeServer, listenAtOrAfter } from './listen.ts';
import { PageApi } from './page-api.ts';
import { loadPageAssets, type PageAsset } from './page-assets.ts';
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
  const api = new PageApi(sources);
  const headers = pageHeaders(sources.discord.origin);

  let ownPort = port;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, { ownPort, assets, events, api }).catch((error: unknown) => {
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

interface Parts {
  ownPort: number;
  assets: ReadonlyMap<string, PageAsset>;
  events: PageEvents;
  api: PageApi;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { ownPort, assets, events, api } = parts;
  const { method = '', headers } = request;
  const refused = refusal(
    { method, host: headers.host, origin: headers.origin, contentType: headers['content-type'] },
    ownPort,
  );
  if (refused) return sendJson(response, refused.status, { error: refused.sentence });

  const address = URL.parse(request.url ?? '/', 'http://127.0.0.1');
  const pathname = address?.pathname ?? '';
  const gets = assets.has(pathname) || pathname === '/api/events' || api.answers(pathname);
  const allowed = [gets ? 'GET' : [], api.accepts(pathname) ? 'POST' : []].flat();
  if (allowed.length === 0) return sendJson(response, 404, { error: 'There is nothing here.' });
  if (!allowed.includes(method)) {
    response.setHeader('Allow', allowed.join(', '));
    return sendJson(response, 405, { error: `Only ${allowed.join(' and ')} is answered here.` });
  }

  if (method === 'POST') {
    const { status, body } = await api.post(pathname, await readJsonBody(request));
    return sendJson(response, status, body);
  }
  const asset = assets.get(pathname);
  if (asset) {
    response.writeHead(200, { 'Content-Type': asset.contentType, 'Cache-Control': 'no-cache' }).end(asset.body);
  } else if (pathname === '/api/events') events.open(response);
  else {
    const { status, body } = api.get(pathname, new URLSearchParams(address?.search));
    sendJson(response, status, body);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
