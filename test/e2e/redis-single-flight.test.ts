import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const QUICK = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000 };
/** So long a request is under way, for others to come meanwhile. */
const LATENCY_MS = 500;
/** Longer than a busy machine takes for two commands. */
const FRESH_SECONDS = 5;

async function startTwo(env: Record<string, string> = {}): Promise<TestFleet> {
  return startFleet({ redis: await startRedis(), service: { ...QUICK, latencyMs: LATENCY_MS }, env });
}

function both(fleet: TestFleet, id: string): TypedInteraction[] {
  return [0, 1].map((shard) => fleet.card(shard, id));
}

function answers(typed: readonly TypedInteraction[]): Promise<string[]> {
  return Promise.all(typed.map((one) => finalAnswer(one)));
}

function requestsFor(fleet: TestFleet, id: string): number {
  return askedIds(fleet).filter((asked) => asked === id).length;
}

describe('a card that two processes are asked for at once', () => {
  it('costs one request, and from then on none; who joined has saved one', async () => {
    const fleet = await startTwo();

    const typed = both(fleet, 'base1-4');
    expect(await answers(typed)).toEqual(['Emberwing Drake', 'Emberwing Drake']);
    expect(await answers(both(fleet, 'base1-4'))).toEqual(['Emberwing Drake', 'Emberwing Drake']);

    expect(requestsFor(fleet, 'base1-4')).toBe(1);
    expect(typed.map(finalAnswers)).toEqual([1, 1]);
    const saved = ({ embeds }: ChatMessage) => embeds[0]?.fields?.find(({ name }) => name === 'Saved today')?.value;
    await expect.poll(async () => saved(await fleet.usage(0).settled()), { timeout: 10_000 }).toBe('3 requests');
  });
});

describe('what one of two processes knows', () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    fleet = await startTwo({ PRICES_FRESH_SECONDS: String(FRESH_SECONDS) });
  });

  it('the other does not ask for', async () => {
    await fleet.card(0, 'base1-1').until(hasCard);
    await fleet.card(1, 'base1-1').until(hasCard);

    expect(requestsFor(fleet, 'base1-1')).toBe(1);
  });

  it('to be no card is asked for once', async () => {
    const [typed, later] = [both(fleet, 'nowhere'), both(fleet, 'nowhere')];

    for (const text of await answers([...typed, ...later])) expect(text).toMatch(/^There is no card \*\*nowhere\*\*/);
    expect(requestsFor(fleet, 'nowhere')).toBe(1);
  });

  it('anew takes the place of an old copy in the memory of the other, without a request', async () => {
    const isOld = (message: ChatMessage) => message.embeds[0]?.description !== undefined;
    for (const shard of [0, 1]) await fleet.card(shard, 'base1-4').until(hasCard);

    const askAgain = () => fleet.card(0, 'base1-4').until(hasCard);
    await expect.poll(async () => isOld(await askAgain()), { timeout: 10_000 }).toBe(true);
    await expect.poll(async () => isOld(await askAgain()), { timeout: 5_000 }).toBe(false);
    const other = await fleet.card(1, 'base1-4').settled();

    expect(isOld(other)).toBe(false);
    expect(requestsFor(fleet, 'base1-4')).toBe(2);
  });
});
