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
