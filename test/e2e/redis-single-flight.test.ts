import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { askedIds, showsCard, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const QUICK = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000 };
/** So long a request is under way, for others to come meanwhile. */
const LATENCY_MS = 500;
/** Longer than a busy machine takes for four commands. */
const FRESH_SECONDS = 8;
const PATIENCE = { timeout: 15_000, interval: 200 };
const TEST = { timeout: 40_000 };

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet({
    redis: await startRedis(),
    service: { ...QUICK, latencyMs: LATENCY_MS },
    env: { PRICES_FRESH_SECONDS: String(FRESH_SECONDS) },
  });
}, 60_000);

function both(id: string): TypedInteraction[] {
  return [0, 1].map((shard) => fleet.card(shard, id));
}

function answers(typed: readonly TypedInteraction[]): Promise<string[]> {
  return Promise.all(typed.map((one) => finalAnswer(one, PATIENCE.timeout)));
}

function requestsFor(id: string): number {
  return askedIds(fleet).filter((asked) => asked === id).length;
}

/** By its figures in `/usage`. */
async function savedToday(): Promise<number> {
  const { embeds } = await fleet.usage(0).settled();
  return Number.parseInt(embeds[0]?.fields?.find(({ name }) => name === 'Saved today')?.value ?? '0', 10);
}

describe('a card that two processes are asked for at once', TEST, () => {
  it('costs one request, and from then on none; who joined has saved one', async () => {
    const before = await savedToday();

    const typed = both('base1-2');
    const [name = '', ...others] = await answers([...typed]);
    expect(others).toEqual([name]);
    expect(await answers(both('base1-2'))).toEqual([name, name]);

    expect(requestsFor('base1-2')).toBe(1);
    expect(typed.map(finalAnswers)).toEqual([1, 1]);
    await expect.poll(savedToday, PATIENCE).toBe(before + 3);
  });
});

describe('what one of two processes knows', TEST, () => {
  it('the other does not ask for', async () => {
    await showsCard(fleet.card(0, 'base1-1'));
    await showsCard(fleet.card(1, 'base1-1'));

    expect(requestsFor('base1-1')).toBe(1);
  });

  it('to be no card is asked for once', async () => {
    const [typed, later] = [both('nowhere'), both('nowhere')];

    for (const text of await answers([...typed, ...later])) expect(text).toMatch(/^There is no card \*\*nowhere\*\*/);
    expect(requestsFor('nowhere')).toBe(1);
  });

  it('anew takes the place of an old copy in the memory of the other, without a request', async () => {
    const isOld = (message: ChatMessage) => message.embeds[0]?.description !== undefined;
    for (const shard of [0, 1]) await showsCard(fleet.card(shard, 'base1-4'));

    const askAgain = () => showsCard(fleet.card(0, 'base1-4'));
    await expect.poll(async () => isOld(await askAgain()), PATIENCE).toBe(true);
    await expect.poll(async () => isOld(await askAgain()), PATIENCE).toBe(false);
    const other = await fleet.card(1, 'base1-4').settled();

    expect(isOld(other)).toBe(false);
    expect(requestsFor('base1-4')).toBe(2);
  });
});
