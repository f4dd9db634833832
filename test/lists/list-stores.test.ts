import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inFiles, inRedis, PLACES, type Stores } from '../support/stores.ts';

const HOUR_MS = 3_600_000;

/** How long what is kept will be there. */
async function leftMs({ database, link }: Stores): Promise<number[]> {
  const rows = database?.prepare('SELECT until_ms AS ms FROM pasted_lists').all();
  const keys = (await link?.client.keys(`${link.prefix}:lists:*`)) ?? [];
  return rows?.map(({ ms }) => Number(ms) - Date.now()) ?? Promise.all(keys.map((key) => link?.client.pTTL(key) ?? 0));
}

describe.each(PLACES)('a pasted list %s', (_, place) => {
  const list = {
    text: '4 Sol Ring',
    lines: [{ text: '4 Sol Ring', count: 4, isGuessed: true, card: { id: 'a', name: 'Sol Ring' } }],
  };

  it('is what was kept of its member, in any process', async () => {
    const open = await place();
    const [one, other] = [(await open()).lists, (await open()).lists];
    expect(await one.add('alice', '1', { text: 'first' })).toBe(true);
    await other.replace('alice', '1', list);
    expect(await one.read('alice', '1')).toEqual(list);
    expect(await other.read('bob', '1')).toBeUndefined();
    expect(await other.read('alice', '2')).toBeUndefined();
    expect([await one.count('alice'), await other.count('bob')]).toEqual([1, 0]);
  });

  it('is one of the last three of its member', async () => {
    const { lists: store } = await (await place())();
    for (const id of ['1', '2', '3', '4']) await store.add('alice', id, { text: id });
    await store.add('bob', '5', { text: '5' });
    const kept = await Promise.all(['1', '2', '3', '4'].map((id) => store.read('alice', id)));
    expect(kept.map((each) => each?.text)).toEqual([undefined, '2', '3', '4']);
    expect(await store.count('alice')).toBe(3);
  });

  it('is found to be deleted, however many are pasted at once', async () => {
    const open = await place();
    const [one, { lists: other }] = [await open(), await open()];
    const { lists: store } = one;
    const ids = ['1', '2', '3', '4', '5', '6'];
    await Promise.all(ids.map((id, at) => (at % 2 === 0 ? store : other).add('alice', id, list)));
    expect(await store.count('alice')).toBe(3);
    await Promise.all([store.add('alice', '7', list), other.forget('alice')]);
    await store.forget('alice');
    expect(await leftMs(one)).toEqual([]);
  });

  it('is one list, whichever processes it comes to', async () => {
    const { lists: store } = await (await place())();
    for (const id of ['1', '2', '3', '3']) await store.add('alice', id, { text: id });
    expect((await store.read('alice', '1'))?.text).toBe('1');
    expect(await store.count('alice')).toBe(3);
  });

  it('is kept for an hour', async () => {
    const kept = await (await place())();
    await kept.lists.add('alice', '1', list);
    await kept.lists.replace('alice', '1', list);
    for (const ms of await leftMs(kept)) {
      expect(ms).toBeGreaterThan(HOUR_MS - 60_000);
      expect(ms).toBeLessThanOrEqual(HOUR_MS);
    }
  });

  it('is gone with what is deleted of its member alone', async () => {
    const { lists: store } = await (await place())();
    await store.add('alice', '1', list);
    await store.add('bob', '1', list);
    expect(await store.forget('alice')).toBe(true);
    expect(await store.forget('nobody')).toBe(true);
    await store.replace('alice', '1', list); // by a reply that had read it before
    expect(await store.read('alice', '1')).toBeUndefined();
    expect(await store.count('alice')).toBe(0);
    expect(await store.read('bob', '1')).toEqual(list);
  });
});

it('a list in files is neither read nor left there when its hour is over', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const kept = await (await inFiles())();
  const { lists: store } = kept;
  await store.add('alice', '1', { text: 'a' });
  vi.setSystemTime(Date.now() + HOUR_MS);
  expect(await store.read('alice', '1')).toBeUndefined();
  expect(await store.count('alice')).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(await leftMs(kept)).toEqual([]);
});

it('a Redis that is away keeps no list, and none is said to be deleted', async () => {
  const { link, lists: store } = await (await inRedis())();
  link.close();
  expect(await store.add('alice', '1', { text: 'a' })).toBe(false);
  expect([await store.read('alice', '1'), await store.count('alice'), await store.forget('alice')]).toEqual([
    undefined,
    undefined,
    false,
  ]);
});
