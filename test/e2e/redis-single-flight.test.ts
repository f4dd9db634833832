import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const QUICK = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000 };
/** So long a request is under way, for others to come meanwhile. */
const LATENCY_MS = 500;
const FRESH_SECONDS = 3;

/** Each test has a card of its own. */
function requestsFor(fleet: TestFleet, id: string): number {
  return askedIds(fleet).filter((asked) => asked === id).length;
}

function savedToday({ embeds }: ChatMessage): number {
  return Number.parseInt(embeds[0]?.fields?.find(({ name }) => name === 'Saved today')?.value ?? '', 10);
}

async function saved(fleet: TestFleet): Promise<number> {
  return savedToday(await fleet.usage(0).settled());
}

describe('a card that two processes are asked for', () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    fleet = await startFleet({ redis: await startRedis(), service: { ...QUICK, latencyMs: LATENCY_MS } });
  });

  const both = (id: string) => [0, 1].map((shard) => fleet.card(shard, id));
  const answers = (typed: ReturnType<typeof both>) => Promise.all(typed.map((one) => finalAnswer(one)));

  it('at once costs one request, and from then on none', async () => {
    const typed = both('base1-4');
    expect(await answers(typed)).toEqual(['Emberwing Drake', 'Emberwing Drake']);
    expect(await answers(both('base1-4'))).toEqual(['Emberwing Drake', 'Emberwing Drake']);

    expect(requestsFor(fleet, 'base1-4')).toBe(1);
    expect(typed.map(finalAnswers)).toEqual([1, 1]);
  });

  it('is paid for by the one who asked, and saved by the one who joined', async () => {
    const before = await saved(fleet);

    await answers(both('base1-5'));

    await expect.poll(() => saved(fleet)).toBe(before + 1);
  });

  it('one after the other costs one request', async () => {
    await finalAnswer(fleet.card(0, 'base1-6'));
    await finalAnswer(fleet.card(1, 'base1-6'));

    expect(requestsFor(fleet, 'base1-6')).toBe(1);
  });

  it('and that does not exist costs one request', async () => {
    const typed = [...both('nowhere'), fleet.card(1, 'nowhere')];

    for (const text of await answers(typed)) expect(text).toMatch(/^There is no card \*\*nowhere\*\*/);
    expect(await finalAnswer(fleet.card(0, 'nowhere'))).toMatch(/^There is no card \*\*nowhere\*\*/);
    expect(requestsFor(fleet, 'nowhere')).toBe(1);
  });
});

describe('an old copy in the memory of one process', () => {
  it('gives way to the newer one in Redis, without a request', async () => {
    const fleet = await startFleet({
      redis: await startRedis(),
      service: QUICK,
      env: { PRICES_FRESH_SECONDS: String(FRESH_SECONDS) },
    });
    const isOld = (message: ChatMessage) => message.embeds[0]?.description !== undefined;
    for (const shard of [0, 1]) await fleet.card(shard, 'base1-4').until(hasCard);

    const askAgain = () => fleet.card(0, 'base1-4').until(hasCard);
    await expect.poll(async () => isOld(await askAgain()), { timeout: 10_000 }).toBe(true);
    await expect.poll(async () => isOld(await askAgain())).toBe(false);
    const other = await fleet.card(1, 'base1-4').settled();

    expect(isOld(other)).toBe(false);
    expect(requestsFor(fleet, 'base1-4')).toBe(2);
  });
});
