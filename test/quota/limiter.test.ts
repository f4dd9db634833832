import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import type { LimiterState } from '../../src/quota/limiter-state.ts';
import { LocalLimiter } from '../../src/quota/local-limiter.ts';
import { LONGEST_WAIT_MS } from '../support/lookup-queue.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import { describePacer, type OpenPacer, SLOW } from './limiter.contract.ts';

function overOneRow(): OpenPacer {
  let state: LimiterState | undefined;
  return async (setting = SLOW, warn = () => {}) =>
    new LocalLimiter({
      setting,
      longestWaitMs: LONGEST_WAIT_MS,
      state,
      save: (saved) => {
        state = structuredClone(saved);
      },
      warn,
      warnOfLimit: () => {},
    });
}

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});

function overOneRedis(): OpenPacer {
  const prefix = `${redis.prefix}:${randomUUID()}`;
  return async (setting = SLOW, warn = () => {}) => {
    const { limiter } = await SharingProcess.joined({ ...redis, prefix }, { setting, warn });
    return limiter;
  };
}

describePacer('a row of its own', overOneRow);
describePacer('a Redis', overOneRedis);
