import { expect, it } from 'vitest';
import { settingProblems, whyUnusable } from '../../../src/storage/redis/client.ts';

const info = (policy: string, aof: 0 | 1) =>
  `# Memory\r\nmaxmemory_policy:${policy}\r\n# Persistence\r\naof_enabled:${aof}\r\n`;

it.each([
  [info('noeviction', 1), []],
  [info('allkeys-lru', 1), ['maxmemory-policy noeviction']],
  [info('noeviction', 0), ['appendonly yes']],
  [info('allkeys-lru', 0), ['maxmemory-policy noeviction', 'appendonly yes']],
  ['', []],
])('settingProblems of %j are %j', (info, advice) => {
  expect(settingProblems(info)).toEqual(advice.map((setting) => expect.stringContaining(`Set ${setting}.`)));
});

it.each([
  [{ mode: 'standalone' }, undefined],
  [{ mode: 'cluster' }, 'REDIS_URL points to a Redis Cluster: use a server that is not in cluster mode.'],
  [{ mode: 'sentinel' }, 'REDIS_URL points to a Redis Sentinel: use the address of the Redis server itself.'],
  [{}, undefined],
  [undefined, undefined],
])('whyUnusable of %j is %j', async (hello, sentence) => {
  expect(await whyUnusable({ hello: async () => hello as never })).toBe(sentence);
});
