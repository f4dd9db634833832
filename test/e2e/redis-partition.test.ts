import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { prepareAppBots, requestedIds, showsCard } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';
import { finalAnswers } from '../support/replies.ts';

/** What hangs is given up when its process stops. */
const PATIENT = { CARD_SERVICE_TIMEOUT_MS: '60000' };

it('replies of a process that is cut off from Redis are answered by another, and stay as they are when it stops', async () => {
  const redis = await startRedis();
  const relay = await startRelay(redis.url);
  const processes = await prepareAppBots({ redis, service: { requestsPerMinute: 300, burst: 6 }, env: PATIENT });
  const cutOff = await processes.start(0, { REDIS_URL: relay.url });
  await processes.start(1);
  // As many as a limiter that has learned nothing yet sends at once.
  const cards = SAMPLE_CARDS.slice(0, 2).map(({ id }) => id);
  processes.cardService.script(...cards.map(() => ({ fault: 'hang' as const })));
  const typed = cards.map((id) => processes.card(0, id));
  await expect.poll(() => requestedIds(processes).toSorted()).toEqual(cards.toSorted());

  relay.close();
  for (const one of typed) await showsCard(one);
  await cutOff.stop();

  for (const { message } of typed) expect(message.embeds).toHaveLength(1);
  expect(typed.map(finalAnswers)).toEqual([1, 1]);
  expect(requestedIds(processes)).toHaveLength(4); // each once more, by the other process
  expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
});
