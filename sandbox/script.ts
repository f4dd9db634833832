/** What is dictated for the next requests, in order; each entry for one of them, or for `times`. */
export class Script<Entry extends { times?: number | undefined }> {
  /** Requests that an entry was taken for. */
  met = 0;
  #waiting: { entry: Entry; left: number }[] = [];

  script(...entries: readonly Entry[]): void {
    this.#waiting.push(...entries.map((entry) => ({ entry, left: entry.times ?? 1 })));
  }

  /** Requests that an entry still waits for. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Takes the first entry that says something to a request. @returns what it says; undefined = none does */
  take<Said>(ask: (entry: Entry) => Said | undefined): Said | undefined {
    for (const waiting of this.#waiting) {
      const said = ask(waiting.entry);
      if (said === undefined) continue;
      this.met++;
      waiting.left--;
      if (waiting.left <= 0) this.#waiting = this.#waiting.filter((other) => other !== waiting);
      return said;
    }
    return undefined;
  }
}
