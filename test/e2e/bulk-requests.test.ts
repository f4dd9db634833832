import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import type { Backends } from '../support/backends.ts';
import { endOfList, finalAnswers } from '../support/final-answers.ts';
import { showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startWorld } from '../support/world.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
const FAST = { requestsPerMinute: 600, burst: 20, requestsPerDay: 10_000 };
const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}', CARD_SERVICE_TIMEOUT_MS: '60000' };

/** The ids of each request that was answered, or is under way. */
function requestedIds({ cardService }: Pick<Backends, 'cardService'>): string[][] {
  return cardService.requests
    .filter(({ status }) => status === 200 || status === 0)
    .map(({ path, cardIds }) => [...(cardIds ?? [/^\/cards\/([^?]+)/.exec(path)?.[1] ?? ''])]);
}

it('a card that two processes want at once is in one request of one of them', async () => {
  const processes = await startAppBots({
    redis: await startRedis(),
    service: { ...FAST, latencyMs: 300 },
    env: BULK,
  });
  const typed = IDS.slice(0, 20).flatMap((id) => [0, 1].map((shard) => processes.card(shard, id)));
  await Promise.all(typed.map(showsCard));

  const requested = requestedIds(processes);
  expect(requested.flat().toSorted()).toEqual(IDS.slice(0, 20).toSorted());
  expect(requested.length).toBeLessThan(20);
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
});

it.each(['files', 'redis'])('each list of ten new cards is one request (state in %s)', async (stateIn) => {
  const redis = stateIn === 'redis' ? await startRedis() : undefined;
  const env = { ...BULK, ...(redis && { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.prefix }) };
  const world = await startWorld({ service: FAST, env });
  for (const list of [IDS.slice(0, 10), IDS.slice(10, 20)]) {
    const reply = world.discord.type({ command: 'cards', options: { ids: list.join(' ') } });
    const { embeds } = await reply.until((shown) => /^1 new lookup used ·/.test(endOfList(shown) ?? ''), 10_000);
    expect(embeds).toHaveLength(10);
    expect(reply.history.filter((shown) => shown.embeds.length > 0)).toHaveLength(1);
  }
  expect(requestedIds(world)).toEqual([IDS.slice(0, 10), IDS.slice(10, 20)]);
});
