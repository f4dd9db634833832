/** How far Redis's clock is ahead of this process's, measured from its answers. */
export class RedisClock {
  #aheadMs = 0;
  #tripMs = Number.POSITIVE_INFINITY;

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** A round trip takes time, not the same each way: accepts only a better measurement, or the jump of a clock. */
  observe(redisMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = Math.max(0, receivedAtMs - sentAtMs); // negative when this clock was set back meanwhile
    const aheadMs = Math.round(redisMs - (sentAtMs + receivedAtMs) / 2);
    const jumped = Math.abs(aheadMs - this.#aheadMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs >= this.#tripMs && !jumped) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
  }
}
