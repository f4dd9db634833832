import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { BotProcess } from '../support/bot-process.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { hasCard, logOf, requestedIds, startProcesses, type TestProcesses } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

/** One at a time and 200 ms apart, so that most wait for a permit. */
const SLOW = { requestsPerMinute: 300, burst: 6, requestsPerDay: 1_000 };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
/** The promise for replies whose process has been killed. */
const TAKEN_OVER_WITHIN_MS = 15_000;
/** Only a hang takes longer. */
const PATIENCE_MS = 60_000;
/** A process without heartbeats counts as dead only after this time. */
const DEAD_AFTER_MS = 4_000;
const SCENARIOS_MS = 240_000;
/** Types the commands that two processes receive. */
const MEMBER = '1180000000000000102';

interface Scenario {
  cards: readonly string[];
  typed: readonly TypedInteraction[];
  /** Requests that may have been under way, besides the one that hangs, when their process ended. */
  cutOff?: number;
}

const ids = SAMPLE_CARDS.map(({ id }) => id);
let processes: TestProcesses;

function type(shard: number, count: number, as?: { memberId: string }): Scenario {
  const cards = ids.splice(0, count); // used by no other scenario
  return { cards, typed: cards.map((id) => processes.card(shard, id, as)) };
}

function together(...scenarios: readonly Scenario[]): Scenario {
  return { cards: scenarios.flatMap(({ cards }) => cards), typed: scenarios.flatMap(({ typed }) => typed) };
}

/**
 * Deferred replies of a shard: one whose card has arrived and whose edit hangs, one whose request is under way, and four
 * that wait for a permit.
 */
async function deferReplies(shard: number): Promise<Scenario> {
  const { discord, cardService } = processes;
  const [faultsBefore, requestsBefore] = [discord.faults.met, cardService.counts.total];
  discord.faults.script({ route: 'edit', answer: 'hang' });
  const fetched = type(shard, 1);
  await until(() => discord.faults.met > faultsBefore);
  cardService.script({ fault: 'hang' });
  const waiting = type(shard, 5);
  await thinking(waiting);
  await until(() => cardService.counts.total >= requestsBefore + 2);
  const cutOff = cardService.counts.total - (requestsBefore + 2); // on a busy machine the next one has left, too
  return { ...together(fetched, waiting), cutOff };
}

async function thinking({ typed }: Scenario): Promise<void> {
  await Promise.all(typed.map((one) => one.until(({ state }) => state === 'thinking', PATIENCE_MS)));
}

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: 20 });
}

async function completed(scenario: Scenario): Promise<Scenario> {
  await Promise.all(scenario.typed.map((one) => one.until(hasCard, PATIENCE_MS)));
  return scenario;
}

/** In this order: two processes that share a shard, and one that stops or is killed. */
const SCENARIOS = {
  sharedShard: () => completed(type(1, 8, { memberId: MEMBER })),
  stopped: async () => {
    const deferred = await deferReplies(0);
    processes.bots[0]?.child.kill('SIGTERM');
    return completed(deferred);
  },
  killed: async () => {
    const { child } = await processes.start(0);
    const deferred = await deferReplies(0);
    const countedBefore = processes.cardService.counts.total;
    killedAtMs = Date.now();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await setImmediate(); // what it had sent has arrived
    const sentMeanwhile = processes.cardService.counts.total - countedBefore;
    return completed({ ...deferred, cutOff: (deferred.cutOff ?? 0) + sentMeanwhile });
  },
  allKilled: async () => {
    const deferred = await deferReplies(1);
    const more = type(1, 3);
    await thinking(more);
    for (const { child } of processes.bots) child.kill('SIGKILL');
    await processes.start(0);
    return completed(together(deferred, more));
  },
};

const scenarios = {} as Record<keyof typeof SCENARIOS, Promise<Scenario>>;
let sharedShardBots: BotProcess[];
let killedAtMs = Number.NaN;

beforeAll(async () => {
  processes = await startProcesses({ redis: await startRedis(), size: 2, service: SLOW, env: NO_BURST });
  sharedShardBots = [...processes.bots.slice(1), await processes.start(1)];
  for (const name of ['sharedShard', 'stopped', 'killed', 'allKilled'] as const) {
    scenarios[name] = SCENARIOS[name]();
    await Promise.allSettled([scenarios[name]]);
  }
}, SCENARIOS_MS);

/** The number of requests for the cards of a scenario. */
function requestCount({ cards }: Scenario): number {
  return requestedIds(processes).filter((id) => cards.includes(id)).length;
}

/** When any of the processes logged `msg`. */
function timesOf(wanted: string): number[] {
  return processes.bots.flatMap(logOf).flatMap(({ msg, time }) => (msg === wanted ? [Number(time)] : []));
}

/**
 * Each reply was completed once, and no card that had arrived was requested again, unless it was under way when its
 * process ended.
 */
function expectCompletedOnce({ cards, typed, cutOff = 0 }: Scenario): void {
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  const { requests, counts } = processes.cardService;
  const answered = requests.filter(({ status }) => status === 200).map(({ path }) => path);
  const ofThese = answered.filter((path) => cards.some((id) => path.split(/[/?]/).includes(id)));
  expect(ofThese.length - cards.length).toBeGreaterThanOrEqual(0);
  expect(ofThese.length - cards.length).toBeLessThanOrEqual(cutOff);
  expect(counts.byStatus[429]).toBeUndefined();
}

describe('deferred replies of a process', () => {
  it('that is killed are taken over within 15 s and completed once, and no card that arrived is requested again', async () => {
    const scenario = await scenarios.killed;

    expectCompletedOnce(scenario);
    expect(requestCount(scenario)).toBeGreaterThanOrEqual(7); // six cards, and the request that was lost with its process
    expect(requestCount(scenario)).toBeLessThanOrEqual(7 + (scenario.cutOff ?? 0));
    const takenOver = timesOf('deferred replies taken over').filter((atMs) => atMs > killedAtMs);
    expect(Math.min(...takenOver) - killedAtMs).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  });

  it('that stops are taken over before it would count as dead', async () => {
    const scenario = await scenarios.stopped;

    expectCompletedOnce(scenario);
    const [stoppedAtMs = Number.NaN] = timesOf('stopped');
    expect(Math.min(...timesOf('deferred replies taken over')) - stoppedAtMs).toBeLessThan(DEAD_AFTER_MS);
  });

  it('that was the last one alive are completed by the next one that starts, with all others', async () => {
    const scenario = await scenarios.allKilled;

    expectCompletedOnce({ ...scenario, cutOff: 1 });
    expect(scenario.typed).toHaveLength(9);
  });
});

describe('two processes with the same shard', () => {
  it('answer each command once, with one request', async () => {
    const scenario = await scenarios.sharedShard;

    expectCompletedOnce(scenario);
    expect(requestCount(scenario)).toBe(8);
    const ends = sharedShardBots.flatMap(logOf).filter(({ member }) => member === MEMBER);
    const ended = (how: string) => ends.filter(({ outcome }) => outcome === how).length;
    expect(ended('answered')).toBe(8);
    expect(ended('answered by another process')).toBe(8);
  });
});
