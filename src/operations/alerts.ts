import type { Logger } from '../log.ts';
import type { Claims } from '../model/claims.ts';
import type { Events } from '../model/events.ts';
import { isRefused } from '../model/quota.ts';
import { windowEndsMs } from '../quota/day-quota.ts';
import { SingleRunner } from '../time/timers.ts';
import { DAY_MS } from '../time/utc-day.ts';
import type { AlertNotebook, Noted } from './alert-notes.ts';
import { ALERT_TIMES, ALERTS, type Alert, type AlertTimes, type Watched } from './alert-table.ts';
import type { Health } from './health.ts';
import type { Webhook } from './webhook.ts';

export interface AlertsOptions {
  events: Events;
  /** Told of `events` before the alerts are. */
  health: Health;
  usesRedis: boolean;
  webhook: Webhook;
  log: Logger;
  times?: AlertTimes;
  lookEveryMs?: number;
}

/** What is due with time alone, such as the end of the day, is noticed so much later. */
const LOOK_EVERY_MS = 5_000;
/** An alert that lasts longer is told again. */
const KEPT_MS = 35 * DAY_MS;
/** An alert about the day is told again this long after the end of its window. */
const MARGIN_MS = 3_600_000;

/** Tells operators once when something needs them, and once when it is over, whatever restarts in between. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #watched: Watched = { gatewayAwaySinceMs: Date.now() };
  readonly #runner = new SingleRunner(() => this.#tell());
  #noted = new Map<string, Noted>();
  #claims: Claims | undefined;
  #notebook: AlertNotebook | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: AlertsOptions) {
    const { events, health, usesRedis } = options;
    this.#options = options;
    if (usesRedis) this.#watched.redisAwaySinceMs = Date.now();
    events.subscribe('limiter', ({ quota, breaker }) => this.#limiterChanged({ quota, breaker }));
    events.subscribe('request', ({ endpoint, outcome }) => {
      // A report that the key may not read is an answer, too.
      if (outcome === 'answered' && endpoint !== 'usage') this.#changed({ hasWorked: true });
    });
    events.subscribe('refused', ({ message: refusal }) => this.#changed({ refusal }));
    events.subscribe('gateway', () => {
      const isAway = !health.readiness().gateway;
      this.#changed({ gatewayAwaySinceMs: since(isAway, this.#watched.gatewayAwaySinceMs) });
    });
    events.subscribe('store', ({ store, works }) => {
      if (store === 'redis') this.#changed({ redisAwaySinceMs: since(!works, this.#watched.redisAwaySinceMs) });
    });
  }

  /** From now on alerts are told. */
  start(notebook: AlertNotebook, claims: Claims): void {
    const { webhook, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    const { alerts, waiting } = notebook.read();
    this.#noted = new Map(Object.entries(alerts));
    this.#claims = claims;
    this.#notebook = notebook;
    webhook.start(waiting, () =>
      notebook.write({ alerts: Object.fromEntries(this.#noted), waiting: [...webhook.waiting] }),
    );
    this.#timer = setInterval(() => void this.#runner.run(), lookEveryMs).unref();
    void this.#runner.run();
  }

  /** From now on nothing is an alert: connections end because the bot stops. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#notebook) await this.#runner.run(); // what was known before
    await this.#options.webhook.close(graceMs);
  }

  #limiterChanged(known: Required<Pick<Watched, 'quota' | 'breaker'>>): void {
    const { breaker, hasWorked, serviceDownSinceMs } = this.#watched;
    const reason = known.breaker?.reason;
    const isNewFailure = (isRefused(reason) || reason === 'outage') && reason !== breaker?.reason;
    this.#changed({
      ...known,
      hasWorked: hasWorked && !isNewFailure,
      serviceDownSinceMs: since(reason === 'outage', serviceDownSinceMs),
    });
  }

  #changed(change: Watched): void {
    if (this.#isClosed) return;
    Object.assign(this.#watched, change);
    if (this.#notebook) void this.#runner.run();
  }

  async #tell(): Promise<void> {
    const nowMs = Date.now();
    const told: Alert[] = [];
    const noted = new Map(this.#noted);
    for (const alert of Object.keys(ALERTS) as Alert[]) {
      const isDue = ALERTS[alert].isDue(this.#watched, nowMs, this.#options.times ?? ALERT_TIMES);
      const before = noted.get(alert) ?? { isDue: false, isTold: false, untilMs: nowMs };
      if (isDue === undefined || (isDue === before.isDue && !(isDue && before.untilMs <= nowMs))) continue;
      const untilMs = this.#toldUntilMs(alert, nowMs);
      const isTold = isDue ? await this.#isFirst(alert, untilMs - nowMs) : before.isTold;
      if (!isDue && isTold) await this.#claims?.release(`alert:${alert}`);
      noted.set(alert, { isDue, isTold, untilMs });
      if (isTold) told.push(alert);
    }
    this.#noted = noted; // at once with what is to be sent
    // When several shares of the day are passed at once, only the last is told.
    const lastOfDay = told.findLast((alert) => ALERTS[alert].scope === 'day');
    const sent = told.filter((alert) => ALERTS[alert].scope !== 'day' || alert === lastOfDay);
    this.#options.webhook.send(sent.map((alert) => this.#text(alert)));
  }

  /** Until when an alert that is told now is not told again, by any process. */
  #toldUntilMs(alert: Alert, nowMs: number): number {
    const { quota } = this.#watched;
    const isOfWindow = ALERTS[alert].scope === 'day' && quota;
    return isOfWindow ? Math.max(windowEndsMs(quota), nowMs) + MARGIN_MS : nowMs + KEPT_MS;
  }

  /** Whether no other process has told it. What others told while they could not be reached is told again. */
  async #isFirst(alert: Alert, ttlMs: number): Promise<boolean> {
    const { scope } = ALERTS[alert];
    if (scope === 'process') return true;
    // Each window of the day has its own alerts. Any other is told again when the process is gone that is to tell its end.
    const claimed = await this.#claims?.claim(`alert:${alert}`, { ttlMs, endsWithOwner: scope !== 'day' });
    return typeof claimed !== 'object';
  }

  #text(alert: Alert): string {
    const isOver = !this.#noted.get(alert)?.isDue;
    this.#options.log.info({ alert }, isOver ? 'alert is over' : 'alert raised');
    return isOver ? `✅ Over: ${ALERTS[alert].over}` : ALERTS[alert].begins(this.#watched);
  }
}

function since(isAway: boolean, sinceMs: number | undefined): number | undefined {
  return isAway ? (sinceMs ?? Date.now()) : undefined;
}
