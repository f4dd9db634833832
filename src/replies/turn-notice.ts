/** A shorter wait needs no words: "thinking…" says enough. */
const WORTH_SHOWING_MS = 3_000;
/** A time that is off by less is still right, and every edit is a request to Discord. */
const WORTH_CORRECTING_MS = 15_000;

/** Tells a waiting member when the turn comes, one edit after the other; what is out of date by then is left out. */
export class TurnNotice {
  readonly #show: (turnAtMs: number) => Promise<void>;
  #turnAtMs: number | undefined;
  #toldAtMs: number | undefined;
  #shown = Promise.resolve();

  /** @param show must not reject */
  constructor(show: (turnAtMs: number) => Promise<void>) {
    this.#show = show;
  }

  /** The turn is to be expected then. */
  expect(turnAtMs: number): void {
    this.#turnAtMs = turnAtMs;
    this.#shown = this.#shown.then(() => this.#tell());
  }

  /** The turn has come, or never will. @returns when the last edit is through */
  end(): Promise<void> {
    this.#turnAtMs = undefined;
    return this.#shown;
  }

  async #tell(): Promise<void> {
    const turnAtMs = this.#turnAtMs;
    if (turnAtMs === undefined || !worthTelling(this.#toldAtMs, turnAtMs, Date.now())) return;
    this.#toldAtMs = turnAtMs;
    await this.#show(turnAtMs);
  }
}

/** Whether a waiting member should be told when the turn comes, given what they were told before. */
export function worthTelling(toldAtMs: number | undefined, turnAtMs: number, nowMs: number): boolean {
  if (turnAtMs - nowMs <= WORTH_SHOWING_MS) return false;
  return toldAtMs === undefined || Math.abs(turnAtMs - toldAtMs) > WORTH_CORRECTING_MS;
}
