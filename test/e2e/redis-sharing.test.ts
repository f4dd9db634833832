import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { numberedCards, requestedIds, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { field, finalAnswers, hasCard } from '../support/world.ts';

/** A request takes so long that other lookups arrive meanwhile. */
const SLOW = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000, latencyMs: 500 };

it('a card that two processes want at once is in one list of one of them, and what is not requested counts as saved', async () => {
  const env = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}', CARD_SERVICE_TIMEOUT_MS: '60000' };
  const processes = await startAppBots({ redis: await startRedis(), service: SLOW, env });
  const ids = SAMPLE_CARDS.slice(0, 20).map(({ id }) => id);
  const typed = ids.flatMap((id) => [0, 1].map((shard) => processes.card(shard, id)));
  await Promise.all(typed.map(showsCard));

  const answered = processes.cardService.requests.filter(({ status }) => status === 200);
  const requested = answered.map(({ path, cardIds }) => cardIds ?? [/^\/cards\/([^?]+)/.exec(path)?.[1]]);
  expect(requested.flat().toSorted()).toEqual(ids.toSorted());
  expect(requested.length).toBeLessThan(20);
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  // Each process writes its savings a little later.
  const saved = async () => field(await processes.usage(0).settled(), 'Answered from memory');
  await expect.poll(saved).toContain(` ${typed.length - requested.length} requests saved`);
});

const CARDS = numberedCards(38);
/** One at a time and 150 ms apart, so that the order of requests is the order of permits. */
const ONE_BY_ONE = { requestsPerMinute: 400, burst: 4, requestsPerDay: 1_000, cards: CARDS };

it("one member's many lookups in one process delay each lookup of another member in another by one permit", async () => {
  const env = { CARD_SERVICE_BURST: '2' };
  const processes = await startAppBots({ redis: await startRedis(), service: ONE_BY_ONE, env });
  const lookUp = (shard: number, ids: string[], memberId: string) =>
    ids.map((id) => processes.card(shard, id, { memberId }));
  const ids = CARDS.map(({ id }) => id);
  const few = ids.splice(0, 6);
  const ofMany = lookUp(0, ids, '1180000000000000101');
  await expect.poll(() => requestedIds(processes).length).toBeGreaterThan(1);

  await Promise.all(lookUp(1, few, '1180000000000000102').map(showsCard));
  const at = few.map((id) => requestedIds(processes).indexOf(id)).toSorted((a, b) => a - b);
  const apart = ((at.at(-1) ?? 0) - (at[0] ?? 0)) / (few.length - 1);
  // Two where each takes its turn: a process that comes 60 ms after it has lost it, and on a busy machine some do.
  expect(apart).toBeLessThanOrEqual(4);
  expect(ofMany.filter(({ message }) => hasCard(message)).length).toBeLessThan(ofMany.length);
  await Promise.all(ofMany.map(showsCard));
});
