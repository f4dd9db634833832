/** The day of quota and budgets is UTC's. */
export const DAY_MS = 24 * 3600 * 1000;
export const HOUR_MS = 3600 * 1000;
/** A month on average. */
export const MONTH_MS = (365.25 / 12) * DAY_MS;

/** Counts are kept so long, and what is put aside of files: a month, and some days in which to look at it. */
export const KEPT_DAYS = 35;

/** The first midnight after `atMs`; at midnight, the next one. */
export function nextUtcMidnightMs(atMs: number): number {
  return (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;
}

/** The first UTC midnight after `atMs` at which a month begins on its day of that number, 1 to 28. */
export function nextMonthMs(atMs: number, day: number): number {
  const at = new Date(atMs);
  const beginsMs = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, day);
  return atMs < beginsMs(0) ? beginsMs(0) : beginsMs(1);
}

/** The day of a time, such as `2026-11-21`: UTC's. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The hour of that day, 0 to 23. */
export function utcHour(atMs: number): number {
  return Math.floor((24 * (atMs % DAY_MS)) / DAY_MS);
}

/** The first wait and the longest one. */
export interface BackOff {
  firstMs: number;
  longestMs: number;
}

/** How long a card is left alone after a failure; and the service, after one that may be the beginning of an outage. */
export const LOOKUP_BACK_OFF: BackOff = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Exponential back-off: the wait after the n-th failure in a row (n from 1), doubling from `firstMs` up to `longestMs`.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (Math.max(1, failures) - 1), longestMs);
}

const JITTER_SHARE = 0.2;
const LONGEST_JITTER_MS = 2_000;

/**
 * Lengthens a wait by at most 20 %, and at most 2 s, so that several processes with the same wait spread out.
 *
 * @param random from 0 up to 1
 */
export function withJitter(waitMs: number, random: number): number {
  return waitMs + random * Math.min(waitMs * JITTER_SHARE, LONGEST_JITTER_MS);
}

/** Timers count 32 bits of milliseconds; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A single timer: setting it replaces the time that was set before. Fires early when that is over 24 days away. */
export class Timer {
  readonly #callback: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(callback: () => void) {
    this.#callback = callback;
  }

  set(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#callback, Math.min(Math.max(0, Math.ceil(atMs - Date.now())), LONGEST_TIMER_MS));
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Does something again and again, which does not keep the process running. @returns ends it */
export function every(intervalMs: number, work: () => void): () => void {
  const timer = setInterval(work, intervalMs).unref();
  return () => clearInterval(timer);
}

/** Runs one piece of work at a time; a call while it runs makes it run once more. */
export class SingleRunner {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isRequested = false;

  /** @param work must not reject */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** @returns when all that was asked for is done */
  run(): Promise<void> {
    this.#isRequested = true;
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#isRequested) {
      this.#isRequested = false;
      await this.#work();
    }
    this.#running = undefined;
  }
}

/** @returns the result of `work`, or `undefined` after the limit; the work itself continues. @throws what `work` throws within it */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** How far the clock of a server is ahead of this machine's, measured from its answers. */
export class RemoteClock {
  /** Ahead of the monotonic clock, so that it matters to nobody if this machine's is set. */
  #aheadOfMonotonicMs: number | undefined;
  #tripMs = Infinity;

  /** 0 before the first answer. */
  get aheadMs(): number {
    if (this.#aheadOfMonotonicMs === undefined) return 0;
    return Math.round(this.#aheadOfMonotonicMs + performance.now() - Date.now());
  }

  /**
   * A round trip takes time, not the same each way: accepts only a better measurement, or the jump of a clock.
   *
   * @param sentAtMs by the monotonic clock, like `receivedAtMs`
   */
  observe(serverMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = receivedAtMs - sentAtMs;
    const aheadMs = serverMs - (sentAtMs + receivedAtMs) / 2;
    const knownMs = this.#aheadOfMonotonicMs ?? aheadMs;
    const jumped = Math.abs(aheadMs - knownMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs >= this.#tripMs && !jumped) return;
    this.#aheadOfMonotonicMs = aheadMs;
    this.#tripMs = tripMs;
  }
}
