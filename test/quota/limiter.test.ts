import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { LocalCell } from '../../src/quota/limiter-cell.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import { describeLimiter, type OpenLimiter, SLOW } from './limiter.contract.ts';

function overOneStore(): OpenLimiter {
  const store = new MemoryLimiterStore();
  return async (setting = SLOW, warnings = new QuotaWarnings(logLines().log)) => {
    const options = { setting, longestWaitMs: LONGEST_WAIT_MS, warnings };
    return new RateLimiter(new LocalCell(store, options), options);
  };
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
