import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';

export interface OperationsOptions {
  /** `undefined`: nothing is counted, nothing listens. */
  http: { port: number; host: string } | undefined;
  /** Whether the state is in Redis. */
  usesRedis: boolean;
  commandNames: readonly string[];
  events: Events;
  log: Logger;
}

/** What an operator watches the bot with. Fed by its events alone, so it is opened before what publishes them. */
export interface Operations {
  /** Serves metrics from now on. @throws HttpPortUnusable */
  start(): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Loads only what is configured. */
export async function openOperations(options: OperationsOptions): Promise<Operations> {
  const pages = await openPages(options);
  return {
    async start() {
      await pages?.start();
    },
    async close() {
      await pages?.close();
    },
  };
}

async function openPages({ http, ...options }: OperationsOptions): Promise<Operations | undefined> {
  if (!http) return undefined;
  const [{ Metrics }, { Health }, { serveHttp }] = await Promise.all([
    import('./metrics.ts'),
    import('./health.ts'),
    import('./http-server.ts'),
  ]);
  const { events, usesRedis, log } = options;
  const metrics = new Metrics(options);
  const health = new Health(events, usesRedis);
  let server: { close(): Promise<void> } | undefined;
  return {
    async start() {
      server = await serveHttp({ ...http, metrics, health, log });
    },
    async close() {
      await server?.close();
      metrics.close();
      health.close();
    },
  };
}
