import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { Events } from '../../../src/model/events.ts';
import { openState } from '../../../src/storage/open-state.ts';
import { settingProblems, whyUnusable } from '../../../src/storage/redis/client.ts';
import { logLines } from '../../support/log-lines.ts';
import { noRealRedis, startRealRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

it.skipIf(noRealRedis('warnings about settings of Redis'))(
  'settings that may lose replies are warned of when a bot starts',
  async () => {
    const { url, prefix } = await startRealRedis({ appendonly: 'no' });
    const { log, lines } = logLines();
    const config = readConfig({
      DISCORD_TOKEN: 'none',
      CARD_SERVICE_URL: 'http://cards.test',
      DATA_DIR: temporaryFolder(),
      REDIS_URL: url,
      REDIS_KEY_PREFIX: prefix,
    });
    const state = await openState({ ...config, log, events: new Events() });
    await expect.poll(() => lines).toMatchObject([{ level: 40, cure: expect.stringContaining('appendonly yes') }]);
    await state.close();
  },
);
