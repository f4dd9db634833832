import { redisServerBinary } from '../../../src/sandbox/redis-binary.ts';

/**
 * For `describe.skipIf` and `it.skipIf`: whether no Redis is installed that a test may stop, kill and fill up. Prints to
 * standard error what is skipped.
 *
 * @throws instead of skipping, with `REQUIRE_REAL_REDIS=1`
 */
export function noRealRedis(skipped: string): boolean {
  if (redisServerBinary() !== undefined) return false;
  const missing = `no redis-server or valkey-server on PATH: install one (on Debian: apt-get install redis-server)`;
  if (process.env.REQUIRE_REAL_REDIS === '1') throw new Error(`REQUIRE_REAL_REDIS=1, but ${missing}`);
  process.stderr.write(`SKIPPED: ${skipped}; ${missing}\n`);
  return true;
}
