import { Incident, type Logger } from '../log.ts';
import { backOffMs } from '../time/back-off.ts';
import { Timer, withTimeout } from '../time/timers.ts';

/** What became of one message. `later`: a further try may succeed, `waitMs` from now at the soonest. */
type Sent = { kind: 'sent' } | { kind: 'refused'; reason: string } | { kind: 'later'; reason: string; waitMs: number };

const TIMEOUT_MS = 5_000;
const RETRY = { firstMs: 5_000, longestMs: 10 * 60_000 };
/** Of an outage that lasts for days, the last messages are enough. */
const MOST_WAITING = 20;

/** A Discord webhook. Messages arrive in order; while it fails they wait, and the log has one line. */
export class Webhook {
  readonly #url: string;
  readonly #retry: { firstMs: number; longestMs: number };
  readonly #outage: Incident;
  readonly #waiting: string[] = [];
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

  send(text: string): void {
    this.#waiting.push(text);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    if (this.#failures === 0) void this.#flush(); // otherwise the timer does
  }

  /** Leaves what is under way `graceMs` to arrive. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.length > 0) await withTimeout(graceMs, this.#flush());
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
      const sent = await this.#sendOne(text);
      if (sent.kind === 'later') {
        this.#outage.failed({ reason: sent.reason });
        const waitMs = Math.max(sent.waitMs, backOffMs(++this.#failures, this.#retry));
        if (!this.#isClosed) this.#timer.set(Date.now() + waitMs);
        return;
      }
      this.#failures = 0;
      if (this.#waiting[0] === text) this.#waiting.shift();
      if (sent.kind === 'refused') this.#outage.failed({ reason: sent.reason });
      else this.#outage.succeeded();
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
      return { kind: 'later', reason: cause?.code ?? (error as Error).name, waitMs: 0 };
    }
  }
}

function sentWith(status: number, retryAfterSeconds: number): Sent {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `answered ${status}`;
  if (status !== 429 && status !== 408 && status < 500) return { kind: 'refused', reason };
  return { kind: 'later', reason, waitMs: retryAfterSeconds > 0 ? retryAfterSeconds * 1000 : 0 };
}
