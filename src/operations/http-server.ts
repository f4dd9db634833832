import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from '../log.ts';
import { OperatorError } from '../model/operator-error.ts';
import { isPublicHost } from '../model/public-host.ts';
import type { Readiness } from './health.ts';

export interface HttpOptions {
  port: number;
  host: string;
  botId: string;
  metrics: { contentType: string; metrics(): Promise<string> };
  health: { readiness(): Readiness };
  log: Logger;
}

/** The port cannot be listened on. */
export class HttpPortUnusable extends OperatorError {
  override name = 'HttpPortUnusable';

  constructor({ host, port }: Pick<HttpOptions, 'host' | 'port'>, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Metrics cannot be served at ${host}:${port} (${reason}). ` +
        'Set HTTP_PORT to a port that is free, or HTTP_HOST to an address of this machine.',
      { cause },
    );
  }
}

// A scraper and a few probes; whoever is slow is cut off.
const MOST_CONNECTIONS = 32;
const LONGEST_REQUEST_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/** `/metrics`, `/healthz` and `/readyz`. @throws HttpPortUnusable */
export async function serveHttp(options: HttpOptions): Promise<{ close(): Promise<void> }> {
  const { port, host, log } = options;
  const server = createServer(
    { requestTimeout: LONGEST_REQUEST_MS, connectionsCheckingInterval: LOOK_EVERY_MS },
    (request, response) =>
      void answer(request, response, options).catch((err: unknown) => {
        log.error({ err }, 'metrics cannot be read');
        response.destroy();
      }),
  );
  // Whoever has sent nothing whole for longest makes room, so that nobody holds all places with requests that never end.
  const open = new Set<Socket>();
  const latest = (socket: Socket) => open.delete(socket) && open.add(socket);
  server.on('request', ({ socket }) => latest(socket));
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MOST_CONNECTIONS) oldest?.destroy();
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new HttpPortUnusable(options, error);
  }
  // Without a listener a connection that cannot be accepted, as without free descriptors, would end the bot.
  server.on('error', (err) => log.warn({ err }, 'a connection for metrics could not be accepted'));
  log.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are served');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HttpOptions): Promise<void> {
  const { status, type = 'text/plain; charset=utf-8', body } = await pageFor(request, options);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Application-Id': options.botId, // tells the doctor whether this port is that of its bot
    ...(status === 405 && { Allow: 'GET, HEAD', Connection: 'close' }), // what else it sends is not read
  });
  response.end(body); // to HEAD, Node sends the headers alone
}

async function pageFor(
  { method, url = '', headers }: IncomingMessage,
  { metrics, health, host }: HttpOptions,
): Promise<{ status: number; type?: string; body: string }> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'GET or HEAD\n' };
  const [path] = url.split('?', 1);
  if (path !== '/healthz' && !isOwnName(headers.host, host))
    return { status: 421, body: 'not served under this name: use an address, or set HTTP_HOST to the name\n' };
  switch (path) {
    case '/metrics':
      return { status: 200, type: metrics.contentType, body: await metrics.metrics() };
    case '/healthz':
      // The process can answer: an outage of Discord or of the card service is no reason to restart it.
      return { status: 200, body: 'ok\n' };
    case '/readyz': {
      const readiness = health.readiness();
      return { status: readiness.ready ? 200 : 503, type: 'application/json', body: JSON.stringify(readiness) };
    }
    default:
      return { status: 404, body: 'not found\n' };
  }
}

/** A web page could read the answer under a name of its own that resolves to this machine. Health is no secret. */
function isOwnName(given: string | undefined, host: string): boolean {
  if (given === undefined) return true; // of HTTP/1.0, which no browser speaks
  const hostname = URL.parse(`http://${given}`)?.hostname;
  return hostname !== undefined && (hostname === host.toLowerCase() || !isPublicHost(hostname));
}
