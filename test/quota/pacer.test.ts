import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { LocalPacer } from '../../src/quota/local-pacer.ts';
import type { PacingState } from '../../src/quota/pacing.ts';
import { LONGEST_WAIT_MS } from '../support/line.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { SharingProcess } from '../support/sharing-process.ts';
import { describePacer, type OpenPacer, SLOW } from './pacer.contract.ts';

function overOneRow(): OpenPacer {
  let state: PacingState | undefined;
  return async (setting = SLOW, warn = () => {}) =>
    new LocalPacer({
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
    const { pacer } = await SharingProcess.joined({ ...redis, prefix }, { setting, warn });
    return pacer;
  };
}

describePacer('a row of its own', overOneRow);
describePacer('a Redis', overOneRedis);
