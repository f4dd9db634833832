import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import type { KnownOfLimiter } from './metrics.ts';

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
 * What an operator watches the bot with: alerts, fed by the log, and metrics and health, fed by `events`. Opened before
 * what writes and publishes them.
 */
export interface Operations {
  /** Serves metrics from now on, of this limiter as well. @throws HttpPortUnusable */
  start(limiter: { view(): KnownOfLimiter }): Promise<void>;
  /** Takes half a second at most, and never rejects. */
  close(): Promise<void>;
}

const LAST_ALERTS_MS = 500;

/** Loads only what is configured. */
export async function openOperations(
  { http, alertWebhookUrl, redis, discord: { botId } }: OperationsConfig,
  { events, log, commandNames }: OperationsOptions,
): Promise<Operations> {
  const alerts = alertWebhookUrl && new (await import('./alerts.ts')).Alerts(alertWebhookUrl, log);
  const usesRedis = redis !== undefined;
  let view: () => KnownOfLimiter;
  const pages = http && {
    ...{ ...http, botId, log },
    metrics: (await import('./metrics.ts')).openMetrics(events, () => view(), commandNames, usesRedis),
    readiness: (await import('./http-server.ts')).followReadiness(events, usesRedis),
  };
  let server: { close(): void } | undefined;
  return {
    async start(limiter) {
      view = () => limiter.view();
      if (pages) server = await (await import('./http-server.ts')).serveHttp(pages);
    },
    async close() {
      server?.close();
      if (alerts) await alerts.close(LAST_ALERTS_MS);
    },
  };
}
