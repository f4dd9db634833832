/** How far the clock of a server is ahead of this machine's, measured from its answers. */
export class RemoteClock {
  /** Ahead of the monotonic clock, so that it matters to nobody if this machine's is set. */
  #aheadOfMonotonicMs: number | undefined;
  #tripMs = Number.POSITIVE_INFINITY;

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
