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
