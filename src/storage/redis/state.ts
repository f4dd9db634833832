import { CardStore } from '../../cache/card-store.ts';
import type { Logger } from '../../log.ts';
import { Ledger } from '../../quota/ledger.ts';
import { RateLimiter } from '../../quota/rate-limiter.ts';
import { SharedCell } from '../../quota/shared-cell.ts';
import { alertNotesFile } from '../alert-notes-file.ts';
import { WorkerCatalog } from '../sqlite/catalog/worker-catalog.ts';
import {
  accountOf,
  cardStoreOptions,
  catalogOptions,
  limiterOptions,
  type State,
  type StateOptions,
} from '../state.ts';
import { RedisStore } from './cards.ts';
import { RedisClaims } from './claims.ts';
import { redisPrefix, settingProblems } from './client.ts';
import { RedisCounters } from './counters.ts';
import { redisDeletionRequests } from './forget.ts';
import { RedisJournal } from './journal.ts';
import { RedisLimiterStore } from './limiter-store.ts';
import { RedisLink } from './link.ts';
import { redisLists } from './lists.ts';
import { ProcessesAlive } from './processes-alive.ts';
import { redisSettings } from './server-settings.ts';
import { redisUsageReport } from './usage-report.ts';
import { redisWatches } from './watches.ts';

export interface RedisStateOptions extends StateOptions {
  /** `url` may hold a password. */
  redis: { url: string; keyPrefix: string };
  discord: { botId: string; shards: 'auto' | { ids: readonly number[]; count: number } };
}

/** A start waits this long for Redis, and then continues without it. */
const OPEN_TIMEOUT_MS = 1_000;

/** The state that several processes share through Redis. Opens, whatever Redis does. @throws StateUnusable */
export async function openRedisState(options: RedisStateOptions): Promise<State> {
  const { cardService, redis, discord, dataDir, log, events } = options;
  const { baseUrl, apiKey } = cardService;
  const prefix = redisPrefix(redis.keyPrefix);
  const account = accountOf(baseUrl, apiKey);

  const link = new RedisLink({ url: redis.url, prefix, log, botId: discord.botId, ...(events && { events }) });
  const { shards } = discord;
  // Until a heartbeat is read: as many as share the shards evenly.
  const expected = shards === 'auto' ? 1 : Math.ceil(shards.count / shards.ids.length);
  const processesAlive = new ProcessesAlive(link, expected);
  const keyPrefix = `${redis.keyPrefix}:cards:`;
  const cardStore = new CardStore({ ...cardStoreOptions(options), keyPrefix, store: new RedisStore(link) });
  const ofLimiter = limiterOptions(options);
  const cell = new SharedCell({
    ...ofLimiter,
    store: new RedisLimiterStore(processesAlive, account, log),
    link,
    processesAlive,
  });
  const limiter = new RateLimiter(cell, ofLimiter);
  const ledger = new Ledger(new RedisCounters(link, cardService.scope), events);
  const journal = new RedisJournal(link, processesAlive, log);
  warnOfSettings(link, log);
  const refusal = await Promise.race([link.opened(OPEN_TIMEOUT_MS), link.refused]);
  if (refusal) throw refusal;

  const catalog = new WorkerCatalog(catalogOptions(options));

  const closeOthers = async () => {
    await journal.close();
    await processesAlive.leave();
    await ledger.close();
  };

  return {
    cardStore,
    catalog,
    limiter,
    ledger,
    journal,
    deletionRequests: redisDeletionRequests(link),
    settingsStore: redisSettings(link),
    watchStore: redisWatches(link),
    listStore: redisLists(link),
    otherQueues: processesAlive,
    claims: new RedisClaims(processesAlive),
    sharedReport: redisUsageReport(link, account),
    alertNotebook: alertNotesFile(dataDir, log, shards === 'auto' ? 'auto' : Math.min(...shards.ids)),
    refused: link.refused,
    async close() {
      await Promise.all([catalog.close(), closeOthers()]);
      link.close();
    },
  };
}

/** Warns once, as soon as Redis is usable. A Redis that does not report its settings causes no warning. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let isAsked = false;
  link.onHealth((health) => {
    if (isAsked || health !== 'usable') return;
    isAsked = true;
    const warn = (info: string) =>
      settingProblems(info).forEach((cure) => void log.warn({ cure }, 'redis may lose deferred replies'));
    link.read((client) => client.info().catch(() => '')).then(warn, () => {});
  });
}
