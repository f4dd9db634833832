/** How far Redis's clock is ahead of ours, from what it said and when. */
export class RedisClock {
  #aheadMs = 0;
  #tripMs = Number.POSITIVE_INFINITY;

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Trips take time, and not the same each way: only a better measurement, or a jump of a clock, is believed. */
  heard(redisMs: number, sentAtMs: number, receivedAtMs: number): void {
    const tripMs = Math.max(0, receivedAtMs - sentAtMs); // less when our clock was set back meanwhile
    const aheadMs = Math.round(redisMs - (sentAtMs + receivedAtMs) / 2);
    const jumped = Math.abs(aheadMs - this.#aheadMs) > tripMs / 2 + this.#tripMs / 2 + 1;
    if (tripMs >= this.#tripMs && !jumped) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
  }
}
