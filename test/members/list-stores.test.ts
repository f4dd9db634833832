import { expect, it, vi } from 'vitest';
import type { KeptLists } from '../../src/members/kept-lists.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { played, type Steps } from '../support/limiter-script.ts';
import { inFiles, inRedis, keptMs } from '../support/stores.ts';
import { expectSaid, table } from '../table.ts';

const HOUR_MS = 3_600_000;
const LIST = '4 Sol Ring';

const count = async (lists: KeptLists, member = 'alice') => (await lists.find({ member }))?.length;

/** As two processes see them. */
async function two() {
  const open = await inRedis();
  const [one, { lists: other }] = [await open(), await open()];
  return { ...one, store: one.lists, other };
}

/** What a list says is its id. `elsewhere` is the other process; `-` is nothing. */
const STEPS: Steps<Awaited<ReturnType<typeof two>>> = [
  [
    /^(elsewhere )?(\w+) (adds|reads|has|forgets) ?(\d?)$/,
    async ({ store, other }, where, member, verb, id) => {
      const lists = where ? other : store;
      if (verb === 'adds') return (await lists.add(member, id, id)) ? undefined : 'not kept';
      if (verb === 'reads') return (await lists.read(member, id)) ?? '-';
      if (verb === 'has') return (await count(lists, member)) ?? '-';
      return (await lists.forget(member)) ? undefined : 'not deleted';
    },
  ],
  [/^no Redis$/, ({ link }) => link.close()],
];

it.each(table`
  is what was kept of its member, in any process
    | alice adds 1; elsewhere alice reads 1; elsewhere bob reads 1; elsewhere alice reads 2; alice has; elsewhere bob has
    | 1 | - | - | 1 | 0
  is one of the last three of its member, once, whichever process it comes to
    | alice adds 1; alice adds 2; alice adds 3; elsewhere alice adds 3; alice reads 1; elsewhere alice adds 4; bob adds 5;
      alice reads 1; alice reads 2; alice reads 3; alice reads 4; alice has
    | 1 | - | 2 | 3 | 4 | 3
  is gone with what is deleted of its member alone
    | alice adds 1; bob adds 1; alice forgets; nobody forgets; alice reads 1; alice has; bob reads 1 | - | 0 | 1
  is not kept while Redis is away, and none is said to be deleted
    | no Redis; alice adds 1; alice reads 1; alice has; alice forgets | not kept | - | - | not deleted
`)(
  'a pasted list %s',
  expectSaid(async (script) => played(await two(), script, STEPS)),
);

it('pasted lists are found to be deleted, however many are pasted at once', async () => {
  const { store, other, ...stores } = await two();
  const ids = ['1', '2', '3', '4', '5', '6'];
  await Promise.all(ids.map((id, at) => (at % 2 === 0 ? store : other).add('alice', id, LIST)));
  expect(await count(store)).toBe(3);
  await Promise.all([store.add('alice', '7', LIST), other.forget('alice')]);
  await store.forget('alice');
  expect(await keptMs(stores, 'lists:')).toEqual([]);
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
