import { beforeAll, describe, expect, it } from 'vitest';
import type { AppBot } from '../support/app-bot.ts';
import { field } from '../support/embed-field.ts';
import { hasCard, logOf, requestedIds, showsCard, startAppBots, type TestBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const CARDS = Array.from({ length: 120 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
// The service allows a little more at once than the bots' configured burst, because a busy machine delivers requests late
// and bunched; two whole bursts would still exceed it.
const FAST = { requestsPerMinute: 1_200, burst: 16, requestsPerDay: 1_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '10' };
/** One at a time and 150 ms apart, so that the order of requests is the order of permits. */
const ONE_BY_ONE = { requestsPerMinute: 400, burst: 4, requestsPerDay: 1_000, cards: CARDS };
const NO_BURST = { CARD_SERVICE_BURST: '2' };

let fast: TestBots<AppBot>;
let oneByOne: TestBots<AppBot>;
beforeAll(async () => {
  const redis = await startRedis();
  const another = { ...redis, prefix: `${redis.prefix}:another` };
  [fast, oneByOne] = await Promise.all([
    startAppBots({ redis, service: FAST, env: BOTS_BURST }),
    startAppBots({ redis: another, service: ONE_BY_ONE, env: NO_BURST }),
  ]);
});

const ids = CARDS.map(({ id }) => id);

/** Cards that no test has looked up yet. */
function newCards(count: number): string[] {
  return ids.splice(0, count);
}

function refusals({ cardService }: TestBots<AppBot>): number {
  return cardService.counts.byStatus[429] ?? 0;
}

describe('processes that share one quota', () => {
  it('all pause for as long as the service asks one of them to', async () => {
    const { cardService, bots } = oneByOne;
    const before = cardService.requests.length;
    const refusalsBefore = refusals(oneByOne);
    const failures = () => bots.flatMap(logOf).filter(({ msg }) => msg === 'card request failed').length;
    const failuresBefore = failures();
    cardService.script({ status: 429, headers: { 'retry-after': '2' }, body: '' });
    const [one = '', ...more] = newCards(7);
    const refused = oneByOne.card(0, one);
    await expect.poll(failures).toBeGreaterThan(failuresBefore);

    await Promise.all([refused, ...more.map((id) => oneByOne.card(1, id))].map(showsCard));

    const [first, ...later] = cardService.requests.slice(before);
    expect(later).toHaveLength(7);
    expect(Math.min(...later.map(({ atMs }) => atMs)) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(refusals(oneByOne)).toBe(refusalsBefore + 1);
  });

  it('all show what remains of the day and request one usage report in a minute', async () => {
    const left = 1_000 - fast.cardService.counts.total;
    const cards = newCards(3);
    for (const id of cards) await showsCard(fast.card(0, id));

    const footer = async () => (await fast.card(1, cards[0] ?? '').settled()).embeds[0]?.footer?.text;
    await expect.poll(footer).toContain(`${left - 3} of 1,000 new lookups left today`);
    await Promise.all([fast.usage(0), fast.usage(1)].map((typed) => typed.settled()));
    const shown = async (shard: number) => {
      const reply = await fast.usage(shard).settled();
      return { plan: field(reply, 'Plan'), today: field(reply, 'Today')?.match(/\d+ left/)?.[0] };
    };
    for (const shard of [0, 1]) {
      await expect.poll(() => shown(shard)).toEqual({ plan: 'free', today: `${left - 4} left` });
    }

    expect(fast.cardService.requests.filter(({ path }) => path === '/v1/usage')).toHaveLength(1);
  });
});

describe('permits are fair across processes', () => {
  const lookUp = (shard: number, cards: string[], memberId: string) =>
    cards.map((id) => oneByOne.card(shard, id, { memberId }));

  it("one member's many lookups in one process delay each lookup of another member in another by one permit", async () => {
    const start = requestedIds(oneByOne).length;
    const many = lookUp(0, newCards(32), '1180000000000000101');
    await expect.poll(() => requestedIds(oneByOne).length).toBeGreaterThan(start + 1);

    const few = newCards(6);
    await Promise.all(lookUp(1, few, '1180000000000000102').map(showsCard));
    const at = few.map((id) => requestedIds(oneByOne).indexOf(id)).toSorted((a, b) => a - b);
    const apart = at.slice(1).map((place, before) => place - (at[before] ?? 0));
    // Most of them: a process that comes 60 ms after its turn has lost it, and on a busy machine some do.
    expect(apart.toSorted((a, b) => a - b)[2]).toBeLessThanOrEqual(2);
    expect(many.filter(({ message }) => hasCard(message)).length).toBeLessThan(many.length);
    await Promise.all(many.map(showsCard));
  });
});
