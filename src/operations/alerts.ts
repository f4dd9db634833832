import { setTimeout as sleep } from 'node:timers/promises';
import { hear, Incident, type Logger } from '../log.ts';
import { type BackOff, backOffMs, withTimeout } from '../time.ts';

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
  /** By messages that were told: until when they are not told again. */
  readonly #quietUntilMs = new Map<string, number>();
  /** By outages that last: the messages that have told of them. */
  readonly #lasting = new Map<string, Set<string>>();
  readonly #waiting: string[] = [];
  readonly #closing = new AbortController();
  #sending: Promise<void> | undefined;

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
    this.#closing.abort();
    await withTimeout(graceMs, Promise.resolve(this.#sending));
  }

  #heard({ level, msg, outage = '', over = '' }: Line): void {
    if (this.#lasting.get(over)?.size) this.#send(msg);
    this.#lasting.delete(over);
    if (!ALARMING.has(level)) return;
    const told = this.#lasting.get(outage) ?? new Set<string>();
    if (outage !== '') this.#lasting.set(outage, told);
    const tell = () => {
      this.#quietUntilMs.set(msg, Date.now() + QUIET_MS);
      told.add(msg);
      this.#send(msg);
    };
    const quietMs = (this.#quietUntilMs.get(msg) ?? 0) - Date.now();
    const isToTell = () => this.#lasting.get(outage) === told && !told.has(msg);
    if (quietMs <= 0) tell();
    // An outage that began again within the hour would otherwise never be told, however long it lasts.
    else if (isToTell()) setTimeout(() => isToTell() && tell(), quietMs).unref();
  }

  #send(text: string): void {
    this.#waiting.push(text);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#sending ??= this.#sendInOrder().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendInOrder(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    for (let [text] = this.#waiting; text !== undefined; [text] = this.#waiting) {
      const { failure, retryInMs } = await this.#post(text);
      if (failure === undefined) this.#outage.succeeded();
      else this.#outage.failed({ reason: failure });
      if (retryInMs !== undefined) {
        const waitMs = Math.max(retryInMs, backOffMs(++failures, this.#retry));
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
        if (signal.aborted) return;
      } else {
        failures = 0;
        if (this.#waiting[0] === text) this.#waiting.shift();
      }
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
