import { Incident, type Logger } from '../log.ts';
import { backOffMs } from '../time/back-off.ts';
import { Timer, withTimeout } from '../time/timers.ts';

/** What became of one message: why it failed, and how long to wait at least when a further try may succeed. */
interface Sent {
  failure?: string;
  retryInMs?: number;
}

const TIMEOUT_MS = 5_000;
const RETRY = { firstMs: 5_000, longestMs: 10 * 60_000 };
/** However long a webhook asks to wait. */
const LONGEST_WAIT_MS = 3_600_000;
/** After an outage that lasts for days, the last messages are enough. */
const MOST_WAITING = 20;

/** A Discord webhook. Messages arrive in order; while it fails they wait, over restarts, and the log has one line. */
export class Webhook {
  readonly #url: string;
  readonly #retry: { firstMs: number; longestMs: number };
  readonly #outage: Incident;
  #waiting: string[] = [];
  #keep: () => void = () => {};
  readonly #timer = new Timer(() => void this.#flush());
  #failures = 0;
  #isClosed = false;
  #flushing: Promise<void> | undefined;

  /** @param url secret: whoever has it can write */
  constructor(url: string, log: Logger, retry = RETRY) {
    this.#url = url;
    this.#retry = retry;
    this.#outage = new Incident(log, {
      level: 'warn',
      begins: 'alerts cannot be sent: check ALERT_WEBHOOK_URL',
      ends: 'alerts are sent again',
    });
  }

  /** Messages that are not known to have arrived. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** Sends what was waiting when the process last ended. @param keep called whenever what waits has changed */
  start(waiting: readonly string[], keep: () => void): void {
    this.#keep = keep;
    this.#waiting = waiting.slice(-MOST_WAITING);
    if (waiting.length > 0) void this.#flush();
  }

  send(texts: readonly string[]): void {
    this.#waiting = [...this.#waiting, ...texts].slice(-MOST_WAITING);
    this.#keep();
    if (this.#failures === 0) void this.#flush(); // otherwise the timer does
  }

  /** Leaves what is under way `graceMs` to arrive. What fails is left to the next start. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#failures === 0 && this.#waiting.length > 0) await withTimeout(graceMs, this.#flush());
    this.#timer.clear();
  }

  #flush(): Promise<void> {
    this.#flushing ??= this.#sendAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #sendAll(): Promise<void> {
    for (let [text] = this.#waiting; text !== undefined; [text] = this.#waiting) {
      const { failure, retryInMs } = await this.#sendOne(text);
      if (failure === undefined) this.#outage.succeeded();
      else this.#outage.failed({ reason: failure });
      if (retryInMs !== undefined) {
        const waitMs = Math.max(retryInMs, backOffMs(++this.#failures, this.#retry));
        if (!this.#isClosed) this.#timer.set(Date.now() + waitMs);
        return;
      }
      this.#failures = 0;
      if (this.#waiting[0] === text) this.#waiting = this.#waiting.slice(1);
      this.#keep();
    }
  }

  /** Nothing of an error of `fetch` is logged but its code: it may hold the address. */
  async #sendOne(text: string): Promise<Sent> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ content: text, allowed_mentions: { parse: [] } }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return sentWith(response.status, Number(response.headers.get('Retry-After')));
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return { failure: cause?.code ?? (error as Error).name, retryInMs: 0 };
    }
  }
}

/** The address is wrong, or the webhook was deleted: an operator has to correct it, and the message waits. */
const WRONG_ADDRESS = new Set([301, 302, 303, 307, 308, 401, 403, 404, 405]);

function sentWith(status: number, retryAfterSeconds: number): Sent {
  if (status >= 200 && status < 300) return {};
  const failure = `answered ${status}`;
  if (WRONG_ADDRESS.has(status)) return { failure, retryInMs: LONGEST_WAIT_MS };
  if (status !== 429 && status !== 408 && status < 500) return { failure };
  return { failure, retryInMs: Math.min((retryAfterSeconds || 0) * 1000, LONGEST_WAIT_MS) };
}
