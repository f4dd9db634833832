import { hear, Incident, type Logger } from '../log.ts';
import { type BackOff, backOffMs } from '../time/back-off.ts';
import { withTimeout } from '../time/timers.ts';

/** A line of the log. */
interface Line {
  level: string;
  msg: string;
  /** What begins with it, and lasts until a line of the same `over`. */
  outage?: string;
  over?: string;
}

const ALARMING = new Set(['warn', 'error', 'fatal']);
/** One kind of message is told once in this time. */
const QUIET_MS = 3_600_000;
const TIMEOUT_MS = 5_000;
const RETRY: BackOff = { firstMs: 5_000, longestMs: 10 * 60_000 };
/** After an outage of the webhook that lasts for days, the last messages are enough. */
const MOST_WAITING = 20;

/**
 * Sends the warnings and errors of a log to a Discord webhook, each kind once an hour, and the line with which it is
 * over. Only the message is sent: fields may name members and cards. While the webhook fails, messages wait in memory,
 * in order.
 */
export class Alerts {
  readonly #url: string;
  readonly #retry: BackOff;
  readonly #outage: Incident;
  readonly #endHearing: () => void;
  readonly #quietUntilMs = new Map<string, number>();
  /** Messages with which an outage began. */
  readonly #lasting = new Map<string, { outage: string; isTold: boolean }>();
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param url secret: whoever has it can write */
  constructor(url: string, log: Logger, retry = RETRY) {
    this.#url = url;
    this.#retry = retry;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'alerts cannot be sent: check ALERT_WEBHOOK_URL',
      ends: 'alerts are sent again',
    });
    this.#endHearing = hear(log, (line) => this.#heard(JSON.parse(line)));
  }

  /** Leaves what waits `graceMs` to arrive; the rest is lost. */
  async close(graceMs: number): Promise<void> {
    this.#endHearing();
    this.#isClosed = true;
    if (this.#failures === 0) await withTimeout(graceMs, this.#sendWaiting());
    clearTimeout(this.#retryTimer);
  }

  #heard({ level, msg, outage, over }: Line): void {
    const ended = [...this.#lasting].filter(([, lasting]) => lasting.outage === over);
    for (const [begun] of ended) this.#lasting.delete(begun);
    if (ended.some(([, { isTold }]) => isTold)) this.#send(msg);
    if (!ALARMING.has(level)) return;
    if (outage !== undefined && !this.#lasting.has(msg)) this.#lasting.set(msg, { outage, isTold: false });
    const quietMs = (this.#quietUntilMs.get(msg) ?? 0) - Date.now();
    if (quietMs <= 0) this.#tell(msg);
    else if (this.#isOwed(msg)) setTimeout(() => this.#isOwed(msg) && this.#tell(msg), quietMs).unref();
  }

  /** Whether it began again within the hour, and lasts: otherwise it would never be told. */
  #isOwed(msg: string): boolean {
    return this.#lasting.get(msg)?.isTold === false;
  }

  #tell(msg: string): void {
    this.#quietUntilMs.set(msg, Date.now() + QUIET_MS);
    const lasting = this.#lasting.get(msg);
    if (lasting) lasting.isTold = true;
    this.#send(msg);
  }

  #send(text: string): void {
    this.#waiting = [...this.#waiting, text].slice(-MOST_WAITING);
    if (this.#failures === 0) void this.#sendWaiting(); // otherwise the timer does
  }

  #sendWaiting(): Promise<void> {
    this.#sending ??= this.#sendInOrder().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendInOrder(): Promise<void> {
    for (let [text] = this.#waiting; text !== undefined; [text] = this.#waiting) {
      const { failure, retryInMs } = await this.#post(text);
      if (failure === undefined) this.#outage.succeeded();
      else this.#outage.failed({ reason: failure });
      if (retryInMs !== undefined) {
        const waitMs = Math.max(retryInMs, backOffMs(++this.#failures, this.#retry));
        if (!this.#isClosed) this.#retryTimer = setTimeout(() => void this.#sendWaiting(), waitMs).unref();
        return;
      }
      this.#failures = 0;
      if (this.#waiting[0] === text) this.#waiting = this.#waiting.slice(1);
    }
  }

  /** @returns why it failed, and how long to wait at least when a further try may succeed */
  async #post(content: string): Promise<{ failure?: string; retryInMs?: number }> {
    try {
      const { ok, status, headers, body } = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ content, allowed_mentions: { parse: [] } }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await body?.cancel();
      if (ok) return {};
      const failure = `answered ${status}`;
      return status === 400 ? { failure } : { failure, retryInMs: Number(headers.get('Retry-After')) * 1000 || 0 };
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return { failure: cause?.code ?? (error as Error).name, retryInMs: 0 }; // the rest may hold the address
    }
  }
}
