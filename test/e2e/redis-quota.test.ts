import { expect, it } from 'vitest';
import { hasCard, numberedCards, requestedIds, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

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
