import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type CardServiceOptions, EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { type Claims, LocalClaims } from '../../src/model/claims.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import { WatchRenewals } from '../../src/watches/renewals.ts';
import { by, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const RESET_MS = Date.UTC(2026, 10, 22);
const OLD_MS = RESET_MS - 60 * HOUR_MS;

const CARDS = Array.from({ length: 60 }, (_, index) => ({
  id: `card-${index + 1}`,
  name: `Card ${index + 1}`,
  tcg: 'Lanternfolk',
  set: { id: 'watched', name: 'Watched' },
  prices: { market: 1 },
}));
const IDS = CARDS.map(({ id }) => id);
const ANY_CARD = { name: 'Card', game: 'Lanternfolk', set: { id: 'watched', name: 'Watched' } };
const [FIRST = '', SECOND = '', THIRD = ''] = IDS;

/** Some hours before the reset; a member's lookup has just told what remains of the day. */
async function evening(
  watched: readonly string[],
  {
    usedToday = 0,
    hoursLeft = 1,
    bulkPath,
    claims = new LocalClaims(),
    lengths = () => [],
    hasWindow = true,
    requestsPerMonth,
    ...more
  }: Partial<CardServiceOptions> & {
    hoursLeft?: number;
    bulkPath?: string;
    claims?: Claims;
    lengths?: () => number[];
    hasWindow?: boolean;
    requestsPerMonth?: number;
  } = {},
) {
  vi.useFakeTimers({ now: RESET_MS - hoursLeft * HOUR_MS });
  onTestFinished(() => void vi.useRealTimers());
  const service = new EmbeddedCardService({ plan: 'free', cards: CARDS, latencyMs: 200, usedToday, ...more });
  if (!hasWindow) service.set({ oddFigures: 'limit 0' });
  const bulk = bulkPath ? { bulk: { bulkPath, most: 20 } } : {};
  const { queue, cards, limiter, ledger, storedCards, lines } = lookupQueueOver(
    service,
    { plan: 'free', requestsPerMonth },
    { claims, otherQueues: { tell: () => {}, lengths }, ...bulk },
  );
  const log = vi.fn();
  const find = vi.fn(async () => watched.map((cardId) => ({ cardId })));
  const renewals = new WatchRenewals({
    watches: { find },
    cards,
    lookupQueue: queue,
    limiter,
    ledger,
    claims,
    hasWindow,
    log: { error: log } as never,
  });
  onTestFinished(() => renewals.close());
  const known = queue.enqueue(lookup('card-60'));
  await vi.advanceTimersByTimeAsync(200);
  await known;
  const told = service.requests.length;
  /** What was requested for watches and others since then. */
  const requested = () =>
    service.requests.slice(told).map(({ path, cardIds }) => cardIds?.join(' ') ?? path.split(/[/?]/)[2]);
  const keep = (cardId: string, record: Partial<CardRecord>) =>
    storedCards.set(cardId, { card: { ...ANY_CARD, id: cardId }, fetchedAtMs: OLD_MS, ...record });
  return { service, queue, limiter, ledger, renewals, requested, keep, lines, log, storedCards, find };
}

/** Second by second: reading what is watched lets others run, in real time. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
    await vi.advanceTimersByTimeAsync(Math.min(leftMs, 1_000));
    await nextLoopIteration();
  }
}

it('renews what is not fresh, the oldest price first, one at a time, each from a full bucket', async () => {
  const { renewals, requested, keep, ledger, service } = await evening([FIRST, SECOND, THIRD, 'card-4']);
  keep(FIRST, { fetchedAtMs: OLD_MS + 2 });
  keep(SECOND, { fetchedAtMs: OLD_MS + 1 });
  keep(THIRD, { fetchedAtMs: Date.now() - HOUR_MS }); // fresh
  renewals.start();
  await pass(6_000);
  expect(requested()).toEqual(['card-4']); // never fetched
  await pass(13_000);
  expect(requested()).toEqual(['card-4', SECOND, FIRST]);
  await pass(30 * MINUTE_MS);
  expect(requested()).toHaveLength(3);
  expect(await ledger.watchesToday()).toEqual({ requests: 3, refused: 0, saved: 0 });
  expect((await ledger.memberToday('alice')).requests).toBe(1);
  expect(service.counts.byStatus[429]).toBeUndefined();
});

it('rests until there may be something to renew', async () => {
  const { renewals, ledger } = await evening([FIRST], { hoursLeft: 10 });
  const planned = vi.spyOn(ledger, 'lastHours');
  renewals.start();
  await pass(MINUTE_MS);
  expect(planned).toHaveBeenCalledTimes(1);
  renewals.close();
  await pass(20 * MINUTE_MS);
  expect(planned).toHaveBeenCalledTimes(1);
});

it('spends half of what remains beyond the reserve on the first day, and no more', async () => {
  const { renewals, requested } = await evening(IDS.slice(0, 40), { usedToday: 869 });
  renewals.start();
  await pass(55 * MINUTE_MS);
  expect(requested()).toHaveLength(15); // of 130: 50 are the reserve, half of 130 is for members
});

it('leaves twice what members asked for until the reset on the busiest of the last seven days', async () => {
  const { renewals, requested, ledger } = await evening(IDS.slice(0, 40), { usedToday: 869, hoursLeft: 2 });
  const nowMs = Date.now();
  const booked = [
    [8.5, 1],
    [8, 400],
    [7.5, 1],
    [7, 35],
    [3, 20],
  ] as const; // ones before that time of the day: it is known by then
  for (const [daysAgo, requests] of booked) {
    vi.setSystemTime(RESET_MS - 24 * HOUR_MS * daysAgo - HOUR_MS / 2);
    for (let request = 0; request < requests; request++) ledger.spent({ memberId: 'bob', guildId: 'guild' });
  }
  vi.setSystemTime(nowMs);
  renewals.start();
  await pass(50 * MINUTE_MS);
  expect(requested()).toHaveLength(10); // of 130: 50 are the reserve, 70 are for members
});

it('leaves twice what members asked for in as many hours just past as there are until the reset', async () => {
  const { renewals, requested, ledger } = await evening(IDS.slice(0, 40), { usedToday: 869, hoursLeft: 5.5 });
  for (const [hoursLeft, requests] of [
    [5.5, 400],
    [2.5, 35],
  ] as const) {
    vi.setSystemTime(RESET_MS - hoursLeft * HOUR_MS);
    for (let request = 0; request < requests; request++) ledger.spent({ memberId: 'bob', guildId: 'guild' });
  }
  vi.setSystemTime(RESET_MS - 2 * HOUR_MS);
  renewals.start();
  await pass(10 * MINUTE_MS);
  expect(requested()).toHaveLength(10); // of 130: 50 are the reserve, 70 are for members
});

it.each([
  ['half of it on the first day', [], true],
  ['what members want of it by the busiest of the last seven days', [20, 1], false],
  ['no more than that', [10, 10], true],
])('of a month it leaves %s', async (_, onDaysBefore, isRenewed) => {
  const { renewals, requested, ledger } = await evening(IDS.slice(0, 40), { requestsPerMonth: 300 });
  const nowMs = Date.now();
  const spend = (daysAgo: number, requests: number) => {
    vi.setSystemTime(nowMs - 24 * HOUR_MS * daysAgo);
    for (let request = 0; request < requests; request++) ledger.spent({ memberId: 'bob', guildId: 'guild' });
  };
  if (onDaysBefore.length > 0) spend(3, 1); // since then, it is known
  for (const [at, requests] of onDaysBefore.entries()) spend(at + 0.5, requests);
  vi.setSystemTime(nowMs);
  renewals.start();
  await pass(MINUTE_MS);
  expect(requested().length > 0).toBe(isRenewed);
});

it('carries as many cards as a list may, with one request', async () => {
  const { renewals, requested, ledger } = await evening(IDS.slice(0, 40), { bulkPath: '/cards?ids={ids}' });
  renewals.start();
  await pass(MINUTE_MS);
  expect(requested().length).toBeLessThanOrEqual(3);
  expect(requested().join(' ').split(' ').sort()).toEqual(IDS.slice(0, 40).sort());
  expect((await ledger.watchesToday()).requests).toBeLessThanOrEqual(3);
});

it('waits a minute after a list of which one card was not answered', async () => {
  const watched = ['unknown-1', ...IDS.slice(0, 39)];
  const { renewals, requested, service } = await evening(watched, { bulkPath: '/cards?ids={ids}' });
  service.script({ path: '/cards/unknown-1', status: 200, body: {} });
  renewals.start();
  await pass(MINUTE_MS);
  expect(requested()).toEqual([watched.slice(0, 20).join(' '), 'unknown-1']);
  await pass(MINUTE_MS);
  expect(requested().slice(2)).toEqual([watched.slice(20).join(' ')]);
});

it.each([
  ['nothing', false],
  ['a card in every minute', true],
])('reads what is watched at most seven times in an hour in which there is %s to renew', async (_, isOld) => {
  const { renewals, keep, find } = await evening(IDS.slice(0, 50), WITHOUT_DAY);
  for (const id of IDS.slice(0, 50)) await keep(id, isOld ? {} : { fetchedAtMs: Date.now() });
  renewals.start();
  await pass(HOUR_MS);
  expect(find.mock.calls.length).toBeLessThanOrEqual(7);
});

it('a member goes first, and lifts a renewal that waits', async () => {
  const { renewals, requested, queue, ledger } = await evening([FIRST]);
  const before = queue.enqueue(lookup(SECOND, by('bob')));
  await pass(1_000);
  await before;
  renewals.start();
  await pass(100); // waits for a full bucket
  expect(requested()).toEqual([SECOND]);
  const joined = queue.enqueue(lookup(FIRST, by('carol')));
  await pass(300);
  expect((await joined).card?.id).toBe(FIRST);
  expect((await ledger.memberToday('carol')).requests).toBe(1);
  expect(await ledger.watchesToday()).toEqual({ requests: 0, refused: 0, saved: 1 });
});

it('goes on at once after a card that another process has fetched meanwhile', async () => {
  const { renewals, requested, keep } = await evening([FIRST, SECOND]);
  renewals.start();
  await pass(100); // waits for a full bucket
  keep(FIRST, { fetchedAtMs: Date.now() });
  await pass(MINUTE_MS / 2);
  expect(requested()).toEqual([SECOND]);
});

it('lets others run after fifty cards of which it reads whether they are fresh', async () => {
  const { renewals, storedCards } = await evening(IDS, WITHOUT_DAY);
  const { mock } = vi.spyOn(storedCards, 'get');
  const reads = [];
  renewals.start();
  for (let loops = 0; loops < 20; loops++) {
    await nextLoopIteration();
    reads.push(mock.calls.length);
  }
  expect(new Set(reads)).toEqual(new Set([0, 50, 60]));
});

it('a card that was refused without a request is renewed later', async () => {
  const { renewals, requested, service, queue } = await evening([FIRST]);
  renewals.start();
  await pass(100); // waits for a full bucket
  service.storm(10 * MINUTE_MS);
  const refused = queue.enqueue(lookup(SECOND, by('bob'))).catch(() => {});
  await pass(11 * MINUTE_MS);
  await refused;
  expect(requested()).toEqual([SECOND]);
  const asked = queue.enqueue(lookup(THIRD, by('bob')));
  await pass(1_000);
  await asked;
  await pass(11 * MINUTE_MS);
  expect(requested()).toEqual([SECOND, THIRD, FIRST]);
});

it('a card that the service denies, or answers with nonsense, rests until the reset', async () => {
  const { renewals, requested, service } = await evening(['unknown-1', FIRST], { hoursLeft: 3 });
  service.script({ path: `/cards/${FIRST}`, status: 200, body: {} });
  renewals.start();
  await pass(2.9 * HOUR_MS);
  expect(requested().sort()).toEqual([FIRST, 'unknown-1']);
});

it('renews again on the next day when its first request comes in the evening, too', async () => {
  const { renewals, requested, queue, storedCards } = await evening([FIRST, SECOND]);
  renewals.start();
  await pass(HOUR_MS);
  expect(requested()).toEqual([FIRST, SECOND]);
  vi.setSystemTime(RESET_MS + 23 * HOUR_MS);
  storedCards.delete('card-60');
  const first = queue.enqueue(lookup('card-60'));
  await pass(1_000);
  await first;
  await pass(30 * MINUTE_MS);
  expect(requested()).toEqual([FIRST, SECOND, 'card-60', FIRST, SECOND]);
});

it('a 429 stops it until a member has had an answer', async () => {
  const { renewals, requested, service, queue } = await evening(IDS.slice(0, 20));
  renewals.start();
  await pass(6_000);
  const before = requested().length;
  service.storm(10_000);
  await pass(10 * MINUTE_MS);
  expect(requested().length - before).toBe(1); // refused
  const asked = queue.enqueue(lookup('card-50'));
  await pass(1_000);
  await asked;
  await pass(5 * MINUTE_MS);
  expect(requested().length - before).toBeGreaterThan(10);
});

it('plans anew every ten minutes: the reset or the clock may have moved', async () => {
  const { renewals, requested } = await evening([FIRST], { hoursLeft: 20 });
  renewals.start();
  await pass(MINUTE_MS);
  vi.setSystemTime(RESET_MS - HOUR_MS);
  await pass(10 * MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
});

it('sends nothing while another process renews, or a member waits there', async () => {
  const claims = new LocalClaims();
  let waitingElsewhere = [0, 1];
  const { renewals, requested } = await evening([FIRST], { claims, lengths: () => waitingElsewhere });
  await claims.claim('watch renewals', { ttlMs: 5 * MINUTE_MS, endsWithOwner: true });
  renewals.start();
  await pass(10 * MINUTE_MS);
  waitingElsewhere = [0, 0];
  await claims.claim('watch renewals', { ttlMs: 5 * MINUTE_MS, endsWithOwner: true });
  await pass(4 * MINUTE_MS);
  expect(requested()).toEqual([]);
  await pass(3 * MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
});

it('keeps others from renewing for five minutes, unless it has ended before', async () => {
  const claims = new LocalClaims();
  const other = () => claims.claim('watch renewals', { ttlMs: 1, endsWithOwner: true });
  const claim = vi.spyOn(claims, 'claim');
  const { renewals, requested } = await evening([FIRST], { claims });
  renewals.start();
  await pass(100); // waits for a full bucket
  expect(claim).toHaveBeenCalledWith('watch renewals', expect.objectContaining({ endsWithOwner: true }));
  expect(await other()).toEqual({ heldForMs: 5 * MINUTE_MS - 100 });
  await pass(MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
  expect(await other()).toBe('mine');
});

it('plans nothing while a member waits', async () => {
  const { renewals, queue } = await evening([FIRST]);
  for (const id of IDS.slice(1, 30)) void queue.enqueue(lookup(id, by('bob')));
  await pass(1_000);
  const waiting = queue.length;
  renewals.start();
  await pass(1_000);
  expect([waiting > 1, queue.length]).toEqual([true, waiting]);
});

it('sends nothing while nobody can tell whether another process renews, and asks once a minute', async () => {
  const claim = vi.fn<Claims['claim']>(async () => 'unavailable');
  const claims: Claims = { isShared: true, claim, release: async () => {} };
  const { renewals, requested } = await evening([FIRST], { claims });
  renewals.start();
  await pass(9.5 * MINUTE_MS);
  expect(requested()).toEqual([]);
  expect(claim.mock.calls.filter(([name]) => name === 'watch renewals')).toHaveLength(10);
});

it('tries again a minute after a renewal was not admitted', async () => {
  const { renewals, queue, log } = await evening(IDS.slice(0, 20));
  const admit = vi.spyOn(queue, 'admit').mockResolvedValue({ refusal: new KeyRefused({ status: 401 }) });
  renewals.start();
  await pass(5 * MINUTE_MS - 1_000);
  expect(admit).toHaveBeenCalledTimes(5);
  expect(log).not.toHaveBeenCalled();
});

it('reads once a minute what members asked for lately', async () => {
  const { renewals, requested, ledger } = await evening(IDS.slice(0, 40));
  const read = vi.spyOn(ledger, 'lastHours');
  renewals.start();
  await pass(MINUTE_MS - 1_000);
  expect(requested().length).toBeGreaterThan(3);
  expect(read).toHaveBeenCalledTimes(1);
});

it('goes on ten minutes after a fault, which is in the log once', async () => {
  const { renewals, requested, find, log } = await evening([FIRST]);
  find.mockRejectedValueOnce(new Error('fault'));
  renewals.start();
  await pass(9 * MINUTE_MS);
  expect([log.mock.calls.length, requested()]).toEqual([1, []]);
  await pass(2 * MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
});

it('plans nothing more once it is closed', async () => {
  const { renewals, requested } = await evening(IDS.slice(0, 20));
  renewals.start();
  await pass(20_000);
  const sent = requested().length;
  renewals.close();
  await pass(10 * MINUTE_MS);
  expect(requested().length).toBe(sent + 1); // it waited for its permit
});

/** A service that states no figures, and of whose day no plan tells either. */
const WITHOUT_DAY = { hasWindow: false, hoursLeft: 20 } as const;

it('without a day renews each card once while its price is not fresh, one at a time, again when it is old again', async () => {
  const { renewals, requested, service } = await evening([FIRST, SECOND, 'card-4'], {
    ...WITHOUT_DAY,
    bulkPath: '/cards?ids={ids}',
  });
  renewals.start();
  await pass(HOUR_MS);
  expect(requested().toSorted()).toEqual([FIRST, SECOND, 'card-4'].toSorted());
  await pass(6 * HOUR_MS); // for so long a price is fresh
  expect(requested().toSorted()).toEqual([FIRST, FIRST, SECOND, SECOND, 'card-4', 'card-4'].toSorted());
  expect(service.counts.byStatus[429]).toBeUndefined();
});

it('without a day asks once only for a card that the service does not answer, until the next day', async () => {
  const { renewals, requested, service } = await evening([FIRST], { ...WITHOUT_DAY, hoursLeft: 5 });
  service.set({ down: true });
  renewals.start();
  await pass(4 * HOUR_MS);
  const before = requested().length;
  expect(before).toBeLessThanOrEqual(3); // attempts of one lookup
  service.set({ down: false });
  await pass(2 * HOUR_MS);
  expect(requested()).toHaveLength(before + 1);
});

it('without a day renews nothing while a member waits', async () => {
  const lengths = [1];
  const { renewals, requested } = await evening([FIRST], { ...WITHOUT_DAY, lengths: () => lengths });
  renewals.start();
  await pass(10 * MINUTE_MS);
  expect(requested()).toEqual([]);
  lengths[0] = 0;
  await pass(2 * MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
});
