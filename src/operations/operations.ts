import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../log.ts';
import { isPublicHost } from '../model/card.ts';
import { OperatorError } from '../model/errors.ts';
import type { Events } from '../model/events.ts';
import type { KnownOfLimiter, Page } from './metrics.ts';

interface OperationsConfig {
  discord: { botId: string };
  /** `undefined`: nothing is counted, nothing listens. */
  http: { port: number; host: string } | undefined;
  /** `undefined`: no alerts. */
  alertWebhookUrl: string | undefined;
  /** `undefined`: the state is in files. */
  redis: object | undefined;
}

interface OperationsOptions {
  commandNames: readonly string[];
  events: Events;
  log: Logger;
}

const LAST_ALERTS_MS = 500;

/**
 * What an operator watches the bot with: alerts, fed by the log, and metrics and health, fed by `events`. To be opened
 * before what writes and publishes them. Loads only what is configured.
 */
export async function openOperations(
  { http, alertWebhookUrl, redis, discord: { botId } }: OperationsConfig,
  { events, log, commandNames }: OperationsOptions,
) {
  const alerts = alertWebhookUrl && new (await import('./alerts.ts')).Alerts(alertWebhookUrl, log);
  const usesRedis = redis !== undefined;
  const metrics = http && (await import('./metrics.ts')).openMetrics(events, commandNames, usesRedis);
  const readiness = followReadiness(events, usesRedis);
  let server: Server | undefined;
  return {
    /** Serves metrics from now on, of this limiter and this queue as well. @throws HttpPortUnusable */
    async start(limiter: { view(): KnownOfLimiter }, queue: { readonly length: number }): Promise<void> {
      if (!http || !metrics) return;
      const page = () => metrics(limiter.view(), queue.length);
      server = await serveHttp(http, botId, log, { metrics: page, readiness });
    },
    /** Takes half a second at most, and never rejects. */
    async close(): Promise<void> {
      server?.close();
      server?.closeAllConnections();
      if (alerts) await alerts.close(LAST_ALERTS_MS);
    },
  };
}

/** Whether the bot can be of use now. */
export interface Readiness {
  ready: boolean;
  /** Every shard of this process receives commands. */
  gateway: boolean;
  /**
   * What replies and counts are kept in can be written. The card store does not count: without it the bot only asks
   * more.
   */
  store: boolean;
  /** Where it is not ready. */
  reason?: string;
}

/** What is served. */
interface Pages {
  metrics(): Promise<Page>;
  readiness(): Readiness;
}

/** Follows the gateway and the stores by their events. @param usesRedis it does not work until it is reached */
function followReadiness(events: Events, usesRedis: boolean): () => Readiness {
  const shards = new Map<number, boolean>();
  /** Stores, with what is wrong. */
  const failing = new Map<string, string>();
  const fails = (store: string, reason = `${store} cannot be used: see the log`) => failing.set(store, reason);
  if (usesRedis) fails('redis');
  events.subscribe('gateway', ({ shard, state }) => void shards.set(shard, state === 'ready'));
  events.subscribe('store', ({ store, works, reason }) => {
    if (works) failing.delete(store);
    else if (store !== 'cards') fails(store, reason);
  });
  return () => {
    const gateway = shards.size > 0 && [...shards.values()].every(Boolean);
    const [reason = gateway ? undefined : 'not connected to Discord'] = failing.values();
    const store = failing.size === 0;
    return { ready: gateway && store, gateway, store, ...(reason && { reason }) };
  };
}

/** The port cannot be listened on. */
export class HttpPortUnusable extends OperatorError {}

// A scraper and a few probes; whoever is slow is cut off.
const MOST_CONNECTIONS = 32;
const LONGEST_REQUEST_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/** @throws HttpPortUnusable */
async function serveHttp(
  { port, host }: { port: number; host: string },
  botId: string,
  log: Logger,
  pages: Pages,
): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, type = 'text/plain; charset=utf-8', body } = await pageFor(request, host, pages);
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Application-Id': botId, // tells the doctor whether this port is that of its bot
      ...(status === 405 && { Allow: 'GET, HEAD', Connection: 'close' }), // what else it sends is not read
    });
    response.end(body); // to HEAD, Node sends the headers alone
  };
  const server = createServer(
    { requestTimeout: LONGEST_REQUEST_MS, connectionsCheckingInterval: LOOK_EVERY_MS },
    (request, response) =>
      void answer(request, response).catch((err: unknown) => {
        log.error({ err }, 'metrics cannot be read');
        response.destroy();
      }),
  );
  server.maxConnections = MOST_CONNECTIONS;
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const sentence = `Metrics cannot be served at ${host}:${port} (${error instanceof Error ? error.message : error}). `;
    const cure = 'Set HTTP_PORT to a port that is free, or HTTP_HOST to an address of this machine.';
    throw new HttpPortUnusable(sentence + cure, { cause: error });
  }
  // Without a listener a connection that cannot be accepted, as without free descriptors, would end the bot.
  server.on('error', (err) => log.warn({ err }, 'a connection for metrics could not be accepted'));
  log.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are served');
  return server;
}

/** `/metrics`, `/healthz` and `/readyz`. */
async function pageFor(
  { method, url = '', headers }: IncomingMessage,
  host: string,
  { metrics, readiness }: Pages,
): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'GET or HEAD\n' };
  const [path] = url.split('?', 1);
  // The process can answer: an outage of Discord or of the card service is no reason to restart it.
  if (path === '/healthz') return { status: 200, body: 'ok\n' };
  if (!isOwnName(headers.host, host))
    return { status: 421, body: 'not served under this name: use an address, or set HTTP_HOST to the name\n' };
  if (path === '/metrics') return metrics();
  if (path !== '/readyz') return { status: 404, body: 'not found\n' };
  const now = readiness();
  return { status: now.ready ? 200 : 503, type: 'application/json', body: JSON.stringify(now) };
}

/** A web page could read the answer under a name of its own that resolves to this machine. Health is no secret. */
function isOwnName(given: string | undefined, host: string): boolean {
  if (given === undefined) return true; // of HTTP/1.0, which no browser speaks
  const hostname = URL.parse(`http://${given}`)?.hostname;
  return hostname !== undefined && (hostname === host.toLowerCase() || !isPublicHost(hostname));
}
