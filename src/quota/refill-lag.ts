/** A way to the service and back takes less, also for the first request of a process; what takes longer is the service. */
const LONGEST_LAG_MS = 250;

/**
 * The service's bucket begins to refill when the first request of a full one arrives there, and that is later than its
 * token was taken here. Unheeded, the lag uses up the token that is kept back, and a burst costs a 429: at ten requests a
 * second a process that is cold takes longer over its first than a token takes to come. After a pause the service's may be
 * full, too: then its probe is the first.
 */
export class RefillLag {
  #takenAtMs: number | undefined;

  /** A token was taken from a bucket that is full, here or there. */
  tookFromFull(nowMs: number): void {
    this.#takenAtMs ??= nowMs;
  }

  /** A request has ended, so that one has arrived. @returns by how much later the bucket is full, told once */
  arrived(nowMs: number): number {
    const takenAtMs = this.#takenAtMs;
    this.#takenAtMs = undefined;
    return takenAtMs === undefined ? 0 : Math.min(Math.max(0, nowMs - takenAtMs), LONGEST_LAG_MS);
  }
}
