import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { askedIds, hasCard, startFleet, type TestFleet } from '../support/fleet.ts';
import { startRedis } from '../support/redis.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
// The service allows a little more at once than the bots are told, because a busy machine delivers late and bunched;
// two whole bursts would still be too much.
const FAST = { requestsPerMinute: 1_200, burst: 16, requestsPerDay: 1_000 };
const BOTS_BURST = { CARD_SERVICE_BURST: '10' };
/** One at a time and 150 ms apart, so that the order of requests is the order of turns. */
const ONE_BY_ONE = { requestsPerMinute: 400, burst: 4, requestsPerDay: 1_000 };
const NO_BURST = { CARD_SERVICE_BURST: '2' };
const PATIENCE = { timeout: 10_000 };

async function startTwo(service = FAST, env: Record<string, string> = BOTS_BURST) {
  return startFleet({ redis: await startRedis(), service, env });
}

function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

function footer({ embeds }: ChatMessage): string | undefined {
  return embeds[0]?.footer?.text;
}

describe('processes that share one quota', () => {
  // A 429 of the service says that in some time t there were more requests than burst + rate · t.
  it('pace as one: all is answered without a 429', { timeout: 40_000 }, async () => {
    const fleet = await startFleet({ redis: await startRedis(), size: 4, service: FAST, env: BOTS_BURST });

    const typed = IDS.slice(0, 40).map((id, index) => fleet.card(index % 4, id));
    await Promise.all(typed.map((one) => one.until(hasCard, 20_000)));

    expect(fleet.cardService.counts.byStatus).toEqual({ 200: 40 });
    expect(new Set(askedIds(fleet)).size).toBe(40);
  });

  it('all keep still for as long as the service tells one of them to', async () => {
    const fleet = await startTwo();
    const { cardService, bots } = fleet;
    cardService.script({ status: 429, headers: { 'retry-after': '2' }, body: '' });
    const refused = fleet.card(0, 'base1-1');
    await bots[0]?.wrote('lookup failed');

    const others = IDS.slice(2, 8).map((id) => fleet.card(1, id));
    await Promise.all([refused, ...others].map((one) => one.until(hasCard, 10_000)));

    const [first, ...later] = cardService.requests;
    expect(later).toHaveLength(7);
    expect(Math.min(...later.map(({ atMs }) => atMs)) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(cardService.counts.byStatus).toEqual({ 429: 1, 200: 7 });
  });

  it('the day that one finds spent is spent for all', async () => {
    const fleet = await startTwo();
    fleet.cardService.exhaustDay();
    await finalAnswer(fleet.card(0, 'base1-1'));

    // The other may first hear of it with its turn.
    const privately = async () => {
      const { content, ephemeral } = await fleet.card(1, 'base1-2').settled();
      expect(content).toMatch(/^Today's requests to the card service are used up\./);
      return ephemeral;
    };
    await expect.poll(privately, PATIENCE).toBe(true);

    expect(fleet.cardService.counts.byStatus).toEqual({ 429: 1 });
  });

  it('all show what remains of the day, and ask for one usage report in a minute', async () => {
    const fleet = await startTwo();
    for (const id of IDS.slice(0, 3)) await fleet.card(0, id).until(hasCard);

    const known = () => fleet.card(1, IDS[0] ?? '').settled();
    await expect.poll(async () => footer(await known()), PATIENCE).toContain('997 of 1,000 requests left today');
    await Promise.all([fleet.usage(0), fleet.usage(1)].map((one) => one.settled()));
    const told = async (shard: number) => {
      const reply = await fleet.usage(shard).settled();
      return { plan: field(reply, 'Plan'), today: field(reply, 'Today')?.match(/\d+ of 1,000 left/)?.[0] };
    };
    for (const shard of [0, 1]) {
      await expect.poll(() => told(shard), PATIENCE).toEqual({ plan: 'free', today: '996 of 1,000 left' });
    }

    expect(fleet.cardService.counts.total).toBe(4);
  });
});

describe('turns are fair across processes', () => {
  const [ALICE, BOB] = ['1180000000000000101', '1180000000000000102'].map((memberId) => ({ memberId }));
  const ask = (fleet: TestFleet, shard: number, ids: string[], who: typeof ALICE) =>
    ids.map((id) => fleet.card(shard, id, who));

  it("one member's many questions in one process delay another's in another by a turn each", async () => {
    const fleet = await startTwo(ONE_BY_ONE, NO_BURST);
    const many = ask(fleet, 0, IDS.slice(0, 30), ALICE);
    await expect.poll(() => askedIds(fleet).length).toBeGreaterThan(1);

    const before = askedIds(fleet).length;
    const few = IDS.slice(40, 43);
    await Promise.all(ask(fleet, 1, few, BOB).map((one) => one.until(hasCard, 10_000)));

    const turns = few.map((id) => askedIds(fleet).indexOf(id) - before);
    expect(Math.max(...turns)).toBeLessThan(8);
    expect(many.filter(({ message }) => hasCard(message)).length).toBeLessThan(30);
  });

  it("one member's questions in two processes count together", async () => {
    const fleet = await startTwo(ONE_BY_ONE, NO_BURST);
    const here = IDS.slice(0, 8);
    const there = IDS.slice(10, 13);
    ask(fleet, 0, here, ALICE);
    await expect.poll(() => askedIds(fleet).length).toBeGreaterThan(0);
    const typed = ask(fleet, 1, there, ALICE);

    await Promise.all(typed.map((one) => one.until(hasCard, 10_000)));

    // A turn that a busy process takes late goes to another; counted apart, they would come in turn.
    const turns = there.map((id) => askedIds(fleet).indexOf(id));
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(here.length - 2);
  });
});
