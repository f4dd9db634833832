/** A shorter wait needs no words: "thinking…" says enough. */
const WORTH_SHOWING_MS = 3_000;
/** A time that is off by less is still right, and every edit is a request to Discord. */
const WORTH_CORRECTING_MS = 15_000;

/** Tells a waiting member when the turn comes, one edit after the other; what is out of date by then is left out. */
export class WaitNotice {
  readonly #show: (permitAtMs: number) => Promise<void>;
  #permitAtMs: number | undefined;
  #toldAtMs: number | undefined;
  #shown = Promise.resolve();

  /** @param show must not reject */
  constructor(show: (permitAtMs: number) => Promise<void>) {
    this.#show = show;
  }

  /** The turn is to be expected then. */
  expect(permitAtMs: number): void {
    this.#permitAtMs = permitAtMs;
    this.#shown = this.#shown.then(() => this.#tell());
  }

  /** The turn has come, or never will. @returns when the last edit is through */
  end(): Promise<void> {
    this.#permitAtMs = undefined;
    return this.#shown;
  }

  async #tell(): Promise<void> {
    const permitAtMs = this.#permitAtMs;
    if (permitAtMs === undefined || !worthTelling(this.#toldAtMs, permitAtMs, Date.now())) return;
    this.#toldAtMs = permitAtMs;
    await this.#show(permitAtMs);
  }
}

/** Whether a waiting member should be told when the turn comes, given what they were told before. */
export function worthTelling(toldAtMs: number | undefined, permitAtMs: number, nowMs: number): boolean {
  if (permitAtMs - nowMs <= WORTH_SHOWING_MS) return false;
  return toldAtMs === undefined || Math.abs(permitAtMs - toldAtMs) > WORTH_CORRECTING_MS;
}
