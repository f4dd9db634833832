import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { DELETION_REQUESTS, MemberData } from '../../src/members/member-data.ts';
import { sqliteMemberHistory } from '../../src/storage/sqlite/member-history.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../src/time.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { logLines } from '../support/log-lines.ts';
import { inFiles, type Place } from '../support/stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;
/** Redis would at once forget what is booked on a day long ago. */
const TODAY_MS = nextUtcMidnightMs(Date.now()) - 60 * MINUTE_MS;
const ALICE = { memberId: 'alice', guildId: 'guild' };
const WISH = { memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'de', below: 30 };
const BOB = { memberId: 'bob', guildId: 'guild' };

beforeEach(() => fakeTimers({ now: TODAY_MS, toFake: ['Date', 'setInterval', 'clearInterval'] }));

/** After a minute's round, which nobody waits for. */
function aMinuteLater(isSo: () => unknown) {
  vi.advanceTimersByTime(MINUTE_MS);
  return vi.waitUntil(isSo, { timeout: 60_000 });
}

/** A process with its own history of what members looked up last. */
async function process(place?: Place, keepsHistory = true) {
  const { ledger, rows, watches, lists } = await (place ?? (await inFiles()))();
  const cards = new Map(keepsHistory ? [['alice', ['Emberwing Drake']]] : []);
  const history = {
    lastCards: async (memberId: string) => cards.get(memberId) ?? [],
    forget: async (memberId: string) => cards.delete(memberId) || true,
  };
  const memberData = new MemberData({ ledger, history, watches, lists, rows, keepsHistory, log: logLines().log });
  onTestFinished(() => memberData.close());
  const requests = async () => [...((await rows.read(DELETION_REQUESTS)) ?? [])];
  return { ledger, rows, requests, watches, memberData, cards };
}

async function atTime<T>(atMs: number, work: () => Promise<T>): Promise<T> {
  vi.setSystemTime(atMs);
  try {
    return await work();
  } finally {
    vi.setSystemTime(TODAY_MS);
  }
}

it('what is kept about a member is shown: the counts of all days, the last cards, and how many are watched', async () => {
  const { ledger, watches, memberData } = await process();
  ledger.spent(ALICE);
  await atTime(TODAY_MS - DAY_MS, async () => ledger.saved(ALICE));
  await watches.set(WISH, 36);
  const counts = { days: 2, requests: 1, saved: 1 };
  expect(await memberData.kept('alice')).toEqual({ counts, lastCards: ['Emberwing Drake'], watches: 1, lists: 0 });
});

it('what is kept about a member is deleted at once on request, but for the counts of today', async () => {
  const { ledger, watches, memberData } = await process();
  for (const memberId of ['alice', 'bob']) await watches.set({ ...WISH, memberId }, 36);
  await atTime(TODAY_MS - DAY_MS, async () => void ledger.spent(ALICE));
  for (const requester of [ALICE, BOB]) ledger.spent(requester);
  expect(await memberData.forget('alice')).toMatchObject({ isForgotten: true });
  const counts = { days: 1, requests: 1, saved: 0 };
  expect(await memberData.kept('alice')).toEqual({ counts, lastCards: [], watches: 0, lists: 0 });
  expect(await watches.find({ member: 'bob' })).toHaveLength(1);
  expect((await ledger.memberToday('alice')).requests).toBe(1);
  expect((await ledger.keptOf('bob'))?.days).toBe(1);
});

it('counts of the day of a request are deleted once it has ended, in a later run too; what comes after is kept', async () => {
  const open = await inFiles();
  const first = await process(open);
  first.ledger.spent(ALICE);
  await first.memberData.forget('alice');
  first.memberData.close();
  await first.ledger.close();

  vi.setSystemTime(TODAY_MS + DAY_MS);
  const { ledger, watches } = await process(open);
  ledger.spent(ALICE);
  await watches.set(WISH, 36);
  await aMinuteLater(async () => (await ledger.keptOf('alice'))?.days === 1);
  expect((await ledger.memberToday('alice')).requests).toBe(1);
  expect(await watches.find({ member: 'alice' })).toHaveLength(1);
});

it('counts of a day are kept for a quarter of an hour after it, in which a late reply is booked on it still', async () => {
  const { ledger, memberData } = await process();
  ledger.spent(ALICE);
  const daysAfter = (minutes: number) =>
    atTime(nextUtcMidnightMs(TODAY_MS) + minutes * MINUTE_MS, async () => {
      await memberData.forget('alice');
      return (await memberData.kept('alice')).counts?.days;
    });
  expect([await daysAfter(14), await daysAfter(15)]).toEqual([1, 0]);
});

it('every process deletes, with a second wish on the same day, too, and the request is gone a day later', async () => {
  const open = await inFiles();
  const [asked, other] = [await process(open), await process(open)];
  for (const card of ['Emberwing Drake', 'Tidecaller']) {
    other.cards.set('alice', [card]);
    await asked.memberData.forget('alice');
    expect(await other.memberData.kept('alice')).toMatchObject({ lastCards: [card] });
    await aMinuteLater(() => !other.cards.has('alice'));
  }
  expect(await other.requests()).toEqual([['alice', expect.stringContaining(utcDay(TODAY_MS))]]);
  vi.setSystemTime(TODAY_MS + 2 * DAY_MS);
  await aMinuteLater(async () => (await other.requests()).length === 0);
});

it('a wish that could not be carried out is tried until it can', async () => {
  const { ledger, memberData, cards, requests } = await process();
  await memberData.forget('alice');
  const { deleteDays } = ledger;
  const fails = vi.spyOn(ledger, 'deleteDays').mockResolvedValue(false);
  vi.setSystemTime(TODAY_MS + 2 * DAY_MS);
  await aMinuteLater(() => fails.mock.calls.length > 0);
  cards.set('alice', ['Emberwing Drake']);
  fails.mockImplementation(deleteDays.bind(ledger));
  await aMinuteLater(async () => !cards.has('alice') && (await requests()).length === 0);
});

it('a wish without a time is dropped', async () => {
  const { rows, requests } = await process();
  await rows.write([{ part: DELETION_REQUESTS, key: 'alice', value: 'soon' }], { keepMs: MINUTE_MS * 9 });
  await aMinuteLater(async () => (await requests()).length === 0);
});

it('last cards that are not kept are none that nobody has looked up', async () => {
  const { memberData } = await process(undefined, false);
  expect((await memberData.kept('alice')).lastCards).toBe('off');
});

it('a request that cannot be kept is not said to be done', async () => {
  const { rows, memberData } = await process();
  const write = rows.write.bind(rows);
  vi.spyOn(rows, 'write').mockImplementation(async (changes, options) =>
    changes[0]?.part === DELETION_REQUESTS ? undefined : write(changes, options),
  );
  expect(await memberData.forget('alice')).toMatchObject({ isForgotten: false });
});

it('what a member looked up last is shown and deleted in the catalogs of all card services', async () => {
  const folder = temporaryFolder();
  const { log } = logLines();
  const history = sqliteMemberHistory(folder, log, () => {});
  expect(await history.lastCards('alice')).toEqual([]);
  for (const name of ['', 'names-0a1b2c3d']) {
    const catalog = new CatalogDatabase(join(folder, name), log);
    catalog.addAsked(`card ${name}`, { memberId: 'alice', guildId: undefined }, 1, true);
    catalog.close();
  }
  expect(await history.lastCards('alice')).toHaveLength(2);
  expect(await history.forget('alice')).toBe(true);
  expect(await history.lastCards('alice')).toEqual([]);
  const files = ['', 'names-0a1b2c3d'].map((name) => readFileSync(join(folder, name, 'catalog.sqlite'), 'latin1'));
  expect(files.filter((file) => file.includes('alice'))).toEqual([]);
});
