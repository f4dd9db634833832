import { KeyvCardStore } from './cache/keyv-card-store.ts';
import { RedisStore } from './cache/redis-store.ts';
import type { Config, RedisSetting, Shards } from './config.ts';
import type { Logger } from './log.ts';
import { RedisCardLease } from './lookup/redis-card-lease.ts';
import { RedisReportBoard } from './lookup/redis-report-board.ts';
import { RedisBucket } from './quota/redis-bucket.ts';
import { RedisLedger } from './quota/redis-ledger.ts';
import { RedisPacer } from './quota/redis-pacer.ts';
import { SharedPacing } from './quota/shared-pacing.ts';
import { accountOf } from './quota/stored-pacing.ts';
import { Fleet } from './redis/fleet.ts';
import { RedisIdentifyTurns } from './redis/redis-identify-turns.ts';
import { RedisLink } from './redis/redis-link.ts';
import { warnOfSettings } from './redis/redis-settings.ts';
import { BullJournal } from './replies/bull-journal.ts';
import { cardStoreSetting, type State, warnOfSpentDay, warnOfUnknownLimit } from './state.ts';

/** Of what Redis holds; another version shares nothing with this one. */
const VERSION = 'v1';
/** A start waits so long for Redis, and then goes on without it. */
const OPENING_PATIENCE_MS = 1_000;

/** The state that several processes share through Redis. Whatever Redis does, this opens, and no part of it rejects. */
export async function openSharedState(config: Config, redis: RedisSetting, log: Logger): Promise<State> {
  const { baseUrl, apiKey } = config.cardService;
  const prefix = `${redis.keyPrefix}:${VERSION}`;
  const account = accountOf(baseUrl, apiKey);

  const link = new RedisLink({ url: redis.url, prefix, log });
  const fleet = new Fleet(link, prefix, expectedProcesses(config.discord.shards));
  const cards = new KeyvCardStore({
    ...cardStoreSetting(config),
    log,
    store: new RedisStore(link),
    keyPrefix: `${redis.keyPrefix}:cards:`,
  });
  const bucket = new RedisBucket(link, prefix, account);
  const shared = new SharedPacing({ link, prefix, account, bucketKey: bucket.key, fleet, log });
  const pacer = new RedisPacer({
    setting: config.plan,
    longestWaitMs: config.longestWaitMs,
    shared,
    bucket,
    link,
    fleet,
    warn: warnOfSpentDay(log),
    warnOfLimit: warnOfUnknownLimit(log),
  });
  const ledger = new RedisLedger(link, prefix);
  const journal = new BullJournal({ link, fleet, prefix, log });
  warnOfSettings(link, log);
  await link.opened(OPENING_PATIENCE_MS);

  return {
    cards,
    pacer,
    ledger,
    journal,
    peers: fleet,
    lease: new RedisCardLease(link, `${prefix}:${account}`),
    board: new RedisReportBoard(link, `${prefix}:${account}`),
    identifyTurns: new RedisIdentifyTurns(link, prefix),
    async close() {
      await fleet.leave(); // first, so that others take on at once what is still owed
      await journal.close();
      await ledger.close();
      await cards.close();
      link.close();
    },
  };
}

/** Processes that are to be reckoned with before any was heard of: those that share the shards evenly. */
function expectedProcesses(shards: Shards): number {
  return shards === 'auto' ? 1 : Math.ceil(shards.count / shards.ids.length);
}
