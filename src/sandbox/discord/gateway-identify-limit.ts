export interface IdentifyLimits {
  /** So many shards may identify at once: those with different `shard_id % max_concurrency`. */
  maxConcurrency: number;
  /** 0 = no limit. */
  windowMs: number;
}

/** Takes one identify in each window for each key, whichever process it is from; events/gateway, "Rate Limiting". */
export class GatewayIdentifyLimit {
  readonly #limits: IdentifyLimits;
  readonly #takenAtMs = new Map<number, number>();
  #refused = 0;

  constructor(limits: IdentifyLimits) {
    this.#limits = limits;
  }

  /** Identifies that came too soon so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether the shard may identify now. One that may not does not make the others wait longer. */
  take(shardId: number, nowMs: number): boolean {
    const { maxConcurrency, windowMs } = this.#limits;
    const key = shardId % maxConcurrency;
    if (nowMs - (this.#takenAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < windowMs) {
      this.#refused++;
      return false;
    }
    this.#takenAtMs.set(key, nowMs);
    return true;
  }
}
