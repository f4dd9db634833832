import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { redisServerBinary } from './binary.ts';

/** Where there is none, the test file that asks is added to the file `WITHOUT_REDIS`: .ci/run runs it again with one. */
export function hasRealRedis(): boolean {
  if (redisServerBinary() !== undefined) return true;
  const { WITHOUT_REDIS } = process.env;
  if (WITHOUT_REDIS) appendFileSync(WITHOUT_REDIS, `${expect.getState().testPath}\n`);
  return false;
}

/**
 * For `describe.skipIf` and `it.skipIf`: whether no Redis is installed that a test may stop, kill and fill up. Prints to
 * standard error what is skipped.
 *
 * @throws instead of skipping, with `REQUIRE_REAL_REDIS=1`
 */
export function noRealRedis(skipped: string): boolean {
  if (hasRealRedis()) return false;
  const missing = `no redis-server or valkey-server on PATH: install one (on Debian: apt-get install redis-server)`;
  if (process.env.REQUIRE_REAL_REDIS === '1') throw new Error(`REQUIRE_REAL_REDIS=1, but ${missing}`);
  process.stderr.write(`SKIPPED: ${skipped}; ${missing}\n`);
  return true;
}
