const DISCORD_EPOCH_MS = 1_420_070_400_000; // 2015-01-01, reference.md "Snowflakes"
const IDS_PER_MS = 4_096; // 12 bits of increment

/** Generates Discord ids: unique, ascending, and with their creation time. */
export class Snowflakes {
  #ms = 0;
  #increment = 0;

  next(nowMs = Date.now()): string {
    if (nowMs > this.#ms) {
      this.#ms = nowMs;
      this.#increment = 0;
    } else if (++this.#increment === IDS_PER_MS) {
      this.#ms++;
      this.#increment = 0;
    }
    return String((BigInt(this.#ms - DISCORD_EPOCH_MS) << 22n) | BigInt(this.#increment));
  }
}

/** The creation time of an id, in ms since the Unix epoch. */
export function snowflakeTimeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The shard that gets a guild's events; direct messages (null) go to shard 0. Gateway docs, "Sharding". */
export function shardOf(guildId: string | null, shardCount: number): number {
  return guildId === null ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(shardCount));
}
