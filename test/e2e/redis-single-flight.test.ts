import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { field, finalAnswers } from '../support/replies.ts';

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
