import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { LocalLimiter } from '../../src/quota/local-limiter.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import { describeLimiter, type OpenLimiter, SLOW } from './limiter.contract.ts';

function overOneStore(): OpenLimiter {
  const store = new MemoryLimiterStore();
  return async (setting = SLOW, warnings = new QuotaWarnings(logLines().log)) =>
    new LocalLimiter({ setting, longestWaitMs: LONGEST_WAIT_MS, store, warnings });
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

function overOneRedis(): OpenLimiter {
  const prefix = `${redis.prefix}:${randomUUID()}`;
  return async (setting = SLOW, warnings = new QuotaWarnings(logLines().log)) => {
    const { limiter } = await SharingProcess.joined({ ...redis, prefix }, { setting, warnings });
    return limiter;
  };
}

describeLimiter('a store of its own', overOneStore);
describeLimiter('a Redis', overOneRedis);
