import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisLink } from '../../../src/storage/redis/link.ts';
import { settingProblems, whyUnusable } from '../../../src/storage/redis/settings.ts';
import { warnOfSettings } from '../../../src/storage/redis/state.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis } from '../../support/redis/no-real-redis.ts';
import { startRealRedis } from '../../support/redis.ts';

const info = (policy: string, aof: 0 | 1) =>
  `# Memory\r\nmaxmemory_policy:${policy}\r\n# Persistence\r\naof_enabled:${aof}\r\n`;

describe('settingProblems', () => {
  it.each([
    [info('noeviction', 1), []],
    [info('allkeys-lru', 1), ['maxmemory-policy noeviction']],
    [info('volatile-ttl', 1), ['maxmemory-policy noeviction']],
    [info('noeviction', 0), ['appendonly yes']],
    [info('allkeys-lru', 0), ['maxmemory-policy noeviction', 'appendonly yes']],
    ['', []],
  ])('of %j are %j', (info, advice) => {
    expect(settingProblems(info)).toEqual(advice.map((setting) => expect.stringContaining(`Set ${setting}.`)));
  });
});

describe('whyUnusable', () => {
  it.each([
    [{ mode: 'standalone' }, undefined],
    [{ mode: 'cluster' }, 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.'],
    [{ mode: 'sentinel' }, 'REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.'],
    [{}, undefined],
    [undefined, undefined],
  ])('of %j is %j', (hello, sentence) => {
    expect(whyUnusable(hello)).toBe(sentence);
  });
});

describe.skipIf(noRealRedis('warnings about settings of Redis'))('a link', () => {
  it.each([
    ['of settings as they should be', { 'maxmemory-policy': 'noeviction', appendonly: 'yes' }, 0],
    ['of settings that may lose replies', { 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' }, 2],
  ])('warns once each %s', async (_, settings, warnings) => {
    const redis = await startRealRedis({ settings });
    const { log, lines } = logLines();
    const link = new RedisLink({ url: redis.url, prefix: redis.prefix, log, answerTimeoutMs: 10_000 });
    onTestFinished(() => link.close());
    warnOfSettings(link, log);
    await link.opened(30_000);
    await link.read((client) => client.ping()); // answered after it, on the same connection

    await expect.poll(() => lines.map(({ level }) => level)).toEqual(Array(warnings).fill(40));
  });
});
