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
