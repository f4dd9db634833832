import { beforeAll, describe, expect, it } from 'vitest';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { BotProcess } from '../support/bot-process.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, logOf, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

/** One at a time and 200 ms apart, so that most wait for their turn. */
const SLOW = { requestsPerMinute: 300, burst: 6, requestsPerDay: 1_000 };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
/** What is promised of replies whose process has been killed. */
const PAID_WITHIN_MS = 15_000;
/** Only then is a process that says nothing taken for dead. */
const MISSED_AFTER_MS = 4_000;
const STORIES_MS = 120_000;
/** Of the commands that two processes receive. */
const MEMBER = '1180000000000000102';

interface Story {
  cards: readonly string[];
  typed: readonly TypedInteraction[];
}

const ids = SAMPLE_CARDS.map(({ id }) => id);
let processesAlive: TestFleet;

function type(shard: number, count: number, as?: { memberId: string }): Story {
  const cards = ids.splice(0, count); // of no other story
  return { cards, typed: cards.map((id) => processesAlive.card(shard, id, as)) };
}

function together(...stories: readonly Story[]): Story {
  return { cards: stories.flatMap(({ cards }) => cards), typed: stories.flatMap(({ typed }) => typed) };
}

/**
 * What is owed to a shard: a reply whose card has come and whose edit never gets there, one whose request is under way,
 * and four that wait for their turn.
 */
async function owedTo(shard: number): Promise<Story> {
  const { discord, cardService } = processesAlive;
  const [metBefore, askedBefore] = [discord.faults.met, cardService.counts.total];
  discord.faults.script({ route: 'edit', answer: 'hang' });
  const fetched = type(shard, 1);
  await until(() => discord.faults.met === metBefore + 1);
  cardService.script({ fault: 'hang' });
  const waiting = type(shard, 5);
  await thinking(waiting);
  await until(() => cardService.counts.total === askedBefore + 2);
  return together(fetched, waiting);
}

async function thinking({ typed }: Story): Promise<void> {
  await Promise.all(typed.map((one) => one.until(({ state }) => state === 'thinking', PAID_WITHIN_MS)));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function paid(story: Story): Promise<Story> {
  await Promise.all(story.typed.map((one) => one.until(hasCard, PAID_WITHIN_MS)));
  return story;
}

/** What each is about, in the order in which they are told: of two processes that share a shard, and one that comes and goes. */
const STORIES = {
  doubled: () => paid(type(1, 8, { memberId: MEMBER })),
  stopped: async () => {
    const owed = await owedTo(0);
    processesAlive.bots[0]?.child.kill('SIGTERM');
    return paid(owed);
  },
  killed: async () => {
    const { child } = await processesAlive.start(0);
    const owed = await owedTo(0);
    child.kill('SIGKILL');
    return paid(owed);
  },
  allKilled: async () => {
    const owed = await owedTo(1);
    const more = type(1, 3);
    await thinking(more);
    for (const { child } of processesAlive.bots) child.kill('SIGKILL');
    await processesAlive.start(0);
    return paid(together(owed, more));
  },
};

const stories = {} as Record<keyof typeof STORIES, Promise<Story>>;
let twins: BotProcess[];

beforeAll(async () => {
  processesAlive = await startFleet({ redis: await startRedis(), size: 2, service: SLOW, env: NO_BURST });
  twins = [...processesAlive.bots.slice(1), await processesAlive.start(1)];
  for (const name of ['doubled', 'stopped', 'killed', 'allKilled'] as const) {
    stories[name] = STORIES[name]();
    await Promise.allSettled([stories[name]]);
  }
}, STORIES_MS);

/** How often the service was asked for the cards of a story. */
function timesAsked({ cards }: Story): number {
  return askedIds(processesAlive).filter((id) => cards.includes(id)).length;
}

/** When any of the processes said so. */
function timesOf(said: string): number[] {
  return processesAlive.bots.flatMap(logOf).flatMap(({ msg, time }) => (msg === said ? [Number(time)] : []));
}

/**
 * How each was settled, and that no card that had come was asked for again.
 *
 * @param cutOff requests that may have been answered in the very moment in which their process died
 */
function expectPaidOnce({ cards, typed }: Story, cutOff = 0): void {
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  const { requests, counts } = processesAlive.cardService;
  const answered = requests.filter(({ status }) => status === 200).map(({ path }) => path);
  const ofThese = answered.filter((path) => cards.some((id) => path.split(/[/?]/).includes(id)));
  expect(ofThese.length - cards.length).toBeGreaterThanOrEqual(0);
  expect(ofThese.length - cards.length).toBeLessThanOrEqual(cutOff);
  expect(counts.byStatus[429]).toBeUndefined();
}

describe('replies owed by a process', () => {
  it('that is killed are paid by the others within 15 s, once, and no card that came is asked for again', async () => {
    const story = await stories.killed;

    expectPaidOnce(story);
    expect(timesAsked(story)).toBe(7); // six cards, and the request that its process took with it
  });

  it('that is stopped are handed over, before it would be missed', async () => {
    const story = await stories.stopped;

    expectPaidOnce(story);
    const [stoppedAtMs = Number.NaN] = timesOf('stopped');
    expect(Math.min(...timesOf('debts taken over')) - stoppedAtMs).toBeLessThan(MISSED_AFTER_MS);
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
    expect(timesAsked(story)).toBe(8);
    const ends = twins.flatMap(logOf).filter(({ member }) => member === MEMBER);
    const ended = (how: string) => ends.filter(({ outcome }) => outcome === how).length;
    expect(ended('answered')).toBe(8);
    expect(ended('answered by another process')).toBe(8);
  });
});
