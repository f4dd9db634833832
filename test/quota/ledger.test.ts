import { beforeEach, expect, it, vi } from 'vitest';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../src/time/utc-day.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { processOver } from '../support/processes-over-redis.ts';
import { startRedis } from '../support/redis.ts';
import { inFiles, inRedis } from '../support/stores.ts';

/** Just before the next midnight: Redis would at once forget what is booked on a day long ago. */
const LATE_MS = nextUtcMidnightMs(Date.now()) - 1_000;
const TODAY = utcDay(LATE_MS);
const ALICE = { memberId: 'alice', guildId: 'guild' };
const BOB = { memberId: 'bob', guildId: 'guild' };
const ALICE_ELSEWHERE = { memberId: 'alice', guildId: 'other' };
const ALICE_IN_PRIVATE = { memberId: 'alice', guildId: undefined };

beforeEach(() =>
  fakeTimers({ now: LATE_MS, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);

const booked = (requests: number, refused: number, saved: number) => ({ requests, refused, saved });

/** A ledger, and the same in its next run. */
async function opened() {
  const open = await inFiles();
  const stores = await open();
  const restarted = async () => {
    await stores.ledger.close();
    return (await open()).ledger;
  };
  return { ...stores, open, restarted };
}

it('is written at each request and refusal, and a second after what was saved', async () => {
  const { ledger, rows } = await opened();
  const write = vi.spyOn(rows, 'write');
  const written = (act: () => unknown) => {
    write.mockClear();
    act();
    return write.mock.calls.length;
  };
  const booking = ledger.spent(ALICE);
  expect([written(() => ledger.spent(BOB)), written(() => ledger.refused(booking))]).toEqual([1, 1]);
  expect(written(() => ledger.saved(ALICE))).toBe(0);
  expect(written(() => vi.advanceTimersByTime(999))).toBe(0);
  expect(written(() => vi.advanceTimersByTime(1))).toBe(1);
  ledger.saved(BOB);
  expect([written(() => ledger.spent(ALICE)), written(() => vi.advanceTimersByTime(1_000))]).toEqual([1, 0]);
});

it('counts the requests to each card service by themselves; what is kept about a member is all of it', async () => {
  const { open, ledger: before, restarted } = await opened();
  before.spent(ALICE);
  before.saved(BOB);
  const again = await restarted();
  const { ledger: other } = await open('abc');
  expect(await other.guildToday(ALICE)).toEqual(booked(0, 0, 0));
  other.spent(ALICE);
  other.spent(ALICE_IN_PRIVATE);
  other.saved(ALICE);
  await other.close();
  expect((await other.memberToday('alice')).requests).toBe(2);
  expect((await other.guildToday(ALICE)).requests).toBe(1);
  expect(await other.topMembers(ALICE, 5)).toEqual([{ memberId: 'alice', requests: 1 }]);
  expect((await other.hours()).at(-1)).toEqual({ requests: 2, saved: 1 });

  expect((await again.memberToday('alice')).requests).toBe(1);
  expect(await again.keptOf('alice')).toEqual({ days: 1, requests: 3, saved: 1 });
  expect(await again.deleteDays('alice', TODAY)).toBe(true);
  expect(await again.keptOf('alice')).toEqual({ days: 0, requests: 0, saved: 0 });
  expect(await other.topMembers(ALICE, 5)).toEqual([]);
  expect((await again.guildToday(ALICE_IN_PRIVATE)).requests).toBe(0);
  expect(await again.keptOf('bob')).toMatchObject({ saved: 1 });
});

it('counts by hour of the day, across restarts; a refusal is taken back', async () => {
  const noonMs = LATE_MS - (LATE_MS % DAY_MS) + 12 * 3_600_000;
  vi.setSystemTime(noonMs + 1);
  const { ledger, restarted } = await opened();
  ledger.spent(ALICE);
  ledger.refused(ledger.spent(BOB));
  ledger.saved(BOB);
  const next = await restarted();
  vi.setSystemTime(noonMs + 2 * 3_600_000);
  next.spent(ALICE_ELSEWHERE);
  next.saved(ALICE_IN_PRIVATE);
  next.saved(ALICE);
  vi.setSystemTime(noonMs + 3 * 3_600_000);
  next.spent(ALICE); // by a clock that was ahead
  vi.setSystemTime(noonMs + 2 * 3_600_000);
  const idle = { requests: 0, saved: 0 };
  expect(await next.hours()).toEqual([
    ...Array(12).fill(idle),
    { requests: 1, saved: 1 },
    idle,
    { requests: 1, saved: 2 },
  ]);
  expect(await next.guildToday(BOB)).toEqual(booked(2, 1, 2));
});

it('has what was sent for watches apart, and 429s apart from requests', async () => {
  const { ledger } = await opened();
  ledger.spent(ALICE);
  ledger.spent(WATCHES_REQUESTER);
  ledger.refused(ledger.spent(ALICE));
  expect(await ledger.watchesToday()).toEqual(booked(1, 0, 0));
  expect((await ledger.hours()).at(-1)).toEqual({ requests: 2, saved: 0 });
  expect(await ledger.memberToday('alice')).toEqual(booked(1, 1, 0));
});

it('takes a refused request back from the day it was booked on, though by another process', async () => {
  const { open, ledger } = await opened();
  const { ledger: other } = await open();
  const booking = ledger.spent(ALICE);
  vi.setSystemTime(LATE_MS + 1_000);
  other.refused(booking);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(0, 0, 0));
  vi.setSystemTime(LATE_MS);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(0, 1, 0));
});

it('never counts below zero requests', async () => {
  const { ledger } = await opened();
  const booking = ledger.spent(ALICE);
  for (let times = 0; times < 2; times++) ledger.refused(booking);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(0, 2, 0));
  expect(await ledger.topMembers(ALICE, 5)).toEqual([]);
});

it('books on the member in all servers, and on the server for all members, of whom it lists those who caused most', async () => {
  const { ledger, restarted } = await opened();
  for (const requester of [ALICE, BOB, BOB, ALICE_ELSEWHERE, ALICE_IN_PRIVATE]) ledger.spent(requester);
  ledger.saved({ memberId: 'carol', guildId: 'guild' });
  const next = await restarted();
  expect((await next.memberToday('alice')).requests).toBe(3);
  expect((await next.guildToday(BOB)).requests).toBe(3);
  expect((await next.guildToday(ALICE_IN_PRIVATE)).requests).toBe(1);
  expect(await next.topMembers(ALICE, 5)).toEqual([
    { memberId: 'bob', requests: 2 },
    { memberId: 'alice', requests: 1 },
  ]);
});

it('books what comes without the install of a server on the member, and on all foreign places together', async () => {
  const { ledger, restarted } = await opened();
  ledger.spent({ ...ALICE, isInstalled: false });
  ledger.spent({ ...ALICE_IN_PRIVATE, channelId: 'group', isInstalled: false });
  ledger.saved({ ...BOB, guildId: 'other', isInstalled: false });
  ledger.spent({ ...ALICE, isInstalled: true });
  const next = await restarted();
  expect(await next.foreignToday()).toEqual(booked(2, 0, 1));
  expect((await next.guildToday({ ...ALICE_ELSEWHERE, isInstalled: false })).requests).toBe(2);
  expect((await next.guildToday(ALICE)).requests).toBe(1);
  expect((await next.memberToday('alice')).requests).toBe(3);
  expect(await next.deleteDays('alice', TODAY)).toBe(true);
  expect((await next.memberToday('alice')).requests).toBe(0);
});

it('says what it holds about a member, and deletes that of a day and before, and nothing else, without reading the names of others', async () => {
  const { ledger, rows } = await opened();
  for (const requester of [ALICE, ALICE_IN_PRIVATE, BOB]) ledger.spent(requester);
  ledger.refused(ledger.spent(ALICE_ELSEWHERE));
  ledger.saved(ALICE_ELSEWHERE);
  expect(await ledger.keptOf('alice')).toEqual({ days: 1, requests: 2, saved: 1 });
  expect(await ledger.keptOf('nobody')).toEqual({ days: 0, requests: 0, saved: 0 });
  vi.setSystemTime(LATE_MS + 1_000);
  ledger.spent(ALICE);
  const read = vi.spyOn(rows, 'read');
  expect(await ledger.deleteDays('alice', TODAY)).toBe(true);
  expect(read.mock.calls.filter(([part]) => !part.endsWith(':of:alice'))).toEqual([]);
  expect(await ledger.keptOf('alice')).toEqual({ days: 1, requests: 1, saved: 0 });
  vi.setSystemTime(LATE_MS);
  expect(await ledger.memberToday('alice')).toEqual(booked(0, 0, 0));
  expect(await ledger.topMembers(BOB, 5)).toEqual([{ memberId: 'bob', requests: 1 }]);
  expect((await ledger.guildToday(ALICE_IN_PRIVATE)).requests).toBe(0);
});

it('counts by UTC day', async () => {
  const { ledger } = await opened();
  ledger.spent(ALICE);
  for (let times = 0; times < 2; times++) ledger.saved(ALICE); // counted a moment later, which is tomorrow
  vi.setSystemTime(LATE_MS + 1_000);
  ledger.saved(ALICE);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(0, 0, 1));
  vi.setSystemTime(LATE_MS);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(1, 0, 2));
});

it('keeps 35 days, and deletes a day some parts at a time, so that no command waits for all of it', async () => {
  const noonMs = Date.UTC(2026, 10, 20, 12);
  vi.setSystemTime(noonMs);
  const { database, ledger } = await opened();
  for (let member = 0; member < 1_200; member++) ledger.saved({ memberId: String(member), guildId: 'guild' });
  await ledger.close();
  const rows = () => Number(database.prepare('SELECT count(*) AS rows FROM rows').get()?.rows);
  const before = rows();
  vi.setSystemTime(noonMs + 35 * DAY_MS);
  vi.advanceTimersByTime(60_000);
  expect([before, rows()]).toEqual([1_202, 1_202]);
  vi.setSystemTime(noonMs + 36 * DAY_MS);
  const left = [1, 2, 3].map(() => {
    vi.advanceTimersByTime(60_000);
    return rows();
  });
  expect([Number(left[0]) > 0, left.at(-1)]).toEqual([true, 0]);
});

it('counts nothing of what its store may not have taken, says 0 while it cannot be read, and throws nothing', async () => {
  const { ledger, part } = await processOver(await startRedis());
  ledger.spent(ALICE);
  await ledger.close();
  part(true);
  ledger.refused(ledger.spent(BOB));
  ledger.saved(BOB);
  await ledger.close();
  expect(await ledger.guildToday(ALICE)).toEqual(booked(0, 0, 0));
  expect([await ledger.topMembers(ALICE, 5), await ledger.hours(), await ledger.keptOf('alice')]).toEqual([
    [],
    [],
    undefined,
  ]);
  expect(await ledger.deleteDays('alice', TODAY)).toBe(false);
  part(false);
  expect(await ledger.guildToday(ALICE)).toEqual(booked(1, 0, 0));
});

it('over Redis counts its own bookings exactly while these are being written, and those of others at once', async () => {
  vi.useRealTimers();
  const open = await inRedis();
  const [{ ledger }, { ledger: other }] = [await open(), await open()];
  for (let requests = 1; requests <= 50; requests++) {
    ledger.spent(ALICE);
    expect((await ledger.memberToday('alice')).requests).toBe(requests);
  }
  expect((await other.memberToday('alice')).requests).toBe(50);
  for (const memberId of ['3', '10', '2']) ledger.spent({ memberId, guildId: 'other' });
  await ledger.close();
  const top = await other.topMembers(ALICE_ELSEWHERE, 2); // equal ones by their ids
  expect(top.map(({ memberId }) => memberId)).toEqual(['10', '2']);
});
