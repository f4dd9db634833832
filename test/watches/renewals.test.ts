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
  const { queue, cards, limiter, ledger, storedCards } = lookupQueueOver(
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
  /** A member asks, and has the answer. */
  const answers = async (cardId: string) => {
    const asked = queue.enqueue(lookup(cardId, by('bob')));
    await pass(1_000);
    return asked;
  };
  return { service, queue, ledger, renewals, requested, keep, log, storedCards, find, answers };
}

/** The same, and it renews. */
async function renewing(...given: Parameters<typeof evening>) {
  const begun = await evening(...given);
  begun.renewals.start();
  return begun;
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

it('leaves members twice the reserve', async () => {
  const { requested } = await renewing(IDS.slice(0, 40), { usedToday: 884 });
  await pass(55 * MINUTE_MS);
  expect(requested()).toHaveLength(15); // of 115
});

it('carries as many cards as a list may, with one request', async () => {
  const { requested, ledger } = await renewing(IDS.slice(0, 40), { bulkPath: '/cards?ids={ids}' });
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
  const { renewals, requested, queue, ledger, answers } = await evening([FIRST]);
  await answers(SECOND);
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
  const { requested, keep } = await renewing([FIRST, SECOND]);
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
  const { requested, service, queue, answers } = await renewing([FIRST]);
  await pass(100); // waits for a full bucket
  service.storm(10 * MINUTE_MS);
  const refused = queue.enqueue(lookup(SECOND, by('bob'))).catch(() => {});
  await pass(11 * MINUTE_MS);
  await refused;
  expect(requested()).toEqual([SECOND]);
  await answers(THIRD);
  await pass(11 * MINUTE_MS);
  expect(requested()).toEqual([SECOND, THIRD, FIRST]);
});

it('a card that the service denies, or answers with nonsense, rests until the reset', async () => {
  const { renewals, requested, service } = await evening(['unknown-1', FIRST], { hoursLeft: 2 });
  service.script({ path: `/cards/${FIRST}`, status: 200, body: {} });
  renewals.start();
  await pass(1.9 * HOUR_MS);
  expect(requested().sort()).toEqual([FIRST, 'unknown-1']);
});

it('renews again on the next day when its first request comes in the evening, too', async () => {
  const { requested, storedCards, answers } = await renewing([FIRST, SECOND]);
  await pass(HOUR_MS);
  expect(requested()).toEqual([FIRST, SECOND]);
  vi.setSystemTime(RESET_MS + 23 * HOUR_MS);
  storedCards.delete('card-60');
  await answers('card-60');
  await pass(30 * MINUTE_MS);
  expect(requested()).toEqual([FIRST, SECOND, 'card-60', FIRST, SECOND]);
});

it('a 429 stops it until a member has had an answer', async () => {
  const { requested, service, answers } = await renewing(IDS.slice(0, 20));
  await pass(6_000);
  const before = requested().length;
  service.storm(10_000);
  await pass(10 * MINUTE_MS);
  expect(requested().length - before).toBe(1); // refused
  await answers('card-50');
  await pass(5 * MINUTE_MS);
  expect(requested().length - before).toBeGreaterThan(10);
});

it('plans anew every ten minutes: the reset or the clock may have moved', async () => {
  const { requested } = await renewing([FIRST], { hoursLeft: 20 });
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
  const { requested } = await renewing([FIRST], { claims });
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
  const claim = vi.fn<Claims['claim']>(async (name) => (name === 'watch renewals' ? 'unavailable' : 'mine'));
  const claims: Claims = { isShared: true, claim, release: async () => {} };
  const { requested } = await renewing([FIRST], { claims });
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
  const { renewals, requested } = await renewing(IDS.slice(0, 20));
  await pass(20_000);
  const sent = requested().length;
  renewals.close();
  await pass(10 * MINUTE_MS);
  expect(requested().length).toBe(sent + 1); // it waited for its permit
});

/** A service that states no figures, and of whose day no plan tells either. */
const WITHOUT_DAY = { hasWindow: false, hoursLeft: 20 } as const;

it('without a day renews each card once while its price is not fresh, one at a time, again when it is old again', async () => {
  const { requested, service } = await renewing([FIRST, SECOND, 'card-4'], {
    ...WITHOUT_DAY,
    bulkPath: '/cards?ids={ids}',
  });
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
  const { requested } = await renewing([FIRST], { ...WITHOUT_DAY, lengths: () => lengths });
  await pass(10 * MINUTE_MS);
  expect(requested()).toEqual([]);
  lengths[0] = 0;
  await pass(2 * MINUTE_MS);
  expect(requested()).toEqual([FIRST]);
});
