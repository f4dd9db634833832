import type { Logger } from '../log.ts';
import type { Claims } from '../model/claims.ts';
import type { Events } from '../model/events.ts';
import { DAY_SHARES } from '../model/quota.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import {
  ALERT_TIMES,
  ALERTS,
  type Alert,
  type AlertTimes,
  dueAlerts,
  nextLookMs,
  toldUntilMs,
  type Watched,
} from './alert-conditions.ts';
import { type AlertNotebook, isNews, type Noted } from './alert-notes.ts';
import { alertText } from './alert-texts.ts';
import { Health } from './health.ts';

/** One process can lose Redis or the gateway while the others have it, so each tells these by itself. */
const OF_PROCESS: ReadonlySet<Alert> = new Set(['redisAway', 'gatewayAway']);

export interface AlertsOptions {
  events: Events;
  usesRedis: boolean;
  webhook: {
    readonly waiting: readonly string[];
    start(waiting: readonly string[], keep: () => void): void;
    send(texts: readonly string[]): void;
    close(graceMs: number): Promise<void>;
  };
  log: Logger;
  times?: AlertTimes;
}

/** Tells operators once when something needs them, and once when it is over, whatever restarts in between. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #watched: Watched = { gatewayAwaySinceMs: Date.now() };
  readonly #health: Health;
  readonly #ends: (() => void)[];
  readonly #timer = new Timer(() => this.#look());
  readonly #runner = new SingleRunner(() => this.#tell());
  #noted = new Map<string, Noted>();
  #claims: Claims | undefined;
  #notebook: AlertNotebook | undefined;

  constructor(options: AlertsOptions) {
    const { events, usesRedis } = options;
    this.#options = options;
    this.#health = new Health(events, usesRedis);
    if (usesRedis) this.#watched.redisAwaySinceMs = Date.now();
    this.#ends = [
      events.subscribe('limiter', ({ quota, breaker }) => this.#limiterChanged({ quota, breaker })),
      events.subscribe('request', ({ endpoint, outcome }) => {
        // A report that the key may not read is an answer, too.
        if (outcome === 'answered' && endpoint !== 'usage') this.#changed({ hasWorked: true });
      }),
      events.subscribe('refused', ({ message: refusal }) => this.#changed({ refusal })),
      events.subscribe('gateway', () => {
        const isAway = !this.#health.readiness().gateway;
        this.#changed({ gatewayAwaySinceMs: since(isAway, this.#watched.gatewayAwaySinceMs) });
      }),
      events.subscribe('store', ({ store, works }) => {
        if (store === 'redis') this.#changed({ redisAwaySinceMs: since(!works, this.#watched.redisAwaySinceMs) });
      }),
    ];
  }

  /** From now on alerts are told. */
  start(notebook: AlertNotebook, claims: Claims): void {
    const { alerts, waiting } = notebook.read();
    this.#noted = new Map(Object.entries(alerts));
    this.#claims = claims;
    this.#notebook = notebook;
    this.#options.webhook.start(waiting, () => this.#save());
    this.#look();
  }

  /** From now on nothing is an alert: connections end because the bot stops. */
  async close(graceMs: number): Promise<void> {
    for (const end of this.#ends) end();
    this.#health.close();
    this.#timer.clear();
    if (this.#notebook) await this.#runner.run(); // what was known before
    await this.#options.webhook.close(graceMs);
  }

  #limiterChanged(known: Required<Pick<Watched, 'quota' | 'breaker'>>): void {
    const { breaker, hasWorked, serviceDownSinceMs } = this.#watched;
    const reason = known.breaker?.reason;
    const isNewFailure = (reason === 'key' || reason === 'outage') && reason !== breaker?.reason;
    this.#changed({
      ...known,
      hasWorked: hasWorked && !isNewFailure,
      serviceDownSinceMs: since(reason === 'outage', serviceDownSinceMs),
    });
  }

  #changed(change: Watched): void {
    Object.assign(this.#watched, change);
    this.#look();
  }

  #look(): void {
    if (this.#notebook) void this.#runner.run();
  }

  async #tell(): Promise<void> {
    const nowMs = Date.now();
    const due = dueAlerts(this.#watched, nowMs, this.#times);
    const told: Alert[] = [];
    const noted = new Map(this.#noted);
    for (const alert of ALERTS) {
      const isDue = due[alert];
      if (isDue === undefined) continue;
      const before = noted.get(alert);
      if (!isNews(before, isDue, nowMs)) continue;
      const untilMs = toldUntilMs(alert, this.#watched, nowMs);
      const tells = isDue ? await this.#isFirst(alert, untilMs - nowMs) : before?.isDue === true && before.isTold;
      if (!isDue && tells) await this.#claims?.release(claimOf(alert));
      noted.set(alert, { isDue, isTold: tells, untilMs });
      if (tells) told.push(alert);
    }
    this.#noted = noted; // at once with what is to be sent
    this.#send(told);
    const nextMs = nextLookMs(this.#watched, nowMs, this.#times);
    if (nextMs !== undefined) this.#timer.set(nextMs);
  }

  #send(told: readonly Alert[]): void {
    const { webhook, log } = this.#options;
    const isOver = (alert: Alert) => !this.#noted.get(alert)?.isDue;
    // When several shares of the day are passed at once, only the last is told.
    const lastOfDay = told.findLast((alert) => alert in DAY_SHARES);
    const sent = told.filter((alert) => !(alert in DAY_SHARES) || alert === lastOfDay);
    for (const alert of sent) log.info({ alert }, isOver(alert) ? 'alert is over' : 'alert raised');
    webhook.send(sent.map((alert) => alertText(alert, !isOver(alert), this.#watched)));
  }

  /** Whether no other process has told it. What others told while they could not be reached is told again. */
  async #isFirst(alert: Alert, ttlMs: number): Promise<boolean> {
    if (OF_PROCESS.has(alert)) return true;
    // Each window of the day has its own alerts. Any other is told again when the process is gone that is to tell its end.
    const claimed = await this.#claims?.claim(claimOf(alert), { ttlMs, endsWithOwner: !(alert in DAY_SHARES) });
    return typeof claimed !== 'object';
  }

  #save(): void {
    const { waiting } = this.#options.webhook;
    this.#notebook?.write({ alerts: Object.fromEntries(this.#noted), waiting: [...waiting] });
  }

  get #times(): AlertTimes {
    return this.#options.times ?? ALERT_TIMES;
  }
}

function since(isAway: boolean, sinceMs: number | undefined): number | undefined {
  return isAway ? (sinceMs ?? Date.now()) : undefined;
}

function claimOf(alert: Alert): string {
  return `alert:${alert}`;
}
