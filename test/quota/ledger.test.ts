import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { type Bookings, WATCHES_REQUESTER } from '../../src/model/quota.ts';
import type { Ledger } from '../../src/quota/ledger.ts';
import { DAY_MS, nextUtcMidnightMs, utcDay } from '../../src/time.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { msOf, played, type Steps } from '../support/limiter-script.ts';
import { requesterOf } from '../support/lookup-queue.ts';
import { processOver } from '../support/processes-over-redis.ts';
import { startRedis } from '../support/redis.ts';
import { inFiles, inRedis } from '../support/stores.ts';
import { expectSaid, table } from '../table.ts';

/** Just before the next midnight: Redis would at once forget what is booked on a day long ago. */
const LATE_MS = nextUtcMidnightMs(Date.now()) - 1_000;
const TODAY = utcDay(LATE_MS);
const NOON_MS = LATE_MS - (LATE_MS % DAY_MS) + DAY_MS / 2;
const [ALICE, BOB] = [requesterOf('alice'), requesterOf('bob')];

beforeEach(() =>
  fakeTimers({ now: LATE_MS, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);

interface Books {
  /** The ledger of a process that asks this card service, or the first one. */
  open(service?: string): Promise<Ledger>;
  /** By the name of the process; the one that steps are about is `here`. */
  ledgers: Map<string, Ledger>;
  here: string;
  ledger: Ledger;
  booking?: ReturnType<Ledger['spent']>;
}

const inFull = ({ requests, refused, saved }: Bookings) => `${requests} ${refused} ${saved}`;

/** What is told of places is requests, refused ones and saved ones. The process `abc` asks another card service. */
const STEPS: Steps<Books> = [
  [/^(\S+) spends$/, (books, who) => Object.assign(books, { booking: books.ledger.spent(requesterOf(who)) })],
  [/^refused$/, ({ ledger, booking }) => booking && ledger.refused(booking)],
  [/^(\S+) saves$/, ({ ledger }, who) => ledger.saved(requesterOf(who))],
  [/^noon$/, () => void vi.setSystemTime(NOON_MS)],
  [/^clock (.+)$/, (_, span) => void vi.setSystemTime(Date.now() + msOf(span))],
  [
    /^restart$/,
    async (books) => {
      await books.ledger.close();
      books.ledger = await books.open(books.here);
    },
  ],
  [
    /^in (\w+)$/,
    async (books, name) => {
      books.ledgers.set(books.here, books.ledger);
      books.ledger = books.ledgers.get(name) ?? (await books.open(name));
      books.here = name;
    },
  ],
  [/^member (\S+)$/, async ({ ledger }, who) => inFull(await ledger.memberToday(who))],
  [/^server of (\S+)$/, async ({ ledger }, who) => inFull(await ledger.guildToday(requesterOf(who)))],
  [
    /^foreign$/,
    async ({ ledger }) => inFull(await ledger.guildToday({ ...requesterOf('anybody'), isInstalled: false })),
  ],
  [/^watches$/, async ({ ledger }) => inFull(await ledger.guildToday(WATCHES_REQUESTER))],
  [
    /^top of (\S+)$/,
    async ({ ledger }, who) => {
      const members = await ledger.topMembers(requesterOf(who), 5);
      return members.map(({ memberId, requests }) => `${memberId} ${requests}`).join(', ') || 'nobody';
    },
  ],
  [
    /^hours$/,
    async ({ ledger }) => {
      const hours = (await ledger.hours()).map(({ requests, saved }) => `${requests} ${saved}`);
      return hours.flatMap((told, hour) => (told === '0 0' ? [] : `${hour} h: ${told}`)).join(', ');
    },
  ],
  [
    /^kept of (\S+)$/,
    async ({ ledger }, who) => {
      const kept = await ledger.keptOf(who);
      return `${kept?.days} days ${kept?.requests} ${kept?.saved}`;
    },
  ],
  [/^forget (\S+)$/, async ({ ledger }, who) => String(await ledger.deleteDays(who, TODAY))],
];

const NOTHING: Bookings = { requests: 0, refused: 0, saved: 0 };
const opened = async () => (await inFiles())();

async function booksInFiles() {
  const place = await inFiles();
  const open = async (name?: string) => (await place(name === 'abc' ? name : undefined)).ledger;
  return { open, ledgers: new Map(), here: 'here', ledger: await open() };
}

it.each(table`
  counts the requests to each card service by themselves; what is kept about a member is all of it
    | alice spends; bob saves; restart; in abc; server of alice; alice spends; alice@ spends; alice saves; restart;
      member alice; server of alice; top of alice; hours; in here; member alice; kept of alice; forget alice;
      kept of alice; in abc; top of alice; in here; server of alice@; kept of bob
    | 0 0 0 | 2 0 1 | 1 0 1 | alice 1 | 23 h: 2 1 | 1 0 0 | 1 days 3 1 | true | 0 days 0 0 | nobody | 0 0 0 | 1 days 0 1
  counts by hour of the day, across restarts, also of a clock that was ahead; a refusal is taken back
    | noon; alice spends; bob spends; refused; bob saves; restart; clock 2 h; alice@other spends; alice@ saves;
      alice saves; clock 1 h; alice spends; clock -1 h; hours; server of bob
    | 12 h: 1 1, 14 h: 1 2 | 2 1 2
  has what was sent for watches apart, and 429s apart from requests
    | noon; alice spends; watches spends; alice spends; refused; watches; hours; member alice
    | 1 0 0 | 12 h: 2 0 | 1 1 0
  takes a refused request back from the day it was booked on, though by another process
    | alice spends; in other; clock 1 s; refused; in here; server of alice; clock -1 s; server of alice
    | 0 0 0 | 0 1 0
  never counts below zero requests | alice spends; refused; refused; server of alice; top of alice
    | 0 2 0 | nobody
  books on the member in all servers, and on the server for all members, of whom it lists those who caused most
    | alice spends; bob spends; bob spends; alice@other spends; alice@ spends; carol saves; restart; member alice;
      server of bob; server of alice@; top of alice
    | 3 0 0 | 3 0 1 | 1 0 0 | bob 2, alice 1
  books what comes without the install of a server on the member, and on all foreign places together
    | alice@guild! spends; alice@! spends; bob@other! saves; alice spends; restart; foreign; server of alice@other!;
      server of alice; member alice; forget alice; member alice
    | 2 0 1 | 2 0 1 | 1 0 0 | 3 0 0 | true | 0 0 0
  says what it holds about a member, and deletes that of a day and before, and nothing else
    | alice spends; alice@ spends; bob spends; alice@other spends; refused; alice@other saves; kept of alice;
      kept of nobody; clock 1 s; alice spends; forget alice; kept of alice; clock -1 s; member alice; top of bob;
      server of alice@
    | 1 days 2 1 | 0 days 0 0 | true | 1 days 1 0 | 0 0 0 | bob 1 | 0 0 0
  counts by UTC day | alice spends; alice saves; alice saves; clock 1 s; alice saves; server of alice; clock -1 s;
      server of alice
    | 0 0 1 | 1 0 2
`)(
  '%s',
  expectSaid(async (script) => played(await booksInFiles(), script, STEPS)),
);

it('deletes what is kept of a member without reading the names of others', async () => {
  const { ledger, rows } = await opened();
  for (const requester of [ALICE, BOB]) ledger.spent(requester);
  const read = vi.spyOn(rows, 'read');
  expect(await ledger.deleteDays('alice', TODAY)).toBe(true);
  expect(read.mock.calls.filter(([part]) => !part.endsWith(':of:alice'))).toEqual([]);
});

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

it('keeps 35 days, and deletes a day some parts at a time, so that no command waits for all of it', async () => {
  vi.setSystemTime(NOON_MS);
  const { database, ledger } = await opened();
  for (let member = 0; member < 1_200; member++) ledger.saved({ memberId: String(member), guildId: 'guild' });
  await ledger.close();
  const rows = () => Number(database.prepare('SELECT count(*) AS rows FROM rows').get()?.rows);
  const before = rows();
  vi.setSystemTime(NOON_MS + 35 * DAY_MS);
  vi.advanceTimersByTime(60_000);
  expect([before, rows()]).toEqual([1_202, 1_202]);
  vi.setSystemTime(NOON_MS + 36 * DAY_MS);
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
  expect(await ledger.guildToday(ALICE)).toEqual(NOTHING);
  expect([await ledger.topMembers(ALICE, 5), await ledger.hours(), await ledger.keptOf('alice')]).toEqual([
    [],
    [],
    undefined,
  ]);
  expect(await ledger.deleteDays('alice', TODAY)).toBe(false);
  part(false);
  expect(await ledger.guildToday(ALICE)).toEqual({ ...NOTHING, requests: 1 });
});

it('is closed when all that was being written has its answer', async () => {
  const { rows, ledger } = await (await inFiles())();
  const answer = Promise.withResolvers<boolean>();
  vi.spyOn(rows, 'write').mockReturnValueOnce(answer.promise);
  ledger.spent(ALICE);
  ledger.spent(BOB);
  let isClosed = false;
  const closed = ledger.close().then(() => {
    isClosed = true;
  });
  await setImmediate();
  expect(isClosed).toBe(false);
  answer.resolve(true);
  await closed;
});

it('over Redis counts its own bookings exactly while these are being written, and those of others at once', async () => {
  fakeTimers({ now: LATE_MS, toFake: ['Date'] });
  const open = await inRedis();
  const [{ ledger }, { ledger: other }] = [await open(), await open()];
  for (let requests = 1; requests <= 50; requests++) {
    ledger.spent(ALICE);
    expect((await ledger.memberToday('alice')).requests).toBe(requests);
  }
  expect((await other.memberToday('alice')).requests).toBe(50);
  for (const memberId of ['3', '10', '2']) ledger.spent({ memberId, guildId: 'other' });
  await ledger.close();
  const top = await other.topMembers(requesterOf('alice@other'), 2); // equal ones by their ids
  expect(top.map(({ memberId }) => memberId)).toEqual(['10', '2']);
});
