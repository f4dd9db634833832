import type { Logger } from '../log.ts';
import type { Claims } from '../model/claims.ts';
import type { Events } from '../model/events.ts';
import type { AlertNotebook } from './alert-notes.ts';
import { Health } from './health.ts';

export interface OperationsConfig {
  discord: { botId: string };
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

/**
 * What an operator watches the bot with: metrics and alerts. Fed by `events`, so it is
 * opened before what publishes them.
 */
export interface Operations {
  /** Serves metrics and tells alerts from now on. @throws HttpPortUnusable */
  start(state: { claims: Claims; alertNotebook: AlertNotebook }): Promise<void>;
  /** Takes half a second at most, and never rejects. */
  close(): Promise<void>;
}

const LAST_ALERTS_MS = 500;

/** Loads only what is configured. */
export async function openOperations(config: OperationsConfig, options: OperationsOptions): Promise<Operations> {
  const health = new Health(options.events, config.redis !== undefined);
  const opened = await Promise.all([openPages(config, options, health), openAlerts(config, options, health)]);
  const parts = opened.filter((part) => part !== undefined);
  return {
    async start(state) {
      for (const part of parts) await part.start(state);
    },
    async close() {
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

async function openPages(
  { http, redis, discord: { botId } }: OperationsConfig,
  { events, log, commandNames }: OperationsOptions,
  health: Health,
): Promise<Operations | undefined> {
  if (!http) return undefined;
  const [{ registryOf }, { metricTable }, { serveHttp }] = await Promise.all([
    import('./metrics.ts'),
    import('./metric-table.ts'),
    import('./http-server.ts'),
  ]);
  const metrics = registryOf(events, metricTable(commandNames, redis !== undefined));
  let server: { close(): Promise<void> } | undefined;
  return {
    async start() {
      server = await serveHttp({ ...http, botId, metrics, health, log });
    },
    close: async () => server?.close(),
  };
}

async function openAlerts(
  { alertWebhookUrl, redis }: OperationsConfig,
  { events, log }: OperationsOptions,
  health: Health,
): Promise<Operations | undefined> {
  if (alertWebhookUrl === undefined) return undefined;
  const [{ Alerts }, { Webhook }] = await Promise.all([import('./alerts.ts'), import('./webhook.ts')]);
  const webhook = new Webhook(alertWebhookUrl, log);
  const alerts = new Alerts({ events, health, usesRedis: redis !== undefined, webhook, log });
  return {
    start: async ({ alertNotebook, claims }) => alerts.start(alertNotebook, claims),
    close: () => alerts.close(LAST_ALERTS_MS),
  };
}
