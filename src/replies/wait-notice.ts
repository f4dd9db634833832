/** A shorter wait is left at "thinking…". */
const MIN_SHOWN_MS = 3_000;
/** A time that is off by less stays, because every edit is a request to Discord. */
const MIN_MOVED_MS = 15_000;

/** Shows a waiting member when the permit is expected, one edit after the other; outdated times are skipped. */
export class WaitNotice {
  readonly #show: (permitAtMs: number) => Promise<void>;
  #permitAtMs: number | undefined;
  #shownAtMs: number | undefined;
  #edits = Promise.resolve();

  /** @param show must not reject */
  constructor(show: (permitAtMs: number) => Promise<void>) {
    this.#show = show;
  }

  /** The permit is expected at that time. */
  expect(permitAtMs: number): void {
    this.#permitAtMs = permitAtMs;
    this.#edits = this.#edits.then(() => this.#update());
  }

  /** There is a permit, or there will be none. @returns when the last edit has ended */
  end(): Promise<void> {
    this.#permitAtMs = undefined;
    return this.#edits;
  }

  async #update(): Promise<void> {
    const permitAtMs = this.#permitAtMs;
    if (permitAtMs === undefined || !isWorthShowing(this.#shownAtMs, permitAtMs, Date.now())) return;
    this.#shownAtMs = permitAtMs;
    await this.#show(permitAtMs);
  }
}

/** Whether to show a waiting member when the permit is expected, given the time that is shown already. */
export function isWorthShowing(shownAtMs: number | undefined, permitAtMs: number, nowMs: number): boolean {
  if (permitAtMs - nowMs <= MIN_SHOWN_MS) return false;
  return shownAtMs === undefined || Math.abs(permitAtMs - shownAtMs) > MIN_MOVED_MS;
}
