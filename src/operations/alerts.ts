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
import { type AlertNotebook, type Found, isNews, type Noted, noteAlert } from './alert-notes.ts';
import { alertText } from './alert-texts.ts';
import { Health } from './health.ts';

/** Which alerts have been told by any of the processes that share it. No method rejects; `undefined`: it cannot be said. */
export interface AlertBoard {
  /** @returns whether no process had told it, so that this one is to */
  raise(alert: string, untilMs: number): Promise<boolean | undefined>;
  /** @returns whether somebody had told it, so that this process is to say that it is over */
  clear(alert: string): Promise<boolean | undefined>;
}

/** They can be due in one of several processes and not in another, so each tells them by itself. */
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
  #board: AlertBoard | undefined;
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

  /** From now on alerts are told. @param board `undefined`: there is no other process */
  start(notebook: AlertNotebook, board: AlertBoard | undefined): void {
    const { alerts, waiting } = notebook.read();
    this.#noted = new Map(Object.entries(alerts));
    this.#board = board;
    this.#notebook = notebook;
    this.#options.webhook.start(waiting, () => this.#save());
    this.#look();
  }

  /** What follows is the bot's own stop, and no alert. */
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
      const found = { isDue, untilMs: toldUntilMs(alert, this.#watched, nowMs), nowMs };
      const before = noted.get(alert);
      if (!isNews(before, found) && before?.isRecorded) continue;
      const note = noteAlert(before, found, await this.#isFirst(alert, found, before));
      noted.set(alert, note.noted);
      if (note.tells) told.push(alert);
    }
    this.#noted = noted; // at once with what is to be sent
    this.#send(told);
    const nextMs = nextLookMs(this.#watched, nowMs, this.#times);
    if (nextMs !== undefined) this.#timer.set(nextMs);
  }

  #send(told: readonly Alert[]): void {
    const { webhook, log } = this.#options;
    const isOver = (alert: Alert) => !this.#noted.get(alert)?.isDue;
    const lastOfDay = told.findLast((alert) => alert in DAY_SHARES);
    const sent = told.filter((alert) => !(alert in DAY_SHARES) || alert === lastOfDay);
    for (const alert of sent) log.info({ alert }, isOver(alert) ? 'alert is over' : 'alert raised');
    webhook.send(sent.map((alert) => alertText(alert, !isOver(alert), this.#watched)));
  }

  /** Whether no other process has told it. */
  async #isFirst(alert: Alert, { isDue, untilMs }: Found, before: Noted | undefined): Promise<boolean | undefined> {
    if (!this.#board || OF_PROCESS.has(alert)) return isDue || (before?.isDue ?? false);
    return isDue ? this.#board.raise(alert, untilMs) : this.#board.clear(alert);
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
