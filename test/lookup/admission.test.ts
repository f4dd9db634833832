import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Busy, ShareSpent, Stopping } from '../../src/errors.ts';
import type { Question } from '../../src/lookup/flight.ts';
import type { LineSummary } from '../../src/lookup/peers.ts';
import { createCardService } from '../../src/sandbox/card-service.ts';
import { admitAll, by, fakeTime, lineOver, question } from '../support/line.ts';

const IDS = Array.from({ length: 80 }, (_, index) => `base1-${index + 1}`);
const LONGEST_WAIT_MS = 30_000;
/** Between the admission and the moment in which Discord has taken the "thinking…". */
const DEFER_MS = 300;

function lineOf30Seconds() {
  fakeTime();
  const service = createCardService();
  const { line } = lineOver(service, { plan: 'free' }, { longestWaitMs: LONGEST_WAIT_MS });
  return { service, line };
}

/** So many different cards, each by whom `asker` says. */
function questions(count: number, asker: (index: number) => Pick<Question, 'asker'>): Question[] {
  return IDS.slice(0, count).map((id, index) => question(id, asker(index)));
}

describe('of 80 who ask at once', () => {
  it.each<[string, (index: number) => Pick<Question, 'asker'>]>([
    ['one member', () => by('eager')],
    ['80 members of one server', (index) => by(`member ${index}`)],
    ['20 members of each of four servers, one after the other', (index) => by(`member ${index}`, `g${index % 4}`)],
    ['the same, one server after the other', (index) => by(`member ${index}`, `g${Math.floor(index / 20)}`)],
  ])('as many are admitted as have their turn in time, and all of them have it: %s', async (_, asker) => {
    const { service, line } = lineOf30Seconds();

    const { places, refusals } = await admitAll(line, questions(80, asker));
    expect(places).toHaveLength(24); // 19 at once, and one each 6 s
    expect(refusals.filter((refusal) => refusal instanceof Busy)).toHaveLength(56);
    await vi.advanceTimersByTimeAsync(DEFER_MS);
    let answered = 0;
    for (const place of places) {
      void place.take().then(() => {
        answered += 1;
      });
    }
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);

    expect(answered).toBe(24);
    expect(service.counts.byStatus[429]).toBeUndefined();
  });

  it('one who was refused may come back at the time that was told', async () => {
    const { line } = lineOf30Seconds();
    const { places, refusals } = await admitAll(
      line,
      questions(25, () => by('eager')),
    );
    for (const place of places) void place.take();
    const [busy] = refusals as Busy[];

    await vi.advanceTimersByTimeAsync((busy?.untilMs ?? 0) - Date.now());

    expect(await line.admit(question(IDS[24] ?? ''))).toHaveProperty('place');
  });
});

describe('a line that one member has filled', () => {
  it('has a place for the first question of every other; a further one has to fit behind all', async () => {
    const { line } = lineOf30Seconds();
    await admitAll(
      line,
      questions(60, () => by('eager')),
    );

    const others = [by('late'), by('late'), by('later', 'guild b')];
    const late = others.map((asker, index) => question(`promo-${index}`, asker));

    expect((await admitAll(line, late)).wereAdmitted).toEqual([true, false, true]);
  });

  it('has a place for who asks for a card that is in it', async () => {
    const { line } = lineOf30Seconds();
    await admitAll(
      line,
      questions(60, () => by('eager')),
    );
    const again = [IDS[0], IDS[1]].map((id = '') => question(id, by('friend')));

    expect((await admitAll(line, again)).wereAdmitted).toEqual([true, true]);
  });
});

describe('LONGEST_WAIT_SECONDS=0', () => {
  it('admits who has a turn now, however the clock goes on while that is decided', async () => {
    fakeTime();
    const { line } = lineOver(createCardService(), { plan: 'free' }, { longestWaitMs: 0 });
    let nowMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => ++nowMs);
    onTestFinished(() => void vi.mocked(Date.now).mockRestore());

    expect(await line.admit(question('base1-4'))).toHaveProperty('place');
  });
});

describe('a place', () => {
  it('that is given back counts in no other process any more', async () => {
    fakeTime();
    let told: LineSummary | undefined;
    const exchange = async (own: LineSummary) => {
      told = own;
      return [];
    };
    const { line } = lineOver(createCardService(), { plan: 'free' }, { peers: { exchange } });
    const { places } = await admitAll(line, [question('base1-1', by('gone')), question('base1-2', by('stays'))]);
    void places[1]?.take();
    await vi.advanceTimersByTimeAsync(0);
    expect(told?.waiting).toHaveLength(1);

    places[0]?.giveBack();
    await vi.advanceTimersByTimeAsync(0);
    expect(told?.waiting).toHaveLength(0);
  });

  it('is had by the next once it is given back, and then holds nothing up', async () => {
    const { line } = lineOf30Seconds();
    const { places } = await admitAll(
      line,
      questions(24, () => by('eager')),
    );
    const next = question(IDS[30] ?? '', by('eager'));
    expect(await line.admit(next)).toHaveProperty('refusal');

    places[0]?.giveBack();
    expect(await line.admit(next)).toHaveProperty('place');
    for (const place of places) place.giveBack();
    expect(line.waitingCount).toBe(1);
  });

  it('is for keeps once it is taken', async () => {
    const { line } = lineOf30Seconds();
    const { places } = await admitAll(
      line,
      questions(1, () => by('eager')),
    );
    const answer = places[0]?.take();
    places[0]?.giveBack();
    await vi.advanceTimersByTimeAsync(0);
    expect(await answer).toMatchObject({ card: { id: 'base1-1' } });
  });

  it('costs nothing before it is taken, and keeps nobody waiting who comes later', async () => {
    const { service, line } = lineOf30Seconds();
    await admitAll(
      line,
      questions(1, () => by('slow')),
    );

    const quick = line.join(question(IDS[1] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);

    expect(await quick).toMatchObject({ card: { id: 'base1-2' } });
    expect(service.requests).toHaveLength(1);
  });

  it('has the answer that came for others meanwhile, and is told that it was asked for', async () => {
    const { service, line } = lineOf30Seconds();
    const { places } = await admitAll(
      line,
      questions(1, () => by('slow')),
    );
    void line.join(question(IDS[0] ?? '', by('quick')));
    await vi.advanceTimersByTimeAsync(0);

    const onAsking = vi.fn();
    expect(await places[0]?.take({ onAsking })).toMatchObject({ card: { id: 'base1-1' } });
    expect(onAsking).toHaveBeenCalledOnce();
    expect(service.requests).toHaveLength(1);
  });

  it('that is given back leaves the card to who joined it, who pays for it then', async () => {
    fakeTime();
    const service = createCardService();
    const { line, ledger } = lineOver(service);
    const { places } = await admitAll(line, [question('base1-4', by('gone')), question('base1-4', by('stays'))]);
    const answer = places[1]?.take();
    places[0]?.giveBack();
    await vi.advanceTimersByTimeAsync(0);

    expect(await answer).toMatchObject({ card: { id: 'base1-4' } });
    expect([(await ledger.memberToday('gone')).requests, (await ledger.memberToday('stays')).requests]).toEqual([0, 1]);
  });

  it('ends with the line, and there is none any more', async () => {
    const { service, line } = lineOf30Seconds();
    const { places } = await admitAll(
      line,
      questions(2, () => by('eager')),
    );
    const late = line.admit(question(IDS[2] ?? '', by('eager')));
    await line.close(0);

    await expect(places[0]?.take()).rejects.toBeInstanceOf(Stopping);
    expect(await late).toMatchObject({ refusal: { name: 'Stopping' } });
    expect(line.waitingCount).toBe(0);
    expect(service.requests).toHaveLength(0);
  });
});

describe('a budget', () => {
  function lineWith(shares: { guildDaily?: number; memberDaily?: number }) {
    fakeTime();
    const service = createCardService();
    const { line, ledger } = lineOver(
      service,
      { plan: 'free' },
      { shares: { guildDaily: undefined, memberDaily: 0, ...shares } },
    );
    return { service, line, ledger };
  }

  it.each([
    ['a member', { memberDaily: 3 }, () => by('eager')],
    ['a Discord server', { guildDaily: 3 }, (index: number) => by(`member ${index}`)],
  ])('counts what %s was admitted with in the same moment, until it is given back', async (_, shares, asker) => {
    const { service, line } = lineWith(shares);

    const { places, refusals, wereAdmitted } = await admitAll(line, questions(80, asker));
    expect(wereAdmitted.slice(0, 5)).toEqual([true, true, true, false, false]);
    expect(places).toHaveLength(3);
    expect(refusals.every((refusal) => refusal instanceof ShareSpent)).toBe(true);

    places[0]?.giveBack();
    const [, , , ...more] = questions(6, asker);
    const { places: second } = await admitAll(line, more);
    expect(second).toHaveLength(1);
    for (const place of [...places.slice(1), ...second]) void place.take();
    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(3);
    expect((await admitAll(line, questions(80, asker).slice(10))).places).toHaveLength(0);
  });

  it('does not count cards that somebody else has asked for', async () => {
    const { line } = lineWith({ memberDaily: 1 });
    await admitAll(
      line,
      questions(5, (index) => by(`member ${index}`)),
    );

    expect(
      (
        await admitAll(
          line,
          questions(5, () => by('eager')),
        )
      ).places,
    ).toHaveLength(5);
    expect(
      (await admitAll(line, [question('own-1', by('eager')), question('own-2', by('eager'))])).wereAdmitted,
    ).toEqual([true, false]);
  });

  it('counts what leaves the line while it is read', async () => {
    const { service, line, ledger } = lineWith({ memberDaily: 1 });
    const { places } = await admitAll(
      line,
      questions(1, () => by('eager')),
    );
    const memberToday = ledger.memberToday.bind(ledger);
    vi.spyOn(ledger, 'memberToday').mockImplementationOnce(async (memberId) => {
      const read = await memberToday(memberId);
      void places[0]?.take();
      await vi.advanceTimersByTimeAsync(0);
      return read;
    });

    expect(await line.admit(question(IDS[1] ?? '', by('eager')))).toMatchObject({ refusal: { name: 'ShareSpent' } });
    expect(service.requests).toHaveLength(1);
  });

  it('is no matter for who was admitted before a restart', async () => {
    const { line } = lineWith({ memberDaily: 1 });
    const taken = [line.join(question('base1-1')), line.join(question('base1-2'))];
    await vi.advanceTimersByTimeAsync(0);

    expect(await Promise.all(taken)).toHaveLength(2);
  });
});
