import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import {
  ALERT_TIMES,
  ALERTS,
  type Alert,
  type AlertTimes,
  DAY_SHARES,
  dueAlerts,
  nextLookMs,
  toldUntilMs,
  type Watched,
} from './alert-conditions.ts';
import { alertText } from './alert-texts.ts';
import { Health } from './health.ts';

/**
 * Which alerts have been told, by this process, by those that share its state, or before the last restart. No method
 * rejects; `undefined`: it cannot be said.
 */
export interface AlertBoard {
  /** @returns whether nobody had told it, so that this process is to */
  raise(alert: string, untilMs: number): Promise<boolean | undefined>;
  /** @returns whether somebody had told it, so that this process is to say that it is over */
  clear(alert: string): Promise<boolean | undefined>;
}

/** They can be due in one of several processes and not in another. */
const OF_PROCESS: ReadonlySet<Alert> = new Set(['redisAway', 'gatewayAway']);

export interface AlertsOptions {
  events: Events;
  usesRedis: boolean;
  /** Tells this process from others that share its state. */
  processName: string;
  webhook: { send(text: string): void; close(graceMs: number): Promise<void> };
  log: Logger;
  times?: AlertTimes;
}

/** Tells operators once when something needs them, and once when it is over. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #watched: Watched = { gatewayAwaySinceMs: Date.now() };
  readonly #health: Health;
  readonly #ends: (() => void)[];
  readonly #timer = new Timer(() => this.#look());
  readonly #runner = new SingleRunner(() => this.#tell());
  /** As last told, or found not to be due. */
  readonly #known = new Map<Alert, boolean>();
  /** Told while the board could not be reached. */
  readonly #unrecorded = new Set<Alert>();
  #board: AlertBoard | undefined;

  constructor(options: AlertsOptions) {
    const { events, usesRedis } = options;
    this.#options = options;
    this.#health = new Health(events, usesRedis);
    if (usesRedis) this.#watched.redisAwaySinceMs = Date.now();
    this.#ends = [
      events.subscribe('limiter', ({ quota, breaker }) => this.#limiterChanged({ quota, breaker })),
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
  start(board: AlertBoard): void {
    this.#board = board;
    this.#look();
  }

  /** What follows is the bot's own stop, and no alert. */
  async close(graceMs: number): Promise<void> {
    for (const end of this.#ends) end();
    this.#health.close();
    this.#timer.clear();
    if (this.#board) await this.#runner.run(); // what was known before
    await this.#options.webhook.close(graceMs);
  }

  #limiterChanged(known: Required<Pick<Watched, 'quota' | 'breaker'>>): void {
    const isDown = known.breaker?.reason === 'outage';
    this.#changed({ ...known, serviceDownSinceMs: since(isDown, this.#watched.serviceDownSinceMs) });
  }

  #changed(change: Watched): void {
    Object.assign(this.#watched, change);
    this.#look();
  }

  #look(): void {
    if (this.#board) void this.#runner.run();
  }

  async #tell(): Promise<void> {
    const nowMs = Date.now();
    const due = dueAlerts(this.#watched, nowMs, this.#times);
    const told: { alert: Alert; isDue: boolean }[] = [];
    for (const alert of ALERTS) {
      const isDue = due[alert];
      const before = this.#known.get(alert);
      if (isDue === undefined || isDue === before) continue;
      this.#known.set(alert, isDue);
      if (await this.#isToBeTold(alert, isDue, before ?? false, nowMs)) told.push({ alert, isDue });
    }
    const ofDay = told.filter(({ alert }) => alert in DAY_SHARES);
    for (const each of told) {
      if (ofDay.includes(each) && each !== ofDay.at(-1)) continue;
      this.#options.webhook.send(alertText(each.alert, each.isDue, this.#watched));
      this.#options.log.info({ alert: each.alert, isOver: !each.isDue }, 'alert');
    }
    const nextMs = nextLookMs(this.#watched, nowMs, this.#times);
    if (nextMs !== undefined) this.#timer.set(nextMs);
  }

  async #isToBeTold(alert: Alert, isDue: boolean, wasDue: boolean, nowMs: number): Promise<boolean> {
    const name = OF_PROCESS.has(alert) ? `${alert} ${this.#options.processName}` : alert;
    if (!isDue) {
      const isRecorded = await this.#board?.clear(name);
      return this.#unrecorded.delete(alert) || (isRecorded ?? wasDue);
    }
    const isFirst = await this.#board?.raise(name, toldUntilMs(alert, this.#watched, nowMs));
    if (isFirst === undefined) this.#unrecorded.add(alert);
    return isFirst ?? true;
  }

  get #times(): AlertTimes {
    return this.#options.times ?? ALERT_TIMES;
  }
}

function since(isAway: boolean, sinceMs: number | undefined): number | undefined {
  return isAway ? (sinceMs ?? Date.now()) : undefined;
}
