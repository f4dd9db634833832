import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { QueueSummary } from '../../src/lookup/fair-order.ts';
import type { Lookup } from '../../src/lookup/pending-lookup.ts';
import { BudgetSpent, Busy, Stopping } from '../../src/model/errors.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { admitAll, by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const IDS = Array.from({ length: 80 }, (_, index) => `base1-${index + 1}`);
const LONGEST_WAIT_MS = 30_000;
/** Between the admission and the moment in which Discord has taken the "thinking…". */
const DEFER_MS = 300;

function lineOf30Seconds() {
  fakeTime();
  const service = createCardService();
  const { queue } = lookupQueueOver(service, { plan: 'free' }, { longestWaitMs: LONGEST_WAIT_MS });
  return { service, queue };
}

/** So many different cards, each by whom `requester` says. */
function questions(count: number, requester: (index: number) => Pick<Lookup, 'requester'>): Lookup[] {
  return IDS.slice(0, count).map((id, index) => lookup(id, requester(index)));
}

describe('of 80 who ask at once', () => {
  it.each<[string, (index: number) => Pick<Lookup, 'requester'>]>([
    ['one member', () => by('eager')],
    ['80 members of one server', (index) => by(`member ${index}`)],
    ['20 members of each of four servers, one after the other', (index) => by(`member ${index}`, `g${index % 4}`)],
    ['the same, one server after the other', (index) => by(`member ${index}`, `g${Math.floor(index / 20)}`)],
  ])('as many are admitted as have their turn in time, and all of them have it: %s', async (_, requester) => {
    const { service, queue } = lineOf30Seconds();

    const { reservations, refusals } = await admitAll(queue, questions(80, requester));
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

  it('one who was refused may come back at the time that was told', async () => {
    const { queue } = lineOf30Seconds();
    const { reservations, refusals } = await admitAll(
      queue,
      questions(25, () => by('eager')),
    );
    for (const reservation of reservations) void reservation.start();
    const [busy] = refusals as Busy[];

    await vi.advanceTimersByTimeAsync((busy?.untilMs ?? 0) - Date.now());

    expect(await queue.admit(lookup(IDS[24] ?? ''))).toHaveProperty('reservation');
  });
});

describe('a line that one member has filled', () => {
  it('has a place for the first question of every other; a further one has to fit behind all', async () => {
    const { queue } = lineOf30Seconds();
    await admitAll(
      queue,
      questions(60, () => by('eager')),
    );

    const others = [by('late'), by('late'), by('later', 'guild b')];
    const late = others.map((requester, index) => lookup(`promo-${index}`, requester));

    expect((await admitAll(queue, late)).wereAdmitted).toEqual([true, false, true]);
  });

  it('has a place for who asks for a card that is in it', async () => {
    const { queue } = lineOf30Seconds();
    await admitAll(
      queue,
      questions(60, () => by('eager')),
    );
    const again = [IDS[0], IDS[1]].map((id = '') => lookup(id, by('friend')));

    expect((await admitAll(queue, again)).wereAdmitted).toEqual([true, true]);
  });
});

describe('LONGEST_WAIT_SECONDS=0', () => {
  it('admits who has a turn now, however the clock goes on while that is decided', async () => {
    fakeTime();
    const { queue } = lookupQueueOver(createCardService(), { plan: 'free' }, { longestWaitMs: 0 });
    let nowMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => ++nowMs);
    onTestFinished(() => void vi.mocked(Date.now).mockRestore());

    expect(await queue.admit(lookup('base1-4'))).toHaveProperty('reservation');
  });
});

describe('a place', () => {
  it('that is given back counts in no other process any more', async () => {
    fakeTime();
    let told: QueueSummary | undefined;
    const exchange = async (own: QueueSummary) => {
      told = own;
      return [];
    };
    const { queue } = lookupQueueOver(createCardService(), { plan: 'free' }, { queueExchange: { exchange } });
    const { reservations } = await admitAll(queue, [lookup('base1-1', by('gone')), lookup('base1-2', by('stays'))]);
    void reservations[1]?.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(told?.waiting).toHaveLength(1);

    reservations[0]?.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(told?.waiting).toHaveLength(0);
  });

  it('is had by the next once it is given back, and then holds nothing up', async () => {
    const { queue } = lineOf30Seconds();
    const { reservations } = await admitAll(
      queue,
      questions(24, () => by('eager')),
    );
    const next = lookup(IDS[30] ?? '', by('eager'));
    expect(await queue.admit(next)).toHaveProperty('refusal');

    reservations[0]?.cancel();
    expect(await queue.admit(next)).toHaveProperty('reservation');
    for (const reservation of reservations) reservation.cancel();
    expect(queue.length).toBe(1);
  });

  it('is for keeps once it is taken', async () => {
    const { queue } = lineOf30Seconds();
    const { reservations } = await admitAll(
      queue,
      questions(1, () => by('eager')),
    );
    const answer = reservations[0]?.start();
    reservations[0]?.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(await answer).toMatchObject({ card: { id: 'base1-1' } });
  });

  it('costs nothing before it is taken, and keeps nobody waiting who comes later', async () => {
    const { service, queue } = lineOf30Seconds();
    await admitAll(
      queue,
      questions(1, () => by('slow')),
    );

    const quick = queue.enqueue(lookup(IDS[1] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);

    expect(await quick).toMatchObject({ card: { id: 'base1-2' } });
    expect(service.requests).toHaveLength(1);
  });

  it('has the answer that came for others meanwhile, and is told that it was asked for', async () => {
    const { service, queue } = lineOf30Seconds();
    const { reservations } = await admitAll(
      queue,
      questions(1, () => by('slow')),
    );
    void queue.enqueue(lookup(IDS[0] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);

    const onRequest = vi.fn();
    expect(await reservations[0]?.start({ onRequest })).toMatchObject({ card: { id: 'base1-1' } });
    expect(onRequest).toHaveBeenCalledOnce();
    expect(service.requests).toHaveLength(1);
  });

  it('that is given back leaves the card to who joined it, who pays for it then', async () => {
    fakeTime();
    const service = createCardService();
    const { queue, ledger } = lookupQueueOver(service);
    const { reservations } = await admitAll(queue, [lookup('base1-4', by('gone')), lookup('base1-4', by('stays'))]);
    const answer = reservations[1]?.start();
    reservations[0]?.cancel();
    await vi.advanceTimersByTimeAsync(0);

    expect(await answer).toMatchObject({ card: { id: 'base1-4' } });
    expect([(await ledger.memberToday('gone')).requests, (await ledger.memberToday('stays')).requests]).toEqual([0, 1]);
  });

  it('ends with the queue, and there is none any more', async () => {
    const { service, queue } = lineOf30Seconds();
    const { reservations } = await admitAll(
      queue,
      questions(2, () => by('eager')),
    );
    const late = queue.admit(lookup(IDS[2] ?? '', by('eager')));
    await queue.close(0);

    await expect(reservations[0]?.start()).rejects.toBeInstanceOf(Stopping);
    expect(await late).toMatchObject({ refusal: { name: 'Stopping' } });
    expect(queue.length).toBe(0);
    expect(service.requests).toHaveLength(0);
  });
});

describe('a budget', () => {
  function lineWith(shares: { guildDaily?: number; memberDaily?: number }) {
    fakeTime();
    const service = createCardService();
    const { queue, ledger } = lookupQueueOver(
      service,
      { plan: 'free' },
      { shares: { guildDaily: undefined, memberDaily: 0, ...shares } },
    );
    return { service, queue, ledger };
  }

  it.each([
    ['a member', { memberDaily: 3 }, () => by('eager')],
    ['a Discord server', { guildDaily: 3 }, (index: number) => by(`member ${index}`)],
  ])('counts what %s was admitted with in the same moment, until it is given back', async (_, shares, requester) => {
    const { service, queue } = lineWith(shares);

    const { reservations, refusals, wereAdmitted } = await admitAll(queue, questions(80, requester));
    expect(wereAdmitted.slice(0, 5)).toEqual([true, true, true, false, false]);
    expect(reservations).toHaveLength(3);
    expect(refusals.every((refusal) => refusal instanceof BudgetSpent)).toBe(true);

    reservations[0]?.cancel();
    const [, , , ...more] = questions(6, requester);
    const { reservations: second } = await admitAll(queue, more);
    expect(second).toHaveLength(1);
    for (const reservation of [...reservations.slice(1), ...second]) void reservation.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(3);
    expect((await admitAll(queue, questions(80, requester).slice(10))).reservations).toHaveLength(0);
  });

  it('does not count cards that somebody else has asked for', async () => {
    const { queue } = lineWith({ memberDaily: 1 });
    await admitAll(
      queue,
      questions(5, (index) => by(`member ${index}`)),
    );

    expect(
      (
        await admitAll(
          queue,
          questions(5, () => by('eager')),
        )
      ).reservations,
    ).toHaveLength(5);
    expect((await admitAll(queue, [lookup('own-1', by('eager')), lookup('own-2', by('eager'))])).wereAdmitted).toEqual([
      true,
      false,
    ]);
  });

  it('counts what leaves the line while it is read', async () => {
    const { service, queue, ledger } = lineWith({ memberDaily: 1 });
    const { reservations } = await admitAll(
      queue,
      questions(1, () => by('eager')),
    );
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

  it('is no matter for who was admitted before a restart', async () => {
    const { queue } = lineWith({ memberDaily: 1 });
    const taken = [queue.enqueue(lookup('base1-1')), queue.enqueue(lookup('base1-2'))];
    await vi.advanceTimersByTimeAsync(0);

    expect(await Promise.all(taken)).toHaveLength(2);
  });
});
