import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { decideAdmission } from '../../src/lookup/admission.ts';
import { NO_OTHER_QUEUES } from '../../src/lookup/fair-order.ts';
import type { LookupQueue } from '../../src/lookup/lookup-queue.ts';
import type { Lookup } from '../../src/lookup/pending-lookup.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { RestingCards } from '../../src/lookup/resting-cards.ts';
import { BudgetSpent, Busy, ServiceDown, Stopping } from '../../src/model/errors.ts';
import type { BudgetSetting } from '../../src/model/plan.ts';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import type { Blocked, LimiterView, PermitLane } from '../../src/quota/limiter-port.ts';
import { admitAll, by, fakeTime, lookup, lookupQueueOver, NOON_MS } from '../support/lookup-queue.ts';

const IDS = Array.from({ length: 80 }, (_, index) => `base1-${index + 1}`);
const LONGEST_WAIT_MS = 30_000;
/** Between the admission and the answer of Discord to the defer. */
const DEFER_MS = 300;

function queueOf30Seconds() {
  fakeTime();
  const service = new EmbeddedCardService();
  const { queue, ledger, storedCards } = lookupQueueOver(service, { plan: 'free' }, { longestWaitMs: LONGEST_WAIT_MS });
  return { service, queue, ledger, storedCards };
}

type Requester = (index: number) => Pick<Lookup, 'requester'>;

/** This many different cards, each wanted by the requester of its index. */
function lookups(count: number, requester: Requester): Lookup[] {
  return IDS.slice(0, count).map((id, index) => lookup(id, requester(index)));
}

/** That many at once. */
function admit(queue: LookupQueue, count: number, requester: Requester) {
  return admitAll(queue, lookups(count, requester));
}

/** A decision over a queue in which base1-1 waits for a permit and base1-2 has its request under way. */
function decisionWith({
  blocked,
  paused = false,
  permitAtMs = (position) => NOON_MS + (position - 1) * 6_000,
  isSpent = false,
  postponed,
}: {
  blocked?: Blocked;
  paused?: boolean;
  permitAtMs?: (position: number) => number;
  isSpent?: boolean;
  postponed?: string;
} = {}) {
  fakeTime();
  const nowMs = Date.now();
  const resting = new RestingCards();
  const pendingLookups = new PendingLookups(NO_OTHER_QUEUES, resting);
  for (const wish of [lookup('base1-1'), lookup('base1-2'), lookup('renewed', { lane: 'renewals' })]) {
    pendingLookups.start(pendingLookups.add({ lookup: wish, resolve: () => {}, reject: () => {} }, nowMs));
  }
  const underWay = pendingLookups.get('base1-2');
  if (underWay) pendingLookups.requested(underWay, nowMs);
  if (postponed) resting.failed(postponed, new ServiceDown({ reason: 'it answered 503', retryAfterMs: 50_000 }));
  const refusalFor = (lane: PermitLane) => (blocked?.reason === 'reserve' && lane === 'members' ? undefined : blocked);
  const limiter = { view: () => ({ paused, refusalFor }) as LimiterView };
  const allowance = { caps: { member: isSpent ? 3 : undefined, guild: undefined }, spent: { member: 3, guild: 0 } };
  return (wish: Lookup) =>
    decideAdmission(wish, allowance, { limiter, permitAtMs, pendingLookups, longestWaitMs: LONGEST_WAIT_MS });
}

describe('the decision', () => {
  const SPENT = { refusal: { name: 'BudgetSpent' } };
  const DAY_SPENT = { blocked: { reason: 'day', untilMs: NOON_MS + 60_000 } } as const;
  const LATE_MS = NOON_MS + LONGEST_WAIT_MS + 1;
  const LATE = { permitAtMs: () => LATE_MS };
  const RESERVED = { blocked: { reason: 'reserve', untilMs: NOON_MS + 1 } } as const;
  const BOB = by('bob');
  const RENEWAL = { lane: 'renewals' } as const;
  const WATCHED = { lane: 'watches', requester: WATCHES_REQUESTER } as const;
  const at = (ms: number) => ({ permitAtMs: NOON_MS + ms });
  const refused = (name: string, facts = {}) => ({ refusal: { name, ...facts } });
  const BUSY = refused('Busy', { untilMs: LATE_MS, paused: false });
  const PAUSED = refused('Busy', { untilMs: LATE_MS, paused: true });

  it.each<[string, Parameters<typeof decisionWith>[0], Lookup, object]>([
    ['admits to the next free permit', {}, lookup('new', BOB), at(6_000)],
    ['admits at once what joins a request under way', { ...DAY_SPENT, isSpent: true }, lookup('base1-2', BOB), at(0)],
    [
      'refuses what a spent day blocks, also what would join',
      DAY_SPENT,
      lookup('base1-1', BOB),
      refused('QuotaSpent', { untilMs: DAY_SPENT.blocked.untilMs }),
    ],
    ['names the block before the budget', { ...DAY_SPENT, isSpent: true }, lookup('new'), refused('QuotaSpent')],
    ['refuses what the budget does not allow', { isSpent: true }, lookup('new'), SPENT],
    ['leaves the budget aside for what joins', { isSpent: true }, lookup('base1-1', BOB), at(0)],
    ['counts a renewal that a member lifts against the budget', { isSpent: true }, lookup('renewed', BOB), SPENT],
    ['keeps the reserve from a renewal', RESERVED, lookup('new', RENEWAL), refused('KeptInReserve')],
    ['admits a renewal that joins, even then', RESERVED, lookup('renewed', RENEWAL), at(0)],
    ['leaves the budget aside for watches', { isSpent: true }, lookup('new', WATCHED), at(0)],
    ['keeps the reserve from watches', RESERVED, lookup('new', WATCHED), refused('KeptInReserve')],
    ['promises a renewal no later time', LATE, lookup('new', RENEWAL), at(0)],
    ['refuses what would wait too long', LATE, lookup('new'), BUSY],
    ['names a pause as the reason', { ...LATE, paused: true }, lookup('new'), PAUSED],
    [
      'refuses a card while no request is wanted for it',
      { postponed: 'new' },
      lookup('new'),
      refused('ServiceDown', { untilMs: NOON_MS + 50_000 }),
    ],
    ['admits other cards meanwhile', { postponed: 'new' }, lookup('other', BOB), at(6_000)],
  ])('%s', (_, inputs, wish, decided) => {
    expect(decisionWith(inputs)(wish)).toMatchObject(decided);
  });
});

describe('of 80 lookups at once', () => {
  it.each<[string, (index: number) => Pick<Lookup, 'requester'>]>([
    ['one member', () => by('eager')],
    ['20 members of each of four servers, one after the other', (index) => by(`member ${index}`, `g${index % 4}`)],
  ])('as many are admitted as get a permit in time, and all of them get it: %s', async (_, requester) => {
    const { service, queue } = queueOf30Seconds();

    const { reservations, refusals } = await admitAll(queue, lookups(80, requester));
    expect(reservations).toHaveLength(24); // 19 at once, and one each 6 s
    expect(refusals.filter((refusal) => refusal instanceof Busy)).toHaveLength(56);
    await vi.advanceTimersByTimeAsync(DEFER_MS);
    let answered = 0;
    for (const reservation of reservations) {
      void reservation.start().then(() => {
        answered += 1;
      });
    }
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);

    expect(answered).toBe(24);
    expect(service.counts.byStatus[429]).toBeUndefined();
  });

  it('a refused one is admitted at the time that its refusal named', async () => {
    const { queue } = queueOf30Seconds();
    const { reservations, refusals } = await admit(queue, 25, () => by('eager'));
    for (const reservation of reservations) void reservation.start();
    const [busy] = refusals as Busy[];
    await vi.advanceTimersByTimeAsync((busy?.untilMs ?? 0) - Date.now());
    expect(await queue.admit(lookup(IDS[24] ?? ''))).toHaveProperty('reservation');
  });
});

describe('a queue that one member has filled', () => {
  it('has a place for the first lookup of every other member; a further one has to fit behind everything', async () => {
    const { queue } = queueOf30Seconds();
    await admit(queue, 60, () => by('eager'));
    const others = [by('late'), by('late'), by('later', 'guild b')];
    const late = others.map((requester, index) => lookup(`promo-${index}`, requester));
    expect((await admitAll(queue, late)).wereAdmitted).toEqual([true, false, true]);
  });

  it('has a place for every lookup that joins a card in it', async () => {
    const { queue } = queueOf30Seconds();
    await admit(queue, 60, () => by('eager'));
    const again = [IDS[0], IDS[1]].map((id = '') => lookup(id, by('friend')));
    expect((await admitAll(queue, again)).wereAdmitted).toEqual([true, true]);
  });
});

it('LONGEST_WAIT_SECONDS=0 admits a lookup that has a permit now, even if the clock ticks while that is decided', async () => {
  fakeTime();
  const { queue } = lookupQueueOver(new EmbeddedCardService(), { plan: 'free' }, { longestWaitMs: 0 });
  let nowMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => ++nowMs);
  onTestFinished(() => void vi.mocked(Date.now).mockRestore());
  expect(await queue.admit(lookup('base1-4'))).toHaveProperty('reservation');
});

describe('a reservation', () => {
  it('is told to the other processes, until it is cancelled or has its permit; a renewal is not', async () => {
    fakeTime();
    const tell = vi.fn();
    const { queue } = lookupQueueOver(
      new EmbeddedCardService(),
      { plan: 'free' },
      { otherQueues: { tell, lengths: () => [] } },
    );
    const wishes = [lookup('a', by('gone')), lookup('b', by('stays')), lookup('c', { lane: 'renewals' })];
    const { reservations } = await admitAll(queue, wishes);
    void reservations[1]?.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(tell.mock.calls[0]).toEqual([2]);
    expect(tell).toHaveBeenLastCalledWith(1);

    reservations[0]?.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(tell).toHaveBeenLastCalledWith(0);
  });

  it('leaves its place to the next once it is cancelled', async () => {
    const { queue } = queueOf30Seconds();
    const { reservations } = await admit(queue, 24, () => by('eager'));
    const next = lookup(IDS[30] ?? '', by('eager'));
    expect(await queue.admit(next)).toHaveProperty('refusal');

    reservations[0]?.cancel();
    expect(await queue.admit(next)).toHaveProperty('reservation');
    for (const reservation of reservations) reservation.cancel();
    expect(queue.length).toBe(1);
  });

  it('leaves its place to the next when it is cancelled while it waits for its permit, and costs nothing', async () => {
    const { queue, service, ledger } = queueOf30Seconds();
    const { reservations } = await admit(queue, 24, () => by('eager'));
    for (const reservation of reservations) void reservation.start();
    await vi.advanceTimersByTimeAsync(0);
    const atOnce = service.requests.length;
    const next = lookup(IDS[30] ?? '', by('eager'));
    expect(queue.length).toBe(24 - atOnce);

    for (const reservation of reservations) reservation.cancel();
    expect(queue.length).toBe(0);
    expect(await queue.admit(next)).toHaveProperty('reservation');
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    expect(service.requests).toHaveLength(atOnce);
    expect((await ledger.today()).requests).toBe(atOnce);
  });

  it('that is cancelled leaves the request to the others who wait for it, booked on the first of them', async () => {
    const { queue, service, ledger } = queueOf30Seconds();
    const [first] = (await admitAll(queue, [lookup('base1-1', by('alice'))])).reservations;
    const [second] = (await admitAll(queue, [lookup('base1-1', by('bob'))])).reservations;
    const answer = second?.start();
    first?.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(await answer).toMatchObject({ card: { id: 'base1-1' } });
    expect(service.requests).toHaveLength(1);
    const spentBy = async (memberId: string) => (await ledger.memberToday(memberId)).requests;
    expect([await spentBy('alice'), await spentBy('bob')]).toEqual([0, 1]);
  });

  it('that is cancelled while its request is under way keeps and books the answer; without one, no other is sent', async () => {
    const { queue, service, ledger, storedCards } = queueOf30Seconds();
    service.set({ latencyMs: 1_000 });
    service.script({ path: '/base1-2', fault: 'hang' });
    const { reservations } = await admit(queue, 2, () => by('eager'));
    for (const reservation of reservations) void reservation.start();
    await vi.advanceTimersByTimeAsync(500);
    for (const reservation of reservations) reservation.cancel();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([...storedCards.keys()]).toEqual(['base1-1']);
    expect(service.requests).toHaveLength(2);
    expect((await ledger.today()).requests).toBe(2);
    expect(queue.length).toBe(0);
  });

  it('costs no request before it is started, and delays no later lookup', async () => {
    const { service, queue } = queueOf30Seconds();
    await admit(queue, 1, () => by('slow'));
    const quick = queue.enqueue(lookup(IDS[1] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);
    expect(await quick).toMatchObject({ card: { id: 'base1-2' } });
    expect(service.requests).toHaveLength(1);
  });

  it('gets the answer that came for others meanwhile, and notice of the request', async () => {
    const { service, queue } = queueOf30Seconds();
    const { reservations } = await admit(queue, 1, () => by('slow'));
    void queue.enqueue(lookup(IDS[0] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);

    expect(await reservations[0]?.start()).toMatchObject({ card: { id: 'base1-1' } });
    expect(reservations[0]?.progress).toEqual({ requestedAtMs: Date.now(), requestNumbers: new Set([1]) });
    expect(service.requests).toHaveLength(1);
  });

  it('ends when the queue closes, and no other is made', async () => {
    const { service, queue } = queueOf30Seconds();
    const { reservations } = await admit(queue, 2, () => by('eager'));
    const late = queue.admit(lookup(IDS[2] ?? '', by('eager')));
    await queue.close(0);

    await expect(reservations[0]?.start()).rejects.toBeInstanceOf(Stopping);
    expect(await late).toMatchObject({ refusal: { name: 'Stopping' } });
    expect(queue.length).toBe(0);
    expect(service.requests).toHaveLength(0);
  });
});

describe('a budget', () => {
  function queueWith(budgets: Partial<BudgetSetting>) {
    fakeTime();
    const service = new EmbeddedCardService();
    const { queue, ledger } = lookupQueueOver(
      service,
      { plan: 'free' },
      { budgets: { guildDaily: undefined, memberDaily: 0, foreignDaily: undefined, ...budgets } },
    );
    return { service, queue, ledger };
  }

  it.each([
    ['a member', { memberDaily: 3 }, () => by('eager')],
    [
      'a member outside servers that added the bot',
      { memberDaily: 3, foreignDaily: 50 },
      () => ({ requester: { memberId: 'eager', guildId: 'server', isInstalled: false } }),
    ],
    ['a Discord server', { guildDaily: 3 }, (index: number) => by(`member ${index}`)],
    [
      'all foreign places together',
      { foreignDaily: 3, guildDaily: 1 },
      (index: number) => ({
        requester: { memberId: `member ${index}`, guildId: `server ${index}`, isInstalled: false },
      }),
    ],
  ])('counts what %s was admitted with in the same moment, until it is cancelled', async (_, budgets, requester) => {
    const { service, queue } = queueWith(budgets);

    const { reservations, refusals, wereAdmitted } = await admitAll(queue, lookups(80, requester));
    expect(wereAdmitted.slice(0, 5)).toEqual([true, true, true, false, false]);
    expect(reservations).toHaveLength(3);
    expect(refusals.every((refusal) => refusal instanceof BudgetSpent)).toBe(true);

    reservations[0]?.cancel();
    const [, , , ...more] = lookups(6, requester);
    const { reservations: second } = await admitAll(queue, more);
    expect(second).toHaveLength(1);
    for (const reservation of [...reservations.slice(1), ...second]) void reservation.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(3);
    expect((await admitAll(queue, lookups(80, requester).slice(10))).reservations).toHaveLength(0);
  });

  it('counts what leaves the queue while it is read', async () => {
    const { service, queue, ledger } = queueWith({ memberDaily: 1 });
    const { reservations } = await admit(queue, 1, () => by('eager'));
    const memberToday = ledger.memberToday.bind(ledger);
    vi.spyOn(ledger, 'memberToday').mockImplementationOnce(async (memberId) => {
      const read = await memberToday(memberId);
      void reservations[0]?.start();
      await vi.advanceTimersByTimeAsync(0);
      return read;
    });

    expect(await queue.admit(lookup(IDS[1] ?? '', by('eager')))).toMatchObject({ refusal: { name: 'BudgetSpent' } });
    expect(service.requests).toHaveLength(1);
  });

  it('does not apply to lookups that were admitted before a restart', async () => {
    const { queue } = queueWith({ memberDaily: 1 });
    const taken = [queue.enqueue(lookup('base1-1')), queue.enqueue(lookup('base1-2'))];
    await vi.advanceTimersByTimeAsync(0);
    expect(await Promise.all(taken)).toHaveLength(2);
  });
});
