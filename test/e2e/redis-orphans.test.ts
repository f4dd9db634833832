import { describe, expect, it } from 'vitest';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
/** One at a time and 400 ms apart, so that most wait for their turn. */
const SLOW = { requestsPerMinute: 150, burst: 6, requestsPerDay: 1_000 };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
/** What the issue promises: a process is gone for 15 s at most until another has paid for it. */
const PAID_WITHIN_MS = 15_000;
const TEST = { timeout: 60_000 };

async function startSlow(size = 2) {
  return startFleet({ redis: await startRedis(), size, service: SLOW, env: NO_BURST });
}

/** Five that wait in the first process, and of the first the request is under way. */
async function owedByTheFirst(fleet: TestFleet): Promise<TypedInteraction[]> {
  const known = fleet.card(0, IDS[0] ?? '');
  await known.until(hasCard);
  fleet.cardService.script({ delayMs: 60_000, fault: 'hang' });
  const owed = IDS.slice(1, 6).map((id) => fleet.card(0, id));
  await Promise.all(owed.map((typed) => typed.until(({ state }) => state !== 'sent')));
  await expect.poll(() => fleet.cardService.counts.total, { timeout: 10_000 }).toBe(2);
  return [known, ...owed];
}

async function allPaid(typed: readonly TypedInteraction[]): Promise<void> {
  await Promise.all(typed.map((one) => one.until(hasCard, PAID_WITHIN_MS)));
}

/** Each card that was answered was asked for once, besides the one whose request its process took with it. */
function expectNoneAskedAgain(fleet: TestFleet): void {
  const answered = fleet.cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  expect(new Set(answered).size).toBe(answered.length);
  expect(fleet.cardService.counts.byStatus[429]).toBeUndefined();
}

describe('replies owed by a process that is killed', () => {
  it('are paid by another within 15 s, once, and no card is asked for again', TEST, async () => {
    const fleet = await startSlow();
    const owed = await owedByTheFirst(fleet);

    fleet.bots[0]?.child.kill('SIGKILL');
    await allPaid(owed);

    expect(owed.map(finalAnswers)).toEqual(owed.map(() => 1));
    expectNoneAskedAgain(fleet);
    expect(askedIds(fleet)).toHaveLength(7);
  });

  it('are shared out among those who are left, each paid once', TEST, async () => {
    const fleet = await startSlow(3);
    const owed = await owedByTheFirst(fleet);

    fleet.bots[0]?.child.kill('SIGKILL');
    await allPaid(owed);

    expect(owed.map(finalAnswers)).toEqual(owed.map(() => 1));
    expectNoneAskedAgain(fleet);
  });

  it('together with all others are paid by the next that starts', TEST, async () => {
    const fleet = await startSlow();
    const owed = await owedByTheFirst(fleet);
    const elsewhere = IDS.slice(10, 13).map((id) => fleet.card(1, id));
    await Promise.all(elsewhere.map((typed) => typed.until(({ state }) => state !== 'sent')));

    for (const { child } of fleet.bots) child.kill('SIGKILL');
    await Promise.all(fleet.bots.map(({ ended }) => ended));
    await fleet.start(0);
    await allPaid([...owed, ...elsewhere]);

    expect([...owed, ...elsewhere].map(finalAnswers)).toEqual([...owed, ...elsewhere].map(() => 1));
    expectNoneAskedAgain(fleet);
  });
});

describe('replies owed by a process that is stopped', () => {
  it('are handed over, before it would be missed', TEST, async () => {
    const fleet = await startSlow();
    const owed = await owedByTheFirst(fleet);

    fleet.bots[0]?.child.kill('SIGTERM');
    expect(await fleet.bots[0]?.ended).toBe(0);
    await fleet.bots[1]?.wrote('debts taken over');
    await allPaid(owed);

    expect(owed.map(finalAnswers)).toEqual(owed.map(() => 1));
    expectNoneAskedAgain(fleet);
  });
});

describe('two processes with the same shard', () => {
  it('answer each command once, and ask once', TEST, async () => {
    const fleet = await startFleet({
      redis: await startRedis(),
      size: 1,
      service: { ...SLOW, requestsPerMinute: 600 },
      env: NO_BURST,
    });
    const [first] = fleet.bots;
    const second = await fleet.start(0);

    const typed = IDS.slice(0, 8).map((id) => fleet.card(0, id));
    await allPaid(typed);
    const commandsOf = (outcome: string) =>
      [first, second].reduce((sum, bot) => sum + (bot?.output().split(`"outcome":"${outcome}"`).length ?? 1) - 1, 0);

    await expect.poll(() => commandsOf('answered by another process')).toBe(8);
    await expect.poll(() => commandsOf('answered')).toBe(8);
    expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
    expect(askedIds(fleet).sort()).toEqual(IDS.slice(0, 8).sort());
  });
});
