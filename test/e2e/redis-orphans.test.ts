import { beforeAll, describe, expect, it } from 'vitest';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, logOf, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
/** One at a time and 200 ms apart, so that most wait for their turn. */
const SLOW = { requestsPerMinute: 300, burst: 6, requestsPerDay: 1_000 };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
/** What is promised of replies whose process has been killed. */
const PAID_WITHIN_MS = 15_000;
/** Only then is a process that says nothing taken for dead. */
const MISSED_AFTER_MS = 4_000;
const STORIES_MS = 90_000;

interface Story {
  fleet: TestFleet;
  typed: readonly TypedInteraction[];
}

async function startSlow(size: number): Promise<TestFleet> {
  return startFleet({ redis: await startRedis(), size, service: SLOW, env: NO_BURST });
}

/**
 * What the first process owes: a reply whose card has come and whose edit never gets there, one whose request is under
 * way, and four that wait for their turn.
 */
async function owedByTheFirst({ card, discord, cardService }: TestFleet): Promise<TypedInteraction[]> {
  discord.faults.script({ route: 'edit', answer: 'hang' });
  const fetched = card(0, IDS[0] ?? '');
  await until(() => discord.faults.met === 1);
  cardService.script({ fault: 'hang' });
  const waiting = IDS.slice(1, 6).map((id) => card(0, id));
  await Promise.all(waiting.map((typed) => typed.until(({ state }) => state === 'thinking')));
  await until(() => cardService.counts.total === 2);
  return [fetched, ...waiting];
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function paid(fleet: TestFleet, typed: readonly TypedInteraction[]): Promise<Story> {
  await Promise.all(typed.map((one) => one.until(hasCard, PAID_WITHIN_MS)));
  return { fleet, typed };
}

/** What each is about, told at once, because all mostly wait. */
const STORIES = {
  killed: async () => {
    const fleet = await startSlow(3);
    return async () => {
      const owed = await owedByTheFirst(fleet);
      fleet.bots[0]?.child.kill('SIGKILL');
      return paid(fleet, owed);
    };
  },
  stopped: async () => {
    const fleet = await startSlow(2);
    return async () => {
      const owed = await owedByTheFirst(fleet);
      fleet.bots[0]?.child.kill('SIGTERM');
      return paid(fleet, owed);
    };
  },
  allKilled: async () => {
    const fleet = await startSlow(2);
    return async () => {
      const owed = await owedByTheFirst(fleet);
      const elsewhere = IDS.slice(10, 13).map((id) => fleet.card(1, id));
      await Promise.all(elsewhere.map((typed) => typed.until(({ state }) => state === 'thinking')));
      for (const { child } of fleet.bots) child.kill('SIGKILL');
      await fleet.start(0);
      return paid(fleet, [...owed, ...elsewhere]);
    };
  },
  doubled: async () => {
    const fleet = await startSlow(1);
    await fleet.start(0);
    return () =>
      paid(
        fleet,
        IDS.slice(0, 8).map((id) => fleet.card(0, id)),
      );
  },
};

let stories: Record<keyof typeof STORIES, Promise<Story>>;

beforeAll(async () => {
  const { killed, stopped, allKilled, doubled } = STORIES;
  const [first, second, third, fourth] = await Promise.all([killed(), stopped(), allKilled(), doubled()]);
  stories = { killed: first(), stopped: second(), allKilled: third(), doubled: fourth() };
  await Promise.allSettled(Object.values(stories));
}, STORIES_MS);

/**
 * How each was settled, and that no card that had come was asked for again.
 *
 * @param cutOff requests that may have been answered in the very moment in which their process died
 */
function expectPaidOnce({ fleet, typed }: Story, cutOff = 0): void {
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  const answered = fleet.cardService.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  expect(answered.length - new Set(answered).size).toBeLessThanOrEqual(cutOff);
  expect(fleet.cardService.counts.byStatus[429]).toBeUndefined();
}

describe('replies owed by a process', () => {
  it('that is killed are paid by the others within 15 s, once, and no card that came is asked for again', async () => {
    const story = await stories.killed;

    expectPaidOnce(story);
    expect(askedIds(story.fleet)).toHaveLength(7); // six cards, and the request that its process took with it
  });

  it('that is stopped are handed over, before it would be missed', async () => {
    const story = await stories.stopped;

    expectPaidOnce(story);
    const [first, second] = story.fleet.bots.map(logOf);
    const stoppedAtMs = Number(first?.find(({ msg }) => msg === 'stopped')?.time);
    const takenOverAtMs = Number(second?.find(({ msg }) => msg === 'debts taken over')?.time);
    expect(takenOverAtMs - stoppedAtMs).toBeLessThan(MISSED_AFTER_MS);
  });

  it('that was the last to be killed are paid by the next that starts, with all others', async () => {
    const story = await stories.allKilled;

    expectPaidOnce(story, 1);
    expect(story.typed).toHaveLength(9);
  });
});

describe('two processes with the same shard', () => {
  it('answer each command once, and ask once', async () => {
    const story = await stories.doubled;

    expectPaidOnce(story);
    expect(askedIds(story.fleet)).toHaveLength(8);
    const ended = (how: string) => story.fleet.bots.flatMap(logOf).filter(({ outcome }) => outcome === how).length;
    await expect.poll(() => ended('answered')).toBe(8);
    await expect.poll(() => ended('answered by another process')).toBe(8);
  });
});
