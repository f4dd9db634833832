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

/** What is known of one message. */
interface Kind {
  quietUntilMs: number;
  /** The outage that lasts since it was logged, and whether it was told of it. */
  lasting?: { outage: string; isTold: boolean } | undefined;
}

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
  readonly #kinds = new Map<string, Kind>();
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

  #heard({ level, msg, outage, over }: Line): void {
    if (over !== undefined && this.#endTold(over)) this.#send(msg);
    if (!ALARMING.has(level)) return;
    const kind = this.#kinds.get(msg) ?? { quietUntilMs: 0 };
    this.#kinds.set(msg, kind);
    if (outage !== undefined) kind.lasting ??= { outage, isTold: false };
    const quietMs = kind.quietUntilMs - Date.now();
    if (quietMs <= 0) this.#tell(msg, kind);
    // It began again within the hour: otherwise what lasts would never be told.
    else if (kind.lasting?.isTold === false)
      setTimeout(() => kind.lasting?.isTold === false && this.#tell(msg, kind), quietMs).unref();
  }

  /** @returns whether anything that is over was told */
  #endTold(over: string): boolean {
    const ended = [...this.#kinds.values()].filter(({ lasting }) => lasting?.outage === over);
    const isTold = ended.some(({ lasting }) => lasting?.isTold);
    for (const kind of ended) kind.lasting = undefined;
    return isTold;
  }

  #tell(msg: string, kind: Kind): void {
    kind.quietUntilMs = Date.now() + QUIET_MS;
    if (kind.lasting) kind.lasting.isTold = true;
    this.#send(msg);
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
