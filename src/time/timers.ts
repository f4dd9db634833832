/** Timers count 32 bits of milliseconds; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One timer that is only ever set anew. */
export class Timer {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  set(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ring, Math.min(Math.max(0, Math.ceil(atMs - Date.now())), LONGEST_TIMER_MS));
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Runs one piece of work at a time; what asks for it meanwhile makes it run once more. */
export class SingleRunner {
  readonly #work: () => Promise<void>;
  #running = false;
  #again = false;

  /** @param work must not reject */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  async run(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#running = false;
  }
}
