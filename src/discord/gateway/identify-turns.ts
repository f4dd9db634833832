/** Who may identify when: one shard at a time of each key, over as many processes as the turns are shared by. */
export interface IdentifyTurns {
  /**
   * Takes the turn of a key, if it is free. Never rejects.
   *
   * @param key `shard_id % max_concurrency`
   * @returns 0: identify now; else ms after which to ask again, and nothing is taken
   */
  take(key: number): Promise<number>;
}

/** Discord's 5 s (events/gateway, "Rate Limiting"), and some for an identify that overtakes another on its way. */
const TURN_MS = 5_500;

/** The turns of this process alone. */
export class LocalIdentifyTurns implements IdentifyTurns {
  readonly #freeAtMs = new Map<number, number>();

  async take(key: number): Promise<number> {
    const nowMs = performance.now();
    const waitMs = Math.ceil((this.#freeAtMs.get(key) ?? 0) - nowMs);
    if (waitMs > 0) return waitMs;
    this.#freeAtMs.set(key, nowMs + TURN_MS);
    return 0;
  }
}
