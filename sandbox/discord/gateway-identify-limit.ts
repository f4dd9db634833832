export interface IdentifyLimits {
  /** Number of shards that may identify at once: those with different `shard_id % max_concurrency`. */
  maxConcurrency: number;
  /** 0 = no limit. */
  windowMs: number;
}

/** Allows one identify per window and rate limit key, from any process; events/gateway, "Rate Limiting". */
export class GatewayIdentifyLimit {
  readonly #limits: IdentifyLimits;
  readonly #takenAtMs = new Map<number, number>();
  /** Identifies that were refused so far. */
  refused = 0;

  constructor(limits: IdentifyLimits) {
    this.#limits = limits;
  }

  /** Whether the shard may identify now. A refused identify does not extend the window. */
  take(shardId: number, nowMs: number): boolean {
    const { maxConcurrency, windowMs } = this.#limits;
    const key = shardId % maxConcurrency;
    if (nowMs - (this.#takenAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < windowMs) {
      this.refused++;
      return false;
    }
    this.#takenAtMs.set(key, nowMs);
    return true;
  }
}
