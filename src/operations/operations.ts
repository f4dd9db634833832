import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import type { AlertBoard } from './alerts.ts';

export interface OperationsOptions {
  /** `undefined`: nothing is counted, nothing listens. */
  http: { port: number; host: string } | undefined;
  /** `undefined`: no alerts. */
  alertWebhookUrl: string | undefined;
  /** Whether the state is in Redis. */
  usesRedis: boolean;
  /** Tells this process from others that share its state. */
  processName: string;
  commandNames: readonly string[];
  events: Events;
  log: Logger;
}

/** What an operator watches the bot with. Fed by its events alone, so it is opened before what publishes them. */
export interface Operations {
  /** Serves metrics and tells alerts from now on. @throws HttpPortUnusable */
  start(board: AlertBoard): Promise<void>;
  /** Takes half a second at most, and never rejects. */
  close(): Promise<void>;
}

const LAST_ALERTS_MS = 500;

/** Loads only what is configured. */
export async function openOperations(options: OperationsOptions): Promise<Operations> {
  const parts = (await Promise.all([openPages(options), openAlerts(options)])).filter((part) => part !== undefined);
  return {
    async start(board) {
      for (const part of parts) await part.start(board);
    },
    async close() {
      await Promise.all(parts.map((part) => part.close()));
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

async function openAlerts({ alertWebhookUrl, ...options }: OperationsOptions): Promise<Operations | undefined> {
  if (alertWebhookUrl === undefined) return undefined;
  const [{ Alerts }, { Webhook }] = await Promise.all([import('./alerts.ts'), import('./webhook.ts')]);
  const alerts = new Alerts({ ...options, webhook: new Webhook(alertWebhookUrl, options.log) });
  return {
    start: async (board) => alerts.start(board),
    close: () => alerts.close(LAST_ALERTS_MS),
  };
}
