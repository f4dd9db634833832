import { KeyvCardStore } from '../../cache/keyv-card-store.ts';
import type { Config, RedisSetting, Shards } from '../../config/config.ts';
import type { Logger } from '../../log.ts';
import { accountOf } from '../../quota/stored-limiter-state.ts';
import { cardStoreSetting, type State, warnOfSpentDay, warnOfUnknownLimit } from '../state.ts';
import { BullJournal } from './bull-journal.ts';
import { ProcessesAlive } from './processes-alive.ts';
import { RedisBucket } from './redis-bucket.ts';
import { RedisCardLock } from './redis-card-lock.ts';
import { RedisIdentifyTurns } from './redis-identify-turns.ts';
import { RedisLedger } from './redis-ledger.ts';
import { RedisLimiter } from './redis-limiter.ts';
import { RedisLink } from './redis-link.ts';
import { RedisReportBoard } from './redis-report-board.ts';
import { warnOfSettings } from './redis-settings.ts';
import { RedisStore } from './redis-store.ts';
import { SharedLimiterState } from './shared-limiter-state.ts';

/** Of what Redis holds; another version shares nothing with this one. */
const VERSION = 'v1';
/** A start waits so long for Redis, and then goes on without it. */
const OPENING_PATIENCE_MS = 1_000;

/** The state that several processes share through Redis. Whatever Redis does, this opens, and no part of it rejects. */
export async function openRedisState(config: Config, redis: RedisSetting, log: Logger): Promise<State> {
  const { baseUrl, apiKey } = config.cardService;
  const prefix = `${redis.keyPrefix}:${VERSION}`;
  const account = accountOf(baseUrl, apiKey);

  const link = new RedisLink({ url: redis.url, prefix, log });
  const processesAlive = new ProcessesAlive(link, prefix, expectedProcesses(config.discord.shards));
  const cardStore = new KeyvCardStore({
    ...cardStoreSetting(config),
    log,
    store: new RedisStore(link),
    keyPrefix: `${redis.keyPrefix}:cards:`,
  });
  const bucket = new RedisBucket(link, prefix, account);
  const shared = new SharedLimiterState({ link, prefix, account, bucketKey: bucket.key, processesAlive, log });
  const limiter = new RedisLimiter({
    setting: config.plan,
    longestWaitMs: config.longestWaitMs,
    shared,
    bucket,
    link,
    processesAlive,
    warn: warnOfSpentDay(log),
    warnOfLimit: warnOfUnknownLimit(log),
  });
  const ledger = new RedisLedger(link, prefix);
  const journal = new BullJournal({ link, processesAlive, prefix, log });
  warnOfSettings(link, log);
  await link.opened(OPENING_PATIENCE_MS);

  return {
    cardStore,
    limiter,
    ledger,
    journal,
    queueExchange: processesAlive,
    cardLock: new RedisCardLock(link, `${prefix}:${account}`),
    board: new RedisReportBoard(link, `${prefix}:${account}`),
    identifyTurns: new RedisIdentifyTurns(link, prefix),
    async close() {
      await processesAlive.leave(); // first, so that others take on at once what is still owed
      await journal.close();
      await ledger.close();
      await cardStore.close();
      link.close();
    },
  };
}

/** Processes that are to be reckoned with before any was heard of: those that share the shards evenly. */
function expectedProcesses(shards: Shards): number {
  return shards === 'auto' ? 1 : Math.ceil(shards.count / shards.ids.length);
}
