import { setTimeout as sleep } from 'node:timers/promises';
import { CloseCodes, type IIdentifyThrottler, type WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { Logger } from '../../log.ts';
import type { IdentifyTurns } from './identify-turns.ts';
import { refusedWaitMs } from './identify-wait.ts';

export interface IdentifyThrottlerOptions {
  maxConcurrency: number;
  turns: IdentifyTurns;
  log: Logger;
  /** After so many refusals in a row. */
  waitMs?: (refusals: number) => number;
}

/**
 * Lets a shard identify when it is its turn. Without turns that all processes share, two can come at once; Discord
 * answers the later one with op 9, and discord.js tries again in half a second, whatever the reason.
 */
export class IdentifyThrottler implements IIdentifyThrottler {
  readonly #options: IdentifyThrottlerOptions;
  /** Identifies in a row that did not lead to READY. */
  readonly #unanswered = new Map<number, number>();

  constructor(manager: WebSocketManager, options: IdentifyThrottlerOptions) {
    this.#options = options;
    manager.on(WebSocketShardEvents.Ready, ({ shardId }) => void this.#unanswered.delete(shardId));
    // Op 9 closes with 1000, or with no event at all. Any other code is a broken line, for which there is a wait already.
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => {
      if (code !== CloseCodes.Normal) this.#unanswered.delete(shardId);
    });
  }

  /** @throws AbortError when the connection was closed meanwhile: the shard comes again with its next one */
  async waitForIdentify(shard: number, signal: AbortSignal): Promise<void> {
    const { maxConcurrency, turns, log, waitMs: afterRefusals = refusedWaitMs } = this.#options;
    const refusals = this.#unanswered.get(shard) ?? 0;
    if (refusals > 0) {
      const waitMs = afterRefusals(refusals);
      log.info({ shard, refusals, waitMs }, 'identify came to nothing, trying again later');
      await sleep(waitMs, undefined, { signal });
    }
    for (let waitMs = await turns.take(shard % maxConcurrency); waitMs > 0; ) {
      await sleep(waitMs, undefined, { signal });
      waitMs = await turns.take(shard % maxConcurrency);
    }
    signal.throwIfAborted();
    this.#unanswered.set(shard, refusals + 1);
  }
}
