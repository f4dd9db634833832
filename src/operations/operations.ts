import type { Logger } from '../log.ts';
import type { Claims } from '../model/claims.ts';
import type { Events } from '../model/events.ts';
import type { AlertNotebook } from './alert-notes.ts';

export interface OperationsConfig {
  /** `undefined`: nothing is counted, nothing listens. */
  http: { port: number; host: string } | undefined;
  /** `undefined`: no alerts. */
  alertWebhookUrl: string | undefined;
  /** `undefined`: the state is in files. */
  redis: object | undefined;
}

export interface OperationsOptions {
  commandNames: readonly string[];
  events: Events;
  log: Logger;
}

/** What the state has for operations. */
interface Opened {
  state: { claims: Claims; alertNotebook: AlertNotebook; close(): Promise<void> };
}

/** What an operator watches the bot with. Fed by its events alone, so it is opened before what publishes them. */
export interface Operations {
  /**
   * Serves metrics and tells alerts once `opening` has resolved; whatever fails, nothing stays open.
   *
   * @throws HttpPortUnusable, and what `opening` throws
   */
  start<T extends Opened>(opening: Promise<T>): Promise<T>;
  /** Takes half a second at most, and never rejects. */
  close(): Promise<void>;
}

interface Part {
  start(state: Opened['state']): Promise<void>;
  close(): Promise<void>;
}

const LAST_ALERTS_MS = 500;

/** Loads only what is configured. */
export async function openOperations(config: OperationsConfig, options: OperationsOptions): Promise<Operations> {
  const opened = await Promise.all([openPages(config, options), openAlerts(config, options)]);
  const parts = opened.filter((part) => part !== undefined);
  const close = async () => void (await Promise.all(parts.map((part) => part.close())));
  return {
    async start(opening) {
      const result = await opening.catch(async (error: unknown) => {
        await close();
        throw error;
      });
      try {
        for (const part of parts) await part.start(result.state);
      } catch (error) {
        await close();
        await result.state.close();
        throw error;
      }
      return result;
    },
    close,
  };
}

async function openPages({ http, redis }: OperationsConfig, options: OperationsOptions): Promise<Part | undefined> {
  if (!http) return undefined;
  const usesRedis = redis !== undefined;
  const [{ Metrics }, { metricTable }, { Health }, { serveHttp }] = await Promise.all([
    import('./metrics.ts'),
    import('./metric-table.ts'),
    import('./health.ts'),
    import('./http-server.ts'),
  ]);
  const { events, log, commandNames } = options;
  const metrics = new Metrics(events, metricTable(commandNames, usesRedis));
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

async function openAlerts(config: OperationsConfig, { events, log }: OperationsOptions): Promise<Part | undefined> {
  const { alertWebhookUrl, redis } = config;
  if (alertWebhookUrl === undefined) return undefined;
  const [{ Alerts }, { Webhook }] = await Promise.all([import('./alerts.ts'), import('./webhook.ts')]);
  const webhook = new Webhook(alertWebhookUrl, log);
  const alerts = new Alerts({ events, usesRedis: redis !== undefined, webhook, log });
  return {
    start: async ({ alertNotebook, claims }) => alerts.start(alertNotebook, claims),
    close: () => alerts.close(LAST_ALERTS_MS),
  };
}
