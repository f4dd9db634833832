import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MemberData } from '../../src/privacy/member-data.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { sqliteMemberHistory } from '../../src/storage/sqlite/member-history.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../src/time/utc-day.ts';
import { logLines } from '../support/log-lines.ts';
import { inFiles, inRedis, PLACES, type Place } from '../support/stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;
/** Redis would at once forget what is booked on a day long ago. */
const TODAY_MS = nextUtcMidnightMs(Date.now()) - 60 * MINUTE_MS;
const ALICE = { memberId: 'alice', guildId: 'guild' };
const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const BOB = { memberId: 'bob', guildId: 'guild' };

beforeEach(() => {
  vi.useFakeTimers({ now: TODAY_MS, toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process with its own history of what members looked up last. */
async function process(open: Place, keepsHistory = true) {
  const { ledger, requests, watches } = await open();
  const cards = new Map(keepsHistory ? [['alice', ['Emberwing Drake']]] : []);
  const history = {
    lastCards: async (memberId: string) => cards.get(memberId) ?? [],
    forget: async (memberId: string) => cards.delete(memberId) || true,
  };
  const memberData = new MemberData({
    counters: ledger.counters,
    history,
    watches,
    lists: { count: async () => 0, forget: async () => true },
    requests,
    keepsHistory,
    log: logLines().log,
  });
  onTestFinished(() => memberData.close());
  return { ledger, requests, watches, memberData, cards };
}

async function atTime<T>(atMs: number, work: () => Promise<T>): Promise<T> {
  vi.setSystemTime(atMs);
  try {
    return await work();
  } finally {
    vi.setSystemTime(TODAY_MS);
  }
}

describe.each(PLACES)('what is kept about a member, %s,', (_, place) => {
  it('is shown: the counts of all days, the last cards, and how many are watched', async () => {
    const { ledger, watches, memberData } = await process(await place());
    ledger.spent(ALICE);
    await atTime(TODAY_MS - DAY_MS, async () => ledger.saved(ALICE));
    await watches.set(WISH, 36);
    await vi.waitUntil(async () => (await ledger.counters.keptOf('alice'))?.saved === 1, { timeout: 60_000 });
    expect(await memberData.kept('alice')).toEqual({
      counts: { days: 2, requests: 1, saved: 1 },
      lastCards: ['Emberwing Drake'],
      watches: 1,
      lists: 0,
    });
  });

  it('is deleted at once on request, but for the counts of today', async () => {
    const { ledger, watches, memberData } = await process(await place());
    for (const memberId of ['alice', 'bob']) await watches.set({ ...WISH, memberId }, 36);
    await atTime(TODAY_MS - DAY_MS, async () => void ledger.spent(ALICE));
    for (const requester of [ALICE, BOB]) ledger.spent(requester);
    expect(await memberData.forget('alice')).toMatchObject({ isForgotten: true });
    expect(await memberData.kept('alice')).toEqual({
      ...{ counts: { days: 1, requests: 1, saved: 0 }, lastCards: [], watches: 0, lists: 0 },
    });
    expect(await watches.find({ member: 'bob' })).toHaveLength(1);
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect((await ledger.counters.keptOf('bob'))?.days).toBe(1);
  });

  it('is deleted when it was set while the clock was ahead, and stays deleted', async () => {
    const { watches, memberData } = await process(await place());
    await atTime(TODAY_MS + 20_000, () => watches.set(WISH, 36));
    await atTime(TODAY_MS + 40 * DAY_MS, () => watches.set({ ...WISH, cardId: 'base1-5' }, 36));
    expect(await memberData.forget('alice')).toMatchObject({ isForgotten: true });
    expect((await memberData.kept('alice')).watches).toBe(0);
    await watches.set(WISH, 36);
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitFor(async () => expect((await memberData.kept('alice')).lastCards).toEqual([]));
    expect((await memberData.kept('alice')).watches).toBe(1);
  });

  it('of that day is deleted once the day has ended, in a later run too; what comes after is kept', async () => {
    const open = await place();
    const first = await process(open);
    first.ledger.spent(ALICE);
    await first.memberData.forget('alice');
    first.memberData.close();
    await first.ledger.close();

    vi.setSystemTime(TODAY_MS + DAY_MS);
    const { ledger, watches } = await process(open);
    ledger.spent(ALICE);
    await watches.set(WISH, 36);
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitUntil(async () => (await ledger.counters.keptOf('alice'))?.days === 1, { timeout: 60_000 });
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect(await watches.find({ member: 'alice' })).toHaveLength(1);
  });

  it('of a day is kept for a quarter of an hour after it, in which a late reply is booked on it still', async () => {
    const { ledger, memberData } = await process(await place());
    ledger.spent(ALICE);
    const daysAfter = (minutes: number) =>
      atTime(nextUtcMidnightMs(TODAY_MS) + minutes * MINUTE_MS, async () => {
        await memberData.forget('alice');
        return (await memberData.kept('alice')).counts?.days;
      });
    expect([await daysAfter(14), await daysAfter(15)]).toEqual([1, 0]);
  });

  it('is deleted by every process, and the request is gone a day later', async () => {
    const open = await place();
    const [asked, other] = [await process(open), await process(open)];
    await asked.memberData.forget('alice');
    expect(await other.memberData.kept('alice')).toMatchObject({ lastCards: ['Emberwing Drake'] });
    vi.advanceTimersByTime(MINUTE_MS);
    const isForgotten = async () => (await other.memberData.kept('alice')).lastCards?.length === 0;
    await vi.waitUntil(isForgotten, { timeout: 60_000 });
    const [kept] = await other.requests.all();
    expect(kept).toEqual({ memberId: 'alice', at: expect.stringContaining(utcDay(TODAY_MS)), lastChange: 0 });
    vi.setSystemTime(TODAY_MS + 2 * DAY_MS);
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitUntil(async () => (await other.requests.all()).length === 0, { timeout: 60_000 });
  });
});

it('a second wish on the same day reaches every process, too', async () => {
  const open = await inRedis();
  const [asked, other] = [await process(open), await process(open)];
  for (const card of ['Emberwing Drake', 'Tidecaller']) {
    other.cards.set('alice', [card]);
    await asked.memberData.forget('alice');
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitUntil(() => !other.cards.has('alice'), { timeout: 60_000 });
  }
});

it('last cards that are not kept are none that nobody has looked up', async () => {
  const { memberData } = await process(await inFiles(), false);
  expect((await memberData.kept('alice')).lastCards).toBe('off');
});

it('a request that cannot be kept is not said to be done', async () => {
  const { database, requests, lines } = await (await inFiles())();
  database.close();
  expect(await requests.add({ memberId: 'alice', at: '2026-11-21T12:00:00.000Z', lastChange: 0 })).toBe(false);
  expect(lines).toHaveLength(1);
});

it('what a member looked up last is shown and deleted in the catalogs of all card services', async () => {
  const folder = temporaryFolder();
  const { log } = logLines();
  const history = sqliteMemberHistory(folder, log);
  expect(await history.lastCards('alice')).toEqual([]);
  for (const name of ['', 'names-0a1b2c3d']) {
    const catalog = CatalogDatabase.open(join(folder, name), log);
    catalog.asked.add(`card ${name}`, { memberId: 'alice', guildId: undefined }, 1, true);
    catalog.close();
  }
  expect(await history.lastCards('alice')).toHaveLength(2);
  expect(await history.forget('alice')).toBe(true);
  expect(await history.lastCards('alice')).toEqual([]);
  const files = ['', 'names-0a1b2c3d'].map((name) => readFileSync(join(folder, name, 'catalog.sqlite'), 'latin1'));
  expect(files.filter((file) => file.includes('alice'))).toEqual([]);
});
