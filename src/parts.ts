import type { Config } from './config/config.ts';
import type { Services } from './discord/interactions/command.ts';
import type { Logger } from './log.ts';
import { AddressDoubt } from './lookup/address-doubt.ts';
import { Cards } from './lookup/cards.ts';
import { LookupQueue } from './lookup/lookup-queue.ts';
import { UsageReports } from './lookup/usage-reports.ts';
import { Budget } from './quota/budget.ts';
import { plannedDay } from './quota/pace.ts';
import { NumberFormats } from './render/numbers.ts';
import { CardService } from './service/card-service.ts';
import type { openRedisState } from './storage/redis/redis-state.ts';
import { openSqliteState } from './storage/sqlite/sqlite-state.ts';
import type { State } from './storage/state.ts';

/** The parts that answer questions, whoever asks them. */
export interface OpenServices {
  services: Services;
  /** Closed last. What waits and what is under way is ended before, by `line.close()` and `usage.close()`. */
  state: State;
}

/**
 * All that knows nothing of Discord, joined: cards, quota and the waiting line, over the state of this process alone or,
 * with `REDIS_URL`, of several.
 *
 * @param options.fetch reaches the card service; global `fetch` unless given
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function openServices(
  config: Config,
  log: Logger,
  { signal, fetch }: { signal?: AbortSignal; fetch?: typeof globalThis.fetch } = {},
): Promise<OpenServices> {
  const state = config.redis ? await openShared(config, config.redis, log) : await openSqliteState(config, log, signal);
  const { cardStore, limiter, ledger, queueExchange, cardLock, board } = state;
  const { longestWaitMs } = config;

  const addressDoubt = new AddressDoubt(cardStore, log);
  const service = new CardService({
    ...config.cardService,
    ...(fetch && { fetch }),
    onQuota: (reading) => limiter.hear(reading),
    onNoSuchCard: (id, tag) => void addressDoubt.noSuchCard(id, tag),
  });
  const cards = new Cards({ store: cardStore, service, limiter, lifetimes: config.freshness });
  const budget = new Budget({ ledger, limiter, setting: config.shares, plannedDay: plannedDay(config.plan) });
  const line = new LookupQueue({ cards, limiter, ledger, budget, queueExchange, cardLock, log, longestWaitMs });
  const hasKey = config.cardService.apiKey !== undefined;
  const usage = new UsageReports({ service, limiter, ledger, board, log, hasKey });
  const numbers = new NumberFormats(config.currency);
  return { services: { cards, line, usage, budget, limiter, ledger, numbers, longestWaitMs }, state };
}

/** Loaded only when it is wanted: 25 MB and a tenth of a second that a single process does without. */
async function openShared(...options: Parameters<typeof openRedisState>): Promise<State> {
  const { openRedisState } = await import('./storage/redis/redis-state.ts');
  return openRedisState(...options);
}
