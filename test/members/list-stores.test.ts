import { expect, it, vi } from 'vitest';
import type { KeptLists } from '../../src/members/kept-lists.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { inFiles, inRedis, keptMs } from '../support/stores.ts';

const HOUR_MS = 3_600_000;
const LIST = '4 Sol Ring';

const count = async (lists: KeptLists, member = 'alice') => (await lists.find({ member }))?.length;

/** As two processes see them. */
async function two() {
  const open = await inRedis();
  const [one, { lists: other }] = [await open(), await open()];
  return { ...one, store: one.lists, other };
}

it('a pasted list is what was kept of its member, in any process', async () => {
  const { store, other } = await two();
  expect(await store.add('alice', '1', LIST)).toBe(true);
  expect(await other.read('alice', '1')).toBe(LIST);
  expect(await other.read('bob', '1')).toBeUndefined();
  expect(await other.read('alice', '2')).toBeUndefined();
  expect([await count(store), await count(other, 'bob')]).toEqual([1, 0]);
});

it('a pasted list is one of the last three of its member, once, whichever process it comes to', async () => {
  const { store, other } = await two();
  for (const id of ['1', '2', '3']) await store.add('alice', id, id);
  await other.add('alice', '3', '3');
  expect(await store.read('alice', '1')).toBe('1');
  await other.add('alice', '4', '4');
  await store.add('bob', '5', '5');
  const kept = await Promise.all(['1', '2', '3', '4'].map((id) => store.read('alice', id)));
  expect(kept).toEqual([undefined, '2', '3', '4']);
  expect(await count(store)).toBe(3);
});

it('pasted lists are found to be deleted, however many are pasted at once', async () => {
  const { store, other, ...stores } = await two();
  const ids = ['1', '2', '3', '4', '5', '6'];
  await Promise.all(ids.map((id, at) => (at % 2 === 0 ? store : other).add('alice', id, LIST)));
  expect(await count(store)).toBe(3);
  await Promise.all([store.add('alice', '7', LIST), other.forget('alice')]);
  await store.forget('alice');
  expect(await keptMs(stores, 'lists:')).toEqual([]);
});

it('a pasted list is gone with what is deleted of its member alone', async () => {
  const { store } = await two();
  for (const member of ['alice', 'bob']) await store.add(member, '1', LIST);
  for (const member of ['alice', 'nobody']) expect(await store.forget(member)).toBe(true);
  expect(await store.read('alice', '1')).toBeUndefined();
  expect(await count(store)).toBe(0);
  expect(await store.read('bob', '1')).toEqual(LIST);
});

it('a pasted list is neither read nor left in the file when its hour is over', async () => {
  fakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const kept = await (await inFiles())();
  const { lists: store } = kept;
  await store.add('alice', '1', LIST);
  vi.setSystemTime(Date.now() + HOUR_MS - 1);
  expect(await store.read('alice', '1')).toBe(LIST);
  vi.setSystemTime(Date.now() + 1);
  expect(await store.read('alice', '1')).toBeUndefined();
  expect(await count(store)).toBe(0);
  vi.advanceTimersByTime(HOUR_MS);
  expect(await keptMs(kept, 'lists:')).toEqual([]);
});

it('a Redis that is away keeps no list, and none is said to be deleted', async () => {
  const { link, store } = await two();
  link.close();
  expect(await store.add('alice', '1', LIST)).toBe(false);
  const [read, found] = [await store.read('alice', '1'), await count(store)];
  expect([read, found, await store.forget('alice')]).toEqual([undefined, undefined, false]);
});
