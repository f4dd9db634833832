import { LocalCell } from '../../src/quota/limiter-cell.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { logLines } from '../support/log-lines.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { MemoryLimiterStore } from '../support/memory-limiter-store.ts';
import { startRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import { describeLimiter, type OpenLimiter, SLOW } from './limiter.contract.ts';

function overOneStore(): OpenLimiter {
  const store = new MemoryLimiterStore();
  return async (setting = SLOW, warnings = new QuotaWarnings(logLines().log)) => {
    const options = { setting, longestWaitMs: LONGEST_WAIT_MS, warnings };
    return new RateLimiter(new LocalCell(store, options), options);
  };
}

function overOneRedis(): OpenLimiter {
  const redis = startRedis();
  return async (setting = SLOW, warnings = new QuotaWarnings(logLines().log)) => {
    const { limiter } = await SharingProcess.joined(await redis, { setting, warnings });
    return limiter;
  };
}

describeLimiter('a store of its own', overOneStore);
describeLimiter('a Redis', overOneRedis);
