/** How far the clock of a server is ahead of this machine's, measured from its answers. */
export class RemoteClock {
  #aheadMs = 0;
  #tripMs = Number.POSITIVE_INFINITY;

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** A round trip takes time, not the same each way: accepts only a better measurement, or the jump of a clock. */
  observe(serverMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = Math.max(0, receivedAtMs - sentAtMs); // negative when this clock was set back meanwhile
    const aheadMs = Math.round(serverMs - (sentAtMs + receivedAtMs) / 2);
    const jumped = Math.abs(aheadMs - this.#aheadMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs >= this.#tripMs && !jumped) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
  }
}
