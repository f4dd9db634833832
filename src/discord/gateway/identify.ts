import { setTimeout as sleep } from 'node:timers/promises';
import { CloseCodes, type IIdentifyThrottler, type WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { Logger } from '../../log.ts';
import { type Claims, isMine } from '../../model/claims.ts';
import { backOffMs } from '../../time/back-off.ts';

/**
 * Discord accepts one identify in 5 s (events/gateway, "Rate Limiting"); the rest is a margin for identifies that
 * overtake each other on their way. An identify counts even if its process is gone.
 */
const SLOT = { ttlMs: 5_500, endsWithOwner: false };

/** An identify is refused when another of the same key came less than this before it. */
const WINDOW_MS = 5_000;
const SHORTEST_MS = 1_000;
/** 100 s in the mean: a whole day of refusals stays under the 1,000 identifies after which Discord resets the token. */
const SPREAD = { firstMs: 4_000, longestMs: 188_000 };

/**
 * Milliseconds before the next identify of a shard whose last ones were refused: until the identify that was accepted
 * no longer counts, and then Discord's advice, 1 to 5 s at random, so that shards that were refused together spread
 * out. The spread widens with the number of refusals, which suggests more shards.
 */
export function refusedWaitMs(refusals: number, random = Math.random): number {
  const spreadMs = backOffMs(refusals, SPREAD);
  return Math.round(WINDOW_MS + SHORTEST_MS + spreadMs * random());
}

export interface IdentifyThrottlerOptions {
  maxConcurrency: number;
  claims: Pick<Claims, 'claim'>;
  log: Logger;
  /** The wait after this many refusals in a row; `refusedWaitMs` unless given. */
  waitMs?: (refusals: number) => number;
}

/**
 * Lets one shard of each rate limit key identify at a time. Two of processes that share nothing can still come at once;
 * Discord answers the later one with op 9, and discord.js tries again in half a second, whatever the reason.
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
    const { maxConcurrency, claims, log, waitMs: afterRefusals = refusedWaitMs } = this.#options;
    const refusals = this.#unanswered.get(shard) ?? 0;
    if (refusals > 0) {
      const waitMs = afterRefusals(refusals);
      log.info({ shard, refusals, waitMs }, 'identify refused, trying again later');
      await sleep(waitMs, undefined, { signal });
    }
    for (;;) {
      const claimed = await claims.claim(`identify:${shard % maxConcurrency}`, SLOT);
      if (isMine(claimed)) break;
      await sleep(claimed.heldForMs, undefined, { signal });
    }
    signal.throwIfAborted();
    this.#unanswered.set(shard, refusals + 1);
  }
}
