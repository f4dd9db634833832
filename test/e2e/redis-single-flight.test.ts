import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import type { AppBot } from '../support/app-bot.ts';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { requestedIds, showsCard, startAppBots, type TestBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const QUICK = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000 };
/** A request takes this long, so that other lookups arrive meanwhile. */
const LATENCY_MS = 500;
/** Longer than a busy machine needs for four commands. */
const FRESH_SECONDS = 8;

let processes: TestBots<AppBot>;
beforeAll(async () => {
  processes = await startAppBots({
    redis: await startRedis(),
    service: { ...QUICK, latencyMs: LATENCY_MS },
    env: { PRICES_FRESH_SECONDS: String(FRESH_SECONDS) },
  });
});

let typedSoFar = 0;

function card(shard: number, id: string): TypedInteraction {
  typedSoFar += 1;
  return processes.card(shard, id);
}

function both(id: string): TypedInteraction[] {
  return [0, 1].map((shard) => card(shard, id));
}

function answers(typed: readonly TypedInteraction[]): Promise<string[]> {
  return Promise.all(typed.map((one) => finalAnswer(one)));
}

function requestsFor(id: string): number {
  return requestedIds(processes).filter((requested) => requested === id).length;
}

async function savedToday(): Promise<string | undefined> {
  const { embeds } = await processes.usage(0).settled();
  return embeds[0]?.fields?.find(({ name }) => name === 'Answered from memory')?.value;
}

it('a card that is looked up in two processes at once costs one request and then none; a lookup that joined counts as saved', async () => {
  const typed = both('base1-2');
  const [name = '', ...others] = await answers([...typed]);
  expect(others).toEqual([name]);
  expect(await answers(both('base1-2'))).toEqual([name, name]);

  expect(requestsFor('base1-2')).toBe(1);
  expect(typed.map(finalAnswers)).toEqual([1, 1]);
  // Each process writes its savings a little later, those of other tests included.
  await expect.poll(savedToday).toContain(` ${typedSoFar - requestedIds(processes).length} requests saved`);
});

describe('a card that one of two processes knows', () => {
  it('costs the other no request', async () => {
    await showsCard(card(0, 'base1-1'));
    await showsCard(card(1, 'base1-1'));
    expect(requestsFor('base1-1')).toBe(1);
  });

  it('in a renewed copy replaces the stale one in the memory of the other, without a request', async () => {
    const isStale = (message: ChatMessage) => (message.embeds[0]?.description ?? '').includes('saved copy');
    for (const shard of [0, 1]) await showsCard(card(shard, 'base1-4'));

    const lookUpAgain = () => showsCard(card(0, 'base1-4'));
    await expect.poll(async () => isStale(await lookUpAgain())).toBe(true);
    await expect.poll(async () => isStale(await lookUpAgain())).toBe(false);
    const other = await card(1, 'base1-4').settled();

    expect(isStale(other)).toBe(false);
    expect(requestsFor('base1-4')).toBe(2);
  });
});
