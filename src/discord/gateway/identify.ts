import { setTimeout as sleep } from 'node:timers/promises';
import { CloseCodes, type IIdentifyThrottler, type WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { Logger } from '../../log.ts';
import { backOffMs } from '../../time/back-off.ts';

/** Which shard may identify when: one at a time for each key, over all processes that share the slots. */
export interface IdentifySlots {
  /**
   * Takes the slot of a key if it is free. Never rejects.
   *
   * @param key `shard_id % max_concurrency`
   * @returns 0: identify now; otherwise milliseconds after which to ask again, and nothing is taken
   */
  acquire(key: number): Promise<number>;
}

/** Discord's 5 s (events/gateway, "Rate Limiting"), and a margin for identifies that overtake each other on their way. */
export const SLOT_MS = 5_500;

/** The slots of this process alone. */
export class LocalIdentifySlots implements IdentifySlots {
  readonly #freeAtMs = new Map<number, number>();

  async acquire(key: number): Promise<number> {
    const nowMs = performance.now();
    const waitMs = Math.ceil((this.#freeAtMs.get(key) ?? 0) - nowMs);
    if (waitMs > 0) return waitMs;
    this.#freeAtMs.set(key, nowMs + SLOT_MS);
    return 0;
  }
}

/** An identify is refused when another of the same key came less than this before it. */
const WINDOW_MS = 5_000;
const SHORTEST_MS = 1_000;
/** 100 s in the mean: a whole day of refusals stays under the 1,000 identifies after which Discord resets the token. */
const SPREAD = { firstMs: 4_000, longestMs: 188_000 };

/**
 * Milliseconds before the next identify of a shard whose last ones were refused: until the identify that was accepted no
 * longer counts, and then Discord's advice, 1 to 5 s at random, so that shards that were refused together spread out. The
 * spread widens with the number of refusals, which suggests more shards.
 */
export function refusedWaitMs(refusals: number, random = Math.random): number {
  const spreadMs = backOffMs(refusals, SPREAD);
  return Math.round(WINDOW_MS + SHORTEST_MS + spreadMs * random());
}

export interface IdentifyThrottlerOptions {
  maxConcurrency: number;
  slots: IdentifySlots;
  log: Logger;
  /** The wait after this many refusals in a row; `refusedWaitMs` unless given. */
  waitMs?: (refusals: number) => number;
}

/**
 * Lets a shard identify when it has a slot. Without slots that all processes share, two can come at once; Discord
 * answers the later one with op 9, and discord.js tries again in half a second, whatever the reason.
 */
export class IdentifyThrottler implements IIdentifyThrottler {
  readonly #options: IdentifyThrottlerOptions;
  /** Identifies in a row that did not lead to READY. */
  readonly #unanswered = new Map<number, number>();

  constructor(manager: WebSocketManager, options: IdentifyThrottlerOptions) {
    this.#options = options;
    manager.on(WebSocketShardEvents.Ready, ({ shardId }) => void this.#unanswered.delete(shardId));
    // Op 9 closes with 1000, or without an event. Any other code is a broken connection, which has its own wait.
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => {
      if (code !== CloseCodes.Normal) this.#unanswered.delete(shardId);
    });
  }

  /** @throws AbortError when the connection was closed meanwhile: the shard asks again with its next one */
  async waitForIdentify(shard: number, signal: AbortSignal): Promise<void> {
    const { maxConcurrency, slots, log, waitMs: afterRefusals = refusedWaitMs } = this.#options;
    const refusals = this.#unanswered.get(shard) ?? 0;
    if (refusals > 0) {
      const waitMs = afterRefusals(refusals);
      log.info({ shard, refusals, waitMs }, 'identify refused, trying again later');
      await sleep(waitMs, undefined, { signal });
    }
    for (let waitMs = await slots.acquire(shard % maxConcurrency); waitMs > 0; ) {
      await sleep(waitMs, undefined, { signal });
      waitMs = await slots.acquire(shard % maxConcurrency);
    }
    signal.throwIfAborted();
    this.#unanswered.set(shard, refusals + 1);
  }
}
