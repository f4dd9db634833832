import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ListStore } from '../../src/lists/kept-lists.ts';
import { redisLists } from '../../src/storage/redis/lists.ts';
import { LISTS_SCHEMA, sqliteLists } from '../../src/storage/sqlite/lists.ts';
import { StateWrites } from '../../src/storage/sqlite/state-rows.ts';
import { logLines } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';
import { openedLink } from '../support/redis-link.ts';

const HOUR_MS = 3_600_000;

interface Place {
  /** One for each process. */
  store(): ListStore;
  /** How long what is kept will be there. */
  leftMs(): Promise<number[]>;
}

function inFiles(): Place {
  const database = new DatabaseSync(':memory:');
  database.exec(LISTS_SCHEMA);
  const store = sqliteLists(database, new StateWrites(logLines().log));
  onTestFinished(() => store.close());
  return {
    store: () => store,
    leftMs: async () =>
      database
        .prepare('SELECT until_ms AS ms FROM pasted_lists')
        .all()
        .map(({ ms }) => Number(ms) - Date.now()),
  };
}

async function inRedis(): Promise<Place> {
  const { link } = await openedLink(await startRedis());
  return {
    store: () => redisLists(link),
    async leftMs() {
      const keys = await link.read((client) => client.keys(`${link.prefix}:lists:*`));
      return Promise.all(keys.map((key) => link.read((client) => client.pTTL(key))));
    },
  };
}

describe.each<[string, () => Place | Promise<Place>]>([
  ['in files', inFiles],
  ['in Redis', inRedis],
])('a pasted list %s', (_, open) => {
  const list = {
    text: '4 Sol Ring',
    lines: [{ text: '4 Sol Ring', count: 4, isGuessed: true, card: { id: 'a', name: 'Sol Ring' } }],
  };

  it('is what was kept of its member, in any process', async () => {
    const place = await open();
    expect(await place.store().add('alice', '1', { text: 'first' })).toBe(true);
    await place.store().replace('alice', '1', list);
    expect(await place.store().read('alice', '1')).toEqual(list);
    expect(await place.store().read('bob', '1')).toBeUndefined();
    expect(await place.store().read('alice', '2')).toBeUndefined();
    expect([await place.store().count('alice'), await place.store().count('bob')]).toEqual([1, 0]);
  });

  it('is one of the last three of its member', async () => {
    const store = (await open()).store();
    for (const id of ['1', '2', '3', '4']) await store.add('alice', id, { text: id });
    await store.add('bob', '5', { text: '5' });
    const kept = await Promise.all(['1', '2', '3', '4'].map((id) => store.read('alice', id)));
    expect(kept.map((each) => each?.text)).toEqual([undefined, '2', '3', '4']);
    expect(await store.count('alice')).toBe(3);
  });

  it('is found to be deleted, however many are pasted at once', async () => {
    const place = await open();
    const [store, other] = [place.store(), place.store()];
    const ids = ['1', '2', '3', '4', '5', '6'];
    await Promise.all(ids.map((id, at) => (at % 2 === 0 ? store : other).add('alice', id, list)));
    expect(await store.count('alice')).toBe(3);
    await Promise.all([store.add('alice', '7', list), other.forget('alice')]);
    await store.forget('alice');
    expect(await place.leftMs()).toEqual([]);
  });

  it('is one list, whichever processes it comes to', async () => {
    const store = (await open()).store();
    for (const id of ['1', '2', '3', '3']) await store.add('alice', id, { text: id });
    expect((await store.read('alice', '1'))?.text).toBe('1');
    expect(await store.count('alice')).toBe(3);
  });

  it('is kept for an hour', async () => {
    const place = await open();
    await place.store().add('alice', '1', list);
    await place.store().replace('alice', '1', list);
    for (const leftMs of await place.leftMs()) {
      expect(leftMs).toBeGreaterThan(HOUR_MS - 60_000);
      expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
    }
  });

  it('is gone with what is deleted of its member alone', async () => {
    const place = await open();
    await place.store().add('alice', '1', list);
    await place.store().add('bob', '1', list);
    expect(await place.store().forget('alice')).toBe(true);
    expect(await place.store().forget('nobody')).toBe(true);
    await place.store().replace('alice', '1', list); // by a reply that had read it before
    expect(await place.store().read('alice', '1')).toBeUndefined();
    expect(await place.store().count('alice')).toBe(0);
    expect(await place.store().read('bob', '1')).toEqual(list);
  });
});

it('a list in files is neither read nor left there when its hour is over', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const place = inFiles();
  await place.store().add('alice', '1', { text: 'a' });
  vi.setSystemTime(Date.now() + HOUR_MS);
  expect(await place.store().read('alice', '1')).toBeUndefined();
  expect(await place.store().count('alice')).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(await place.leftMs()).toEqual([]);
});

it('a Redis that is away keeps no list, and none is said to be deleted', async () => {
  const { link } = await openedLink(await startRedis());
  link.close();
  const store = redisLists(link);
  expect(await store.add('alice', '1', { text: 'a' })).toBe(false);
  expect([await store.read('alice', '1'), await store.count('alice'), await store.forget('alice')]).toEqual([
    undefined,
    undefined,
    false,
  ]);
});
