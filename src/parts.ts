import type { Config } from './config.ts';
import type { Parts } from './discord/command.ts';
import { openLocalState } from './local-state.ts';
import type { Logger } from './log.ts';
import { AddressDoubt } from './lookup/address-doubt.ts';
import { CardLookup } from './lookup/card-lookup.ts';
import { UsageDesk } from './lookup/usage-desk.ts';
import { WaitingLine } from './lookup/waiting-line.ts';
import { Budget } from './quota/budget.ts';
import { plannedDay } from './quota/pace.ts';
import { NumberFormats } from './render/numbers.ts';
import { CardService } from './service/card-service.ts';
import type { openSharedState } from './shared-state.ts';
import type { State } from './state.ts';

/** The parts that answer questions, whoever asks them. */
export interface OpenParts {
  parts: Parts;
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
export async function openParts(
  config: Config,
  log: Logger,
  { signal, fetch }: { signal?: AbortSignal; fetch?: typeof globalThis.fetch } = {},
): Promise<OpenParts> {
  const state = config.redis ? await openShared(config, config.redis, log) : await openLocalState(config, log, signal);
  const { cards, pacer, ledger, peers, lease, board } = state;
  const { longestWaitMs } = config;

  const addressDoubt = new AddressDoubt(cards, log);
  const service = new CardService({
    ...config.cardService,
    ...(fetch && { fetch }),
    onQuota: (reading) => pacer.hear(reading),
    onNoSuchCard: (id, tag) => void addressDoubt.noSuchCard(id, tag),
  });
  const lookup = new CardLookup({ store: cards, service, pacer, lifetimes: config.freshness });
  const budget = new Budget({ ledger, pacer, setting: config.shares, plannedDay: plannedDay(config.plan) });
  const line = new WaitingLine({ lookup, pacer, ledger, budget, peers, lease, log, longestWaitMs });
  const hasKey = config.cardService.apiKey !== undefined;
  const usage = new UsageDesk({ service, pacer, ledger, board, log, hasKey });
  const numbers = new NumberFormats(config.currency);
  return { parts: { lookup, line, usage, budget, pacer, ledger, numbers, longestWaitMs }, state };
}

/** Loaded only when it is wanted: 25 MB and a tenth of a second that a single process does without. */
async function openShared(...options: Parameters<typeof openSharedState>): Promise<State> {
  const { openSharedState } = await import('./shared-state.ts');
  return openSharedState(...options);
}
