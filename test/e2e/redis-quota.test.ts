import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { hasCard, logOf, requestedIds, showsCard, startProcesses, type TestProcesses } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const CARDS = Array.from({ length: 100 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
// The service allows a little more at once than the bots are told, because a busy machine delivers late and bunched;
// two whole bursts would still be too much.
const FAST = { requestsPerMinute: 1_200, burst: 16, requestsPerDay: 1_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '10' };
/** One at a time and 150 ms apart, so that the order of requests is the order of turns. */
const ONE_BY_ONE = { requestsPerMinute: 400, burst: 4, requestsPerDay: 1_000, cards: CARDS };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
const PATIENCE = { timeout: 15_000, interval: 200 };
const TEST = { timeout: 40_000 };

let fast: TestProcesses;
let oneByOne: TestProcesses;
beforeAll(async () => {
  const redis = await startRedis();
  const another = { ...redis, prefix: `${redis.prefix}:another` };
  [fast, oneByOne] = await Promise.all([
    startProcesses({ redis, service: FAST, env: BOTS_BURST }),
    startProcesses({ redis: another, service: ONE_BY_ONE, env: NO_BURST }),
  ]);
}, 120_000);

const ids = CARDS.map(({ id }) => id);

/** Cards that no test has asked for yet. */
function newCards(count: number): string[] {
  return ids.splice(0, count);
}

function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

function refusals({ cardService }: TestProcesses): number {
  return cardService.counts.byStatus[429] ?? 0;
}

describe('processes that share one quota', TEST, () => {
  // A 429 of the service says that in some time t there were more requests than burst + rate · t.
  it('pace as one: all is answered without a 429', async () => {
    const before = requestedIds(fast).length;
    const cards = newCards(40);

    await Promise.all(cards.map((id, index) => showsCard(fast.card(index % 2, id))));

    expect(refusals(fast)).toBe(0);
    expect(requestedIds(fast).slice(before).sort()).toEqual(cards.sort());
  });

  it('all keep still for as long as the service tells one of them to', async () => {
    const { cardService, bots } = oneByOne;
    const before = cardService.requests.length;
    const refusalsBefore = refusals(oneByOne);
    const heard = () => bots.flatMap(logOf).filter(({ msg }) => msg === 'lookup failed').length;
    const heardBefore = heard();
    cardService.script({ status: 429, headers: { 'retry-after': '2' }, body: '' });
    const [one = '', ...more] = newCards(7);
    const refused = oneByOne.card(0, one);
    await expect.poll(heard, PATIENCE).toBeGreaterThan(heardBefore);

    await Promise.all([refused, ...more.map((id) => oneByOne.card(1, id))].map(showsCard));

    const [first, ...later] = cardService.requests.slice(before);
    expect(later).toHaveLength(7);
    expect(Math.min(...later.map(({ atMs }) => atMs)) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(refusals(oneByOne)).toBe(refusalsBefore + 1);
  });

  it('the day that one finds spent is spent for all, until one finds that it is not', async () => {
    const refusalsBefore = refusals(oneByOne);
    const [one = '', another = ''] = newCards(2);
    oneByOne.cardService.exhaustDay();
    try {
      await finalAnswer(oneByOne.card(0, one));

      // The other may first hear of it with its turn.
      const privately = async () => {
        const { content, ephemeral } = await oneByOne.card(1, another).settled(PATIENCE.timeout);
        expect(content).toMatch(/^Today's requests to the card service are used up\./);
        return ephemeral;
      };
      await expect.poll(privately, PATIENCE).toBe(true);

      expect(refusals(oneByOne)).toBe(refusalsBefore + 1);
    } finally {
      oneByOne.cardService.refillDay();
    }
    const isOpen = async () => {
      await oneByOne.usage(0).settled(PATIENCE.timeout); // asks for a report, once a token is free
      return hasCard(await oneByOne.card(1, another).settled(PATIENCE.timeout));
    };
    await expect.poll(isOpen, PATIENCE).toBe(true);
  });

  it('all show what remains of the day, and ask for one usage report in a minute', async () => {
    const left = 1_000 - fast.cardService.counts.total;
    const cards = newCards(3);
    for (const id of cards) await showsCard(fast.card(0, id));

    const known = async () => (await fast.card(1, cards[0] ?? '').settled(PATIENCE.timeout)).embeds[0]?.footer?.text;
    await expect.poll(known, PATIENCE).toContain(`${left - 3} of 1,000 requests left today`);
    await Promise.all([fast.usage(0), fast.usage(1)].map((typed) => typed.settled(PATIENCE.timeout)));
    const told = async (shard: number) => {
      const reply = await fast.usage(shard).settled(PATIENCE.timeout);
      return { plan: field(reply, 'Plan'), today: field(reply, 'Today')?.match(/\d+ of 1,000 left/)?.[0] };
    };
    for (const shard of [0, 1]) {
      await expect.poll(() => told(shard), PATIENCE).toEqual({ plan: 'free', today: `${left - 4} of 1,000 left` });
    }

    expect(fast.cardService.counts.byPath.get('/v1/usage')).toBe(1);
  });
});

describe('turns are fair across processes', TEST, () => {
  const ask = (shard: number, cards: string[], memberId: string) =>
    cards.map((id) => oneByOne.card(shard, id, { memberId }));

  it("one member's many questions in one process delay another's in another by a turn each", async () => {
    const start = requestedIds(oneByOne).length;
    const many = ask(0, newCards(16), '1180000000000000101');
    await expect.poll(() => requestedIds(oneByOne).length, PATIENCE).toBeGreaterThan(start + 1);

    const before = requestedIds(oneByOne).length;
    const few = newCards(3);
    await Promise.all(ask(1, few, '1180000000000000102').map(showsCard));

    const permits = few.map((id) => requestedIds(oneByOne).indexOf(id) - before);
    expect(Math.max(...permits)).toBeLessThan(8);
    expect(many.filter(({ message }) => hasCard(message)).length).toBeLessThan(16);
    await Promise.all(many.map(showsCard));
  });

  it("one member's questions in two processes count together", async () => {
    const start = requestedIds(oneByOne).length;
    const member = '1180000000000000103';
    const here = newCards(8);
    const there = newCards(3);
    const first = ask(0, here, member);
    await expect.poll(() => requestedIds(oneByOne).length, PATIENCE).toBeGreaterThan(start);
    const typed = ask(1, there, member);

    await Promise.all([...first, ...typed].map(showsCard));

    // A turn that a busy process takes late goes to another; counted apart, they would come in turn.
    const permits = there.map((id) => requestedIds(oneByOne).indexOf(id) - start);
    expect(Math.min(...permits)).toBeGreaterThanOrEqual(here.length - 2);
  });
});
